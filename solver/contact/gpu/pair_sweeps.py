"""Contacts of pairs on a device: frozen planes with Coulomb friction, as `contact/constraints/pairs.py`, by Jacobi sweeps.

A sweep is two launches: each contact computes its step from the same positions, then each vertex sums the displacements of
the contacts of its own elements. The effective mass of a contact is s / sum_c |a_c| w_c S_c, with S_c the sum over all
contacts at a corner of weight times s, in place of 1 / sum_c a_c^2 w_c: sweeps converge for every graph of contacts, and
forces stay equal and opposite. The scaling s is the square root of the contact's mass; it keeps step lengths independent of
the mass ratio.
Source: Baker, Falgout, Kolev and Yang 2011, "Multigrid smoothers for ultraparallel computing", for l1-Jacobi.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.uncounted import inline
from ...mathlib.vec3 import add, add_scaled, dot, scale, sub
from ...model.gpu.substep_motion import NOW, Motion
from ..constraints.law import friction_force, normal_force, separation_to_remove
from .embedded_points import Coupled, sum_pushes, weighted_sum
from .one_vertex import begin_first_order, take_up
from .pair_selection import CONTACT, UNKNOWN, Contacts, put, three

ZERO, ONE, TINY = f32(0), f32(1), f32(1e-30)


class PairContacts(NamedTuple):
    """Arguments of contacts. motion, contacts, coupled. at_first, at: elements of each vertex. load: h^2/m of a vertex times
    the sum of the scaled weights of its contacts and of those of its coupled vertices, 0 without contacts, (n,). solved: see
    `pair_selection.Begun`; all_move: 0 if vertices of the global step are fixed.
    """

    motion: Motion
    contacts: Contacts
    coupled: Coupled
    at_first: Array
    at: Array
    load: Array
    solved: Array
    all_move: np.int32


@inline
def rows_of(contacts, e):
    """First and last row of an element's contacts."""
    return min(contacts.first[e], contacts.room), min(contacts.first[e + 1], contacts.room)


@inline
def is_used(contacts, r):
    """Return whether row r is a contact."""
    return r < min(contacts.first[contacts.first.shape[0] - 1], contacts.room)


@inline
def weights_at(i, args):
    """The sum of the sizes of a particle's weights in its contacts, each by its scale."""
    contacts, total = args.contacts, ZERO
    for s in range(args.at_first[i], args.at_first[i + 1]):
        first, last = rows_of(contacts, args.at[s])
        for r in range(first, last):
            for c in range(4):
                if contacts.corners[c, r] == i:
                    total += abs(contacts.values[CONTACT.weight + c, r]) * contacts.values[CONTACT.scale, r]
    return total


@body
def begin(i, args):
    """A vertex that contacts may push takes this substep by backward Euler, and adds up their weights."""
    m, total = args.motion, ZERO
    if m.x0[i, 3] > ZERO:
        total = weights_at(i, args) + weighted_sum(args.coupled, i)
    if total > ZERO:
        begin_first_order(m, i)
    args.load[i] = total * m.x0[i, 3]


@body
def weigh(r, args):
    """The effective mass of a contact."""
    contacts = args.contacts
    if is_used(contacts, r):
        total = ZERO
        for c in range(4):
            total += abs(contacts.values[CONTACT.weight + c, r]) * args.load[contacts.corners[c, r]]
        contacts.values[CONTACT.mass, r] = contacts.values[CONTACT.scale, r] / total if total > TINY else ZERO


@inline
def displacement(contacts, r, x0, x):
    """Return the relative displacement of the two points of a contact since the start [m]."""
    d = three(contacts.values, CONTACT.drift, r)
    for c in range(4):
        p, w = contacts.corners[c, r], contacts.values[CONTACT.weight + c, r]
        d = add_scaled(d, w, (x[p, 0] - x0[p, 0], x[p, 1] - x0[p, 1], x[p, 2] - x0[p, 2]))
    return d


@body
def project(r, args):
    """Update the force of a contact, and write the increment."""
    contacts, m = args.contacts, args.motion
    if is_used(contacts, r):
        values = contacts.values
        d, n = displacement(contacts, r, m.x0, m.x), three(values, CONTACT.normal, r)
        old, mass = three(values, CONTACT.tangential, r), values[CONTACT.mass, r]
        before = values[CONTACT.multiplier, r]
        after = normal_force(before, dot(n, d) + values[CONTACT.gap, r], mass)
        t = friction_force(old, d, n, mass, values[CONTACT.friction, r] * after)
        values[CONTACT.multiplier, r] = after
        put(values, CONTACT.tangential, r, t)
        put(values, CONTACT.push, r, add_scaled(sub(t, old), after - before, n))


@inline
def pushed(i, args):
    """Return the summed displacement of a vertex by its contacts, per h^2/m [N]."""
    contacts, total = args.contacts, (ZERO, ZERO, ZERO)
    for s in range(args.at_first[i], args.at_first[i + 1]):
        first, last = rows_of(contacts, args.at[s])
        for r in range(first, last):
            for c in range(4):
                if contacts.corners[c, r] == i:
                    w = contacts.values[CONTACT.weight + c, r]
                    total = add_scaled(total, w, three(contacts.values, CONTACT.push, r))
    return total


@body
def move(i, args):
    """Move a vertex by its contacts. x: must be the current positions."""
    m = args.motion
    moves = args.all_move > 0 or args.solved[i] == UNKNOWN
    if moves and args.load[i] > ZERO and m.x0[i, 3] > ZERO:
        push = add(pushed(i, args), sum_pushes(args.coupled, i))
        at = m.x_pred[i, 0] + m.correction[i, 0], m.x_pred[i, 1] + m.correction[i, 1], m.x_pred[i, 2] + m.correction[i, 2]
        take_up(m, i, add_scaled(at, m.x0[i, 3], push))


@body
def measure(r, args):
    """Measure the deficit of the full distance of a contact with force."""
    contacts, m = args.contacts, args.motion
    if is_used(contacts, r):
        values = contacts.values
        along = dot(three(values, CONTACT.normal, r), displacement(contacts, r, m.x0, m.x))
        values[CONTACT.missing, r] = values[CONTACT.shortfall, r] - along - values[CONTACT.gap, r]


@body
def slow(r, args):
    """Apply restitution of zero (`contact/constraints/restitution.py`): a contact with force removes normal velocity.
    Coupled points are left out."""
    contacts, m = args.contacts, args.motion
    if is_used(contacts, r):
        values, now = contacts.values, m.now[m.step]
        n = three(values, CONTACT.normal, r)
        drift = dot(n, three(values, CONTACT.drift, r))
        speed, predicted, alone = now[NOW.inverse_h] * drift, drift, True
        for c in range(4):
            p, w = contacts.corners[c, r], values[CONTACT.weight + c, r]
            alone = alone and (w == ZERO or m.x0[p, 3] > ZERO)
            speed += w * dot(n, (m.v[p, 0], m.v[p, 1], m.v[p, 2]))
            displacement = m.x_pred[p, 0] - m.x0[p, 0], m.x_pred[p, 1] - m.x0[p, 1], m.x_pred[p, 2] - m.x0[p, 2]
            predicted += w * dot(n, displacement)
        excess = separation_to_remove(speed, now[NOW.inverse_h] * predicted)
        pushes = alone and values[CONTACT.multiplier, r] > ZERO and excess > ZERO
        put(values, CONTACT.push, r, scale(-excess * values[CONTACT.mass, r] if pushes else ZERO, n))


@body
def stop(i, args):
    """Subtract the velocity that a vertex's contacts remove."""
    m = args.motion
    if args.load[i] > ZERO:
        v = add_scaled((m.v[i, 0], m.v[i, 1], m.v[i, 2]), m.x0[i, 3], pushed(i, args))
        m.v[i, 0], m.v[i, 1], m.v[i, 2] = v
