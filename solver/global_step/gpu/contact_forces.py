"""Forces of contacts in the global step on a device: at its end, and on vertices outside the step in between.

`touching` has the springs.
"""

from __future__ import annotations

from typing import NamedTuple

from ...contact.gpu.pair_selection import CONTACT, GIVES_WAY, UNKNOWN, put, three
from ...contact.gpu.pair_sweeps import is_used, rows_of
from ...contact.gpu.plane_contacts import VALUE
from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.cuda.single import single
from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled, dot, sub
from .. import contact_law
from .contact_coupling import PLANE_SPRING, SPRING, Touching, slid_over, weight_of

spring_force = single(contact_law.spring_force)

ZERO = f32(0)


@read_by_many
class Ended(NamedTuple):
    """touching. move: the motion of the step, (n, 4) [m]. x0: (n, 4)."""

    go: Array
    touching: Touching
    move: Array
    x0: Array


@read_by_many
class Others(NamedTuple):
    """touching. x0, x: at the start and now; goal, move: see `motion.Motion`, of vertices that the step does not move where
    they are now; all (n, 4)."""

    go: Array
    touching: Touching
    x0: Array
    x: Array
    goal: Array
    move: Array


@body
def store(r, args):
    """Store the force of a contact's spring in the contact, the start of its sweeps; a side outside the step gets the
    increment."""
    t = args.touching
    contacts, s, values = t.contacts, t.springs, t.contacts.values
    if is_used(contacts, r):
        more = (ZERO, ZERO, ZERO)
        if args.go[0] > 0 and s[SPRING.penalty, r] > ZERO:
            n, over = three(values, CONTACT.normal, r), slid_over(t, r, args.move)
            distance = dot(n, over)
            push, slip = s[SPRING.gap, r] + distance, add_scaled(over, -distance, n)
            mu, along, across = values[CONTACT.friction, r], s[SPRING.along, r], s[SPRING.across, r]
            force, friction = spring_force(push, slip, mu, along, across)
            if values[CONTACT.solved, r] == GIVES_WAY:
                more = add_scaled(
                    sub(friction, three(values, CONTACT.tangential, r)), force - values[CONTACT.multiplier, r], n
                )
            values[CONTACT.multiplier, r] = force
            put(values, CONTACT.tangential, r, friction)
        put(values, CONTACT.push, r, more)


@body
def move_partners(v, args):
    """Update the displacement of a vertex outside the step."""
    if args.go[0] > 0 and args.touching.solved[v] == UNKNOWN:
        for k in range(3):
            displacement = args.x[v, k] - args.x0[v, k]
            args.goal[v, k] = displacement
            args.move[v, k] = displacement


@inline
def pushed_back(t, v):
    """Return the contact forces on a vertex of the step due to motion of the other sides [N]."""
    total = (ZERO, ZERO, ZERO)
    if t.load[v] > ZERO:
        values = t.contacts.values
        for e in range(t.at_first[v], t.at_first[v + 1]):
            first, last = rows_of(t.contacts, t.at[e])
            for r in range(first, last):
                if values[CONTACT.solved, r] == GIVES_WAY:
                    n, rubs = three(values, CONTACT.normal, r), three(values, CONTACT.tangential, r)
                    push = add_scaled(rubs, values[CONTACT.multiplier, r], n)
                    total = add_scaled(total, weight_of(t.contacts, v, r), push)
    return total


@body
def store_planes(v, args):
    """The same of the contacts of a vertex with planes, whose multipliers are displacements."""
    t, weight = args.touching, args.x0[v, 3]
    d = (args.move[v, 0], args.move[v, 1], args.move[v, 2])
    for k in range(t.number[v]):
        at, to, plane = k * VALUE.width, k * PLANE_SPRING.width, t.plane[v, k]
        n = (t.normals[plane, 0], t.normals[plane, 1], t.normals[plane, 2])
        distance, mu = dot(n, d), t.values[v, at + VALUE.friction]
        push, slip = t.plane_springs[v, to + PLANE_SPRING.gap] + distance, add_scaled(d, -distance, n)
        along, across = t.plane_springs[v, to + PLANE_SPRING.along], t.plane_springs[v, to + PLANE_SPRING.across]
        force, friction = spring_force(push, slip, mu, along, across)
        t.values[v, at + VALUE.multiplier] = weight * force
        for axis in range(3):
            f = friction[0] if axis == 0 else friction[1] if axis == 1 else friction[2]
            t.values[v, at + VALUE.tangential + axis] = weight * f
