"""Contacts in the global step on a device: `global_step/contact_springs.py` has the rules, those of the CPU.

A contact is a spring along its normal and, for friction, one across it. Its coupling within one side, corners of one
element, is in the matrix; the coupling between the sides is applied as a product, vertex by vertex. Each pair of two bodies
has a row on either side, of which a vertex sees that of its own element: sums over these count each contact once.

A partner outside the step, a rigid body or a swept soft body, has a compliance c, its mass split over its contacts
(`pairs`): a spring of stiffness k in series with it is one of k / (1 + k c). Before each system the partner is moved by the
contact forces so far, and the spring acts relative to that. Mass splitting overestimates the compliance of all contacts
together; the error vanishes within a few systems.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import steering
from ...contact.constraints.tables import SLOTS
from ...contact.gpu.pair_selection import CONTACT, GIVES_WAY, OF_SOLIDS, UNKNOWN, Contacts, put, three
from ...contact.gpu.pair_sweeps import is_used, rows_of
from ...contact.gpu.plane_contacts import VALUE
from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice, read_by_many
from ...device.cuda.single import single
from ...device.layout import layout
from ...device.uncounted import inline
from ...mathlib.vec3 import add, add_scaled, dot, scale
from .. import contact_law
from .elements import TRIALS
from .matrix import Matrix, invert_own

active_stiffness, behind_spring = single(contact_law.active_stiffness), single(contact_law.behind_spring)
in_series, energy_rise = single(contact_law.in_series), single(contact_law.energy_rise)

ZERO, ONE, TWO, HALF, TINY = f32(0), f32(1), f32(2), f32(0.5), f32(1e-30)
STIFFNESS = f32(steering.STIFFNESS)
STIFFNESS_OF_SOLIDS, STIFFNESS_OF_SOFT = f32(steering.STIFFNESS_BELOW_BODIES), f32(steering.STIFFNESS_WITH_BODIES)
#: Record of a contact of a pair. penalty: stiffness if it is active, along, across: current stiffness [N/m]; gap: gap at
#: which its force would vanish [m], slid: the same across the normal [m]; weights: the sum over corners in the step; rise:
#: of its potential by each trial share of a step, over that sum [J].
SPRING = layout(penalty=1, along=1, across=1, gap=1, slid=3, weights=1, rise=TRIALS)
#: The same of a contact of a vertex with an infinite plane.
PLANE_SPRING = layout(penalty=1, along=1, across=1, gap=1)


class Touching(NamedTuple):
    """contacts: of pairs; springs: see `SPRING`, (SPRING.width, room). at_first, at, load, solved: see `pairs.PairContacts`;
    load is 0 where a vertex has no contact of a pair. Of planes `planes.Planes` has number, plane, values, normals and
    forces; plane_springs: see `PLANE_SPRING`, (n, SLOTS * width)."""

    contacts: Contacts
    springs: Array
    at_first: Array
    at: Array
    load: Array
    solved: Array
    number: Array
    plane: Array
    values: Array
    normals: Array
    forces: Array
    plane_springs: Array


#: Of `Touching`, the first field that is of planes.
FIRST_OF_PLANES = Touching._fields.index("number")


@read_by_many
class Activating(NamedTuple):
    """Arguments that choose active contacts at a motion, (n, 4) [m]. number_of: row of each vertex in the matrix. is_first:
    whether the motion is a prediction, at which inertia gives the contact force."""

    go: Array
    touching: Touching
    matrix: Matrix
    number_of: Array
    x0: Array
    motion: Array
    is_first: np.int32


class Moved(NamedTuple):
    """touching. move: the motion so far, more: a step from it, (n, 4) [m]. trials: see `elements.Rising`."""

    go: Array
    touching: Touching
    move: Array
    more: Array
    trials: np.int32


@inline
def is_touched(t, v):
    """Return whether a vertex has any contact."""
    return t.load[v] > ZERO or t.number[v] > 0


@inline
def has_two_sides(contacts, r):
    """Do forces move both sides of a contact?"""
    ahead, behind = False, False
    for c in range(4):
        ahead = ahead or contacts.values[CONTACT.weight + c, r] > ZERO
        behind = behind or contacts.values[CONTACT.weight + c, r] < ZERO
    return ahead and behind


@inline
def over_of(contacts, r, motion):
    """The motion of a contact's point over the other side [m]."""
    d = three(contacts.values, CONTACT.drift, r)
    for c in range(4):
        p = contacts.corners[c, r]
        d = add_scaled(d, contacts.values[CONTACT.weight + c, r], (motion[p, 0], motion[p, 1], motion[p, 2]))
    return d


@inline
def slid_over(t, r, motion):
    """`over_of` of a contact, and how far it would have slid to push as it does already [m]."""
    return add(over_of(t.contacts, r, motion), three(t.springs, SPRING.slid, r))


@inline
def stiffness_of(contacts, r):
    """Return the stiffness of a contact in the step, over the trace of its vertices' diagonal blocks."""
    known = contacts.values[CONTACT.solved, r]
    return STIFFNESS_OF_SOFT if known == GIVES_WAY else STIFFNESS_OF_SOLIDS if known == OF_SOLIDS else STIFFNESS


@inline
def own_trace(m, i):
    """Return the trace of a row's diagonal block [N/m]."""
    slot, lane = m.first[i // LANES], i % LANES
    return m.values[slot, lane] + m.values[slot, 4 * LANES + lane] + m.values[slot, 8 * LANES + lane]


@body
def activate(r, args):
    """The stiffness of a contact of a pair at a motion; none of one that the step does not know."""
    t = args.touching
    contacts, s, values = t.contacts, t.springs, t.contacts.values
    if args.go[0] > 0 and is_used(contacts, r):
        penalty, along, across, known = ZERO, ZERO, ZERO, values[CONTACT.solved, r]
        if known > UNKNOWN:
            ahead, behind, inertia, compliance, weights = ZERO, ZERO, ZERO, ZERO, ZERO
            for c in range(4):
                v, weight = contacts.corners[c, r], values[CONTACT.weight + c, r]
                w = abs(weight)
                if w > ZERO and t.solved[v] > UNKNOWN:
                    weights += w
                    trace = own_trace(args.matrix, args.number_of[v])
                    ahead += max(weight, ZERO) * trace
                    behind += max(-weight, ZERO) * trace
                    inertia += w / args.x0[v, 3]
                elif w > ZERO:
                    compliance += w * t.load[v] / values[CONTACT.scale, r]
            both = TWO * min(ahead, behind) if min(ahead, behind) > ZERO else ahead + behind
            penalty = in_series(both * stiffness_of(contacts, r), compliance)
            pushes = values[CONTACT.multiplier if known == GIVES_WAY else CONTACT.last, r]
            given_back = -ONE / max(penalty, TINY) if known == GIVES_WAY else ZERO
            slid = scale(given_back, three(values, CONTACT.tangential, r))
            n, over = three(values, CONTACT.normal, r), over_of(contacts, r, args.motion)
            distance, gap = dot(n, over), values[CONTACT.gap, r] - pushes / max(penalty, TINY)
            force = behind_spring(inertia, penalty) if args.is_first > 0 else penalty
            slip = add(add_scaled(over, -distance, n), slid)
            along, across = active_stiffness(gap + distance, slip, values[CONTACT.friction, r], penalty, force)
            s[SPRING.gap, r] = gap
            s[SPRING.weights, r] = weights
            put(s, SPRING.slid, r, slid)
        s[SPRING.penalty, r] = penalty
        s[SPRING.along, r] = along
        s[SPRING.across, r] = across


@inline
def activate_planes(t, v, trace, inertia, motion, is_first):
    """Activate the contacts of a vertex with planes. trace: of its diagonal block; inertia [N/m]."""
    d = (motion[v, 0], motion[v, 1], motion[v, 2])
    for k in range(t.number[v]):
        at, to, plane = k * VALUE.width, k * PLANE_SPRING.width, t.plane[v, k]
        n = (t.normals[plane, 0], t.normals[plane, 1], t.normals[plane, 2])
        penalty, distance = STIFFNESS * trace, dot(n, d)
        gap = t.values[v, at + VALUE.gap] - t.forces[v, plane] / max(penalty, TINY)
        force = behind_spring(inertia, penalty) if is_first > 0 else penalty
        slip = add_scaled(d, -distance, n)
        along, across = active_stiffness(gap + distance, slip, t.values[v, at + VALUE.friction], penalty, force)
        t.plane_springs[v, to + PLANE_SPRING.penalty] = penalty
        t.plane_springs[v, to + PLANE_SPRING.along] = along
        t.plane_springs[v, to + PLANE_SPRING.across] = across
        t.plane_springs[v, to + PLANE_SPRING.gap] = gap


@inline
def add_block(m, i, slot, n, along, across):
    """Add along n n^T + across (1 - n n^T) to a block of row i."""
    lane, more = i % LANES, along - across
    for b in range(3):
        to = n[0] if b == 0 else n[1] if b == 1 else n[2]
        for a in range(3):
            number = more * to * (n[0] if a == 0 else n[1] if a == 1 else n[2])
            m.values[slot, (3 * b + a) * LANES + lane] += number + across if a == b else number


@inline
def slot_of(m, i, u):
    """Return the slot of row i's block with u, -1 for none."""
    pack, place = i // LANES, -1
    for slot in range(m.first[pack], m.first[pack + 1]):
        if place < 0 and m.columns[slot, i % LANES] == u:
            place = slot
    return place


@body
def add_to_matrix(i, args):
    """Add to a row the couplings of its vertex's contacts on its own side, and invert its diagonal block again."""
    m, t = args.matrix, args.touching
    v = m.vertex[i]
    if args.go[0] == 0 or v < 0:
        return
    if is_touched(t, v):
        diagonal = m.first[i // LANES]
        if t.number[v] > 0:
            activate_planes(t, v, own_trace(m, i), ONE / args.x0[v, 3], args.motion, args.is_first)
        for k in range(t.number[v]):
            at, plane = k * PLANE_SPRING.width, t.plane[v, k]
            n = (t.normals[plane, 0], t.normals[plane, 1], t.normals[plane, 2])
            along, across = t.plane_springs[v, at + PLANE_SPRING.along], t.plane_springs[v, at + PLANE_SPRING.across]
            add_block(m, i, diagonal, n, along, across)
        if t.load[v] > ZERO:
            for e in range(t.at_first[v], t.at_first[v + 1]):
                first, last = rows_of(t.contacts, t.at[e])
                for r in range(first, last):
                    if t.springs[SPRING.along, r] > ZERO:
                        add_pair(m, t, i, v, r)
        invert_own(m, i)


@inline
def add_pair(m, t, i, v, r):
    """The blocks of row i, of vertex v, of a contact of a pair."""
    contacts, s = t.contacts, t.springs
    mine, n = weight_of(contacts, v, r), three(contacts.values, CONTACT.normal, r)
    for c in range(4):
        both = mine * contacts.values[CONTACT.weight + c, r]
        if both > ZERO:
            slot = slot_of(m, i, contacts.corners[c, r])
            if slot >= 0:
                add_block(m, i, slot, n, both * s[SPRING.along, r], both * s[SPRING.across, r])


@inline
def weight_of(contacts, v, r):
    """The weight of a vertex in a contact, 0 where it has no corner of it."""
    weight = ZERO
    for c in range(4):
        if contacts.corners[c, r] == v:
            weight += contacts.values[CONTACT.weight + c, r]
    return weight


@inline
def times_couplings(t, v, p):
    """Return the product of a vertex's contact couplings to other sides with their motion p, (n, 4)."""
    total = (ZERO, ZERO, ZERO)
    if t.load[v] > ZERO:
        contacts, s = t.contacts, t.springs
        for e in range(t.at_first[v], t.at_first[v + 1]):
            first, last = rows_of(contacts, t.at[e])
            for r in range(first, last):
                if s[SPRING.along, r] > ZERO:
                    mine, d = weight_of(contacts, v, r), (ZERO, ZERO, ZERO)
                    for c in range(4):
                        w, u = contacts.values[CONTACT.weight + c, r], contacts.corners[c, r]
                        if mine * w < ZERO:
                            d = add_scaled(d, w, (p[u, 0], p[u, 1], p[u, 2]))
                    n = three(contacts.values, CONTACT.normal, r)
                    d = combined(n, d, s[SPRING.along, r], s[SPRING.across, r])
                    total = add_scaled(total, mine, d)
    return total


@inline
def combined(n, d, along, across):
    """along times d along n, and across times the rest."""
    return add_scaled(scale(across, d), (along - across) * dot(n, d), n)


@body
def pull(r, args):
    """Compute the force of a contact of a pair on its corners at the motion so far, per weight [N]."""
    t = args.touching
    contacts, s = t.contacts, t.springs
    if args.go[0] > 0 and is_used(contacts, r):
        force = (ZERO, ZERO, ZERO)
        if s[SPRING.along, r] > ZERO:
            n, over = three(contacts.values, CONTACT.normal, r), slid_over(t, r, args.move)
            force = combined(n, over, -s[SPRING.along, r], -s[SPRING.across, r])
            force = add_scaled(force, -s[SPRING.along, r] * s[SPRING.gap, r], n)
        put(contacts.values, CONTACT.push, r, force)


@inline
def pull_of_planes(t, v, move):
    """Return the force of planes on a vertex at the motion so far [N]."""
    total, d = (ZERO, ZERO, ZERO), (move[v, 0], move[v, 1], move[v, 2])
    for k in range(t.number[v]):
        at, plane = k * PLANE_SPRING.width, t.plane[v, k]
        n = (t.normals[plane, 0], t.normals[plane, 1], t.normals[plane, 2])
        along, across = t.plane_springs[v, at + PLANE_SPRING.along], t.plane_springs[v, at + PLANE_SPRING.across]
        if along > ZERO:
            total = add_scaled(total, -ONE, combined(n, d, along, across))
            total = add_scaled(total, -along * t.plane_springs[v, at + PLANE_SPRING.gap], n)
    return total


@body
def rise(r, args):
    """Compute the rise of a pair contact's potential by each share of a step, over the sum of its weights."""
    t = args.touching
    contacts, s, values = t.contacts, t.springs, t.contacts.values
    if args.go[0] > 0 and is_used(contacts, r):
        penalty, step = s[SPRING.penalty, r], (ZERO, ZERO, ZERO)
        for c in range(4):
            w, p = values[CONTACT.weight + c, r], contacts.corners[c, r]
            step = add_scaled(step, w, (args.more[p, 0], args.more[p, 1], args.more[p, 2]))
        d, n, share = slid_over(t, r, args.move), three(values, CONTACT.normal, r), ONE
        for trial in range(args.trials):
            total = ZERO
            if penalty > ZERO:
                total = energy_rise(share, s[SPRING.gap, r], d, step, n, penalty, s[SPRING.across, r])
                total /= max(s[SPRING.weights, r], TINY)
            s[SPRING.rise + trial, r] = total
            share *= HALF


@inline
def rise_at(t, v, move, more, trial, share):
    """A vertex's part in the rise of the potential of its contacts by a share of a step."""
    total = ZERO
    d, step = (move[v, 0], move[v, 1], move[v, 2]), (more[v, 0], more[v, 1], more[v, 2])
    for k in range(t.number[v]):
        at, plane = k * PLANE_SPRING.width, t.plane[v, k]
        n = (t.normals[plane, 0], t.normals[plane, 1], t.normals[plane, 2])
        penalty, across = t.plane_springs[v, at + PLANE_SPRING.penalty], t.plane_springs[v, at + PLANE_SPRING.across]
        total += energy_rise(share, t.plane_springs[v, at + PLANE_SPRING.gap], d, step, n, penalty, across)
    if t.load[v] > ZERO:
        for e in range(t.at_first[v], t.at_first[v + 1]):
            first, last = rows_of(t.contacts, t.at[e])
            for r in range(first, last):
                if t.springs[SPRING.penalty, r] > ZERO:
                    total += abs(weight_of(t.contacts, v, r)) * t.springs[SPRING.rise + trial, r]
    return total


@inline
def begun_at(t, v):
    """Return whether a vertex is in a contact of the step, and in one with a fixed partner; and the contact forces of the
    last substep on it [N]."""
    touched, outside, total = ZERO, ZERO, (ZERO, ZERO, ZERO)
    for k in range(t.number[v]):
        plane = t.plane[v, k]
        n = (t.normals[plane, 0], t.normals[plane, 1], t.normals[plane, 2])
        touched, outside = ONE, ONE
        total = add_scaled(total, t.forces[v, plane], n)
    if t.load[v] > ZERO:
        values = t.contacts.values
        for e in range(t.at_first[v], t.at_first[v + 1]):
            first, last = rows_of(t.contacts, t.at[e])
            for r in range(first, last):
                w = weight_of(t.contacts, v, r)
                if w != ZERO and values[CONTACT.solved, r] > ZERO:
                    touched = ONE
                    outside = outside if has_two_sides(t.contacts, r) else ONE
                    total = add_scaled(total, w * values[CONTACT.last, r], three(values, CONTACT.normal, r))
    return touched, outside, total


def no_pairs(device: SerialDevice, n: int) -> tuple:
    """Return the fields of `Touching` from contacts of pairs to `solved` without pairs. n: vertices."""
    zeros = device.zeros
    room, first = np.int32(0), zeros(2, np.int32)
    table = Contacts(first, room, zeros((4, 1), np.int32), zeros(1, np.int32), zeros((CONTACT.width, 1), np.float32))
    springs = zeros((SPRING.width, 1), np.float32)
    return table, springs, zeros(n + 1, np.int32), zeros(1, np.int32), zeros(n, np.float32), zeros(n, np.float32)


def no_planes(device: SerialDevice, n: int) -> tuple:
    """Return the other fields of `Touching` without contacts with planes."""
    zeros = device.zeros
    values, forces = zeros((1, SLOTS * VALUE.width), np.float32), zeros((1, 1), np.float32)
    springs = zeros((1, SLOTS * PLANE_SPRING.width), np.float32)
    return zeros(n, np.int32), zeros((1, SLOTS), np.int32), values, zeros((1, 3), np.float32), forces, springs


def plane_springs(device: SerialDevice, n: int) -> Array:
    """Work space of the contacts with planes."""
    return device.zeros((n, SLOTS * PLANE_SPRING.width), np.float32)
