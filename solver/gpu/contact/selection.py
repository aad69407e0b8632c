"""Contact selection on a device (`contact/constraints/selection.py`): a thread a candidate pair measures it and says whether
it is a contact; chosen pairs get rows of their own, element by element."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...contact.broad_phase.thickness import pair_thickness
from ...contact.constraints.half_spaces import target_distance
from ...contact.narrow_phase.local_minimum import between, is_nearest, share_kept, shift
from ...contact.narrow_phase.motion_bound import motion_bound
from ...contact.surfaces.motion import SubstepMotion
from ...contact.surfaces.surfaces import SurfaceTable
from ...contact.tolerances import ACTIVATION, WARM_START_SHARE
from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.layout import layout
from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled, dot, scale
from .surface_arrays import Elements, pair_of

ZERO, ONE, HALF, TINY = f32(0), f32(1), f32(0.5), f32(1e-30)
LEAST_LENGTH, APPROACH = f32(1e-12), f32(0.95)
KEPT_FORCE = f32(WARM_START_SHARE)
#: Steps of conservative advancement towards a pair that comes near within the substep.
STEPS = 12

#: Of a contact: as `PAIR` of `contact.constraints.tables`; push: what it moved its corners by last, per weight and h^2/m
#: [N]; missing: how much less than the full distance it keeps after the substep [m].
CONTACT = layout(
    normal=3, gap=1, drift=3, weight=4, mass=1, friction=1, multiplier=1, tangential=3, shortfall=1, push=3, missing=1
)
FORCE = layout(normal=1, friction=3)


class Pairs(NamedTuple):
    """Candidate pairs, and what is known of them. first, partners, owners: see `candidates.Search`. distance: at the start
    [m], thick: to be kept [m], chosen: number of a contact among its element's, -1 for none: (room,)."""

    elements: Elements
    surfaces: SurfaceTable
    motion: SubstepMotion
    start: Any
    solid: Any
    first: Any
    room: Any
    partners: Any
    owners: Any
    distance: Any
    thick: Any
    chosen: Any


class Tally(NamedTuple):
    """first: rows of each element's pairs; room, chosen: see `Pairs`; counts: contacts of each element, (e + 1,)."""

    first: Any
    room: Any
    chosen: Any
    counts: Any


class Contacts(NamedTuple):
    """Contacts, from first[e] to first[e + 1] those of element e, at most `room`. corners: those that forces move, others
    have weight 0 and another's number, (4, room) int32; partners: the other element, (room,); values: see `CONTACT`,
    (CONTACT.width, room)."""

    first: Any
    room: Any
    corners: Any
    partners: Any
    values: Any


class Begun(NamedTuple):
    """pairs; contacts: are written. before: first row of each element's contacts of the last substep, (e + 1,),
    with_whom: their partners, forces: see `FORCE`, (FORCE.width, room) [N]. allowance: way that penetration recovery may go
    [m]."""

    pairs: Pairs
    contacts: Contacts
    before: Any
    with_whom: Any
    forces: Any
    allowance: Any


@inline
def measured(pairs, vertex, corners, ids, thick):
    """Whether a pair becomes a contact; when in the substep, its weights, its vector, and the length of that [m]; the share
    of the thickness that it keeps; its distance at the start [m]."""
    motion, zero = pairs.motion, ZERO * thick
    x0, x1 = motion.x0, motion.x1
    i, j, k, m = corners
    t = zero
    w, v, d, region = between(x0, x1, i, j, k, m, vertex, t)
    d0, limit, kept, chosen = d, ACTIVATION * thick, ONE + zero, False
    moves = x0[i, 3] > ZERO or x0[j, 3] > ZERO or x0[k, 3] > ZERO or x0[m, 3] > ZERO
    if d >= limit:
        speed = motion_bound(shift(x0, x1, i), shift(x0, x1, j), shift(x0, x1, k), shift(x0, x1, m), vertex)
        for _ in range(STEPS):
            if d < limit or d - (ONE - t) * speed >= limit:
                break
            t = min(ONE, t + (d - APPROACH * thick) / speed)
            w, v, d, region = between(x0, x1, i, j, k, m, vertex, t)
    if moves and d < limit and d > LEAST_LENGTH:
        if vertex or region == 0:
            if is_nearest(motion, t, corners, ids, vertex, v, region, pairs.solid, pairs.surfaces):
                if not vertex:
                    kept = share_kept(motion, t, corners, ids, v, pairs.surfaces)
                chosen = d < limit * kept
    return chosen, t, w, v, d, kept, d0


@body
def choose(r, given):
    """Measures a candidate pair."""
    if r < min(given.first[len(given.first) - 1], given.room):
        vertex, corners, ids = pair_of(given.elements, given.owners[r], given.partners[r])
        i, j, k, m = corners
        thick = pair_thickness(i, j, k, m, vertex, given.surfaces, given.start, ONE)
        chosen, _, _, _, _, _, d0 = measured(given, vertex, corners, ids, thick)
        given.distance[r] = d0
        given.thick[r] = thick
        given.chosen[r] = 0 if chosen else -1


@body
def tally(e, given):
    """Numbers the contacts of an element, and counts them."""
    count = 0
    if e < len(given.first) - 1:
        for r in range(min(given.first[e], given.room), min(given.first[e + 1], given.room)):
            if given.chosen[r] >= 0:
                given.chosen[r] = count
                count += 1
    given.counts[e] = count


@body
def start(r, given):
    """Starts the contact of a candidate pair that was chosen; one of two bodies with most of the force that it had."""
    pairs, contacts = given.pairs, given.contacts
    if r < min(pairs.first[len(pairs.first) - 1], pairs.room) and pairs.chosen[r] >= 0:
        owner = pairs.owners[r]
        row = contacts.first[owner] + pairs.chosen[r]
        if row < contacts.room:
            begin_row(row, r, owner, given)


@inline
def begin_row(row, r, owner, given):
    """Fills the row of a contact."""
    pairs, contacts = given.pairs, given.contacts
    x0, x1, values, thick = pairs.motion.x0, pairs.motion.x1, contacts.values, pairs.thick[r]
    vertex, corners, ids = pair_of(pairs.elements, owner, pairs.partners[r])
    i, j, k, m = corners
    _, t, w, v, d, kept, d0 = measured(pairs, vertex, corners, ids, thick)
    n = scale(ONE / d, v)
    base = i if x0[i, 3] > ZERO else j if x0[j, 3] > ZERO else k if x0[k, 3] > ZERO else m
    gap, ahead, behind = ZERO, False, False
    for axis in range(3):
        values[CONTACT.drift + axis, row] = ZERO
    for c in range(4):
        p = i if c == 0 else j if c == 1 else k if c == 2 else m
        share = w[0] if c == 0 else w[1] if c == 1 else w[2] if c == 2 else w[3]
        free = x0[p, 3] > ZERO
        contacts.corners[c, row] = p if free else base
        values[CONTACT.weight + c, row] = share if free else ZERO
        ahead = ahead or (free and share > ZERO)
        behind = behind or (free and share < ZERO)
        for axis in range(3):
            if not free:
                values[CONTACT.drift + axis, row] += share * (x1[p, axis] - x0[p, axis])
            along = n[0] if axis == 0 else n[1] if axis == 1 else n[2]
            gap += along * share * (x0[p, axis] - x0[i, axis])
    gap = gap if t > ZERO else d  # the plane may be of later; the gap is that of the start
    target = target_distance(kept * thick, d0, given.allowance)
    friction = math.sqrt(pairs.surfaces.friction[i] * pairs.surfaces.friction[k])
    force, across = ZERO, (ZERO, ZERO, ZERO)
    if ahead and behind:
        for old in range(min(given.before[owner], contacts.room), min(given.before[owner + 1], contacts.room)):
            if given.with_whom[old] == pairs.partners[r]:
                force = KEPT_FORCE * given.forces[FORCE.normal, old]
                across = (
                    KEPT_FORCE * given.forces[FORCE.friction, old],
                    KEPT_FORCE * given.forces[FORCE.friction + 1, old],
                    KEPT_FORCE * given.forces[FORCE.friction + 2, old],
                )
    across = add_scaled(across, -dot(n, across), n)
    across = scale(min(ONE, friction * force / math.sqrt(max(dot(across, across), TINY))), across)
    put(values, CONTACT.normal, row, n)
    put(values, CONTACT.tangential, row, across)
    put(values, CONTACT.push, row, add_scaled(across, force, n))
    values[CONTACT.gap, row] = gap - target
    values[CONTACT.friction, row] = friction
    values[CONTACT.multiplier, row] = force
    values[CONTACT.shortfall, row] = thick * kept - target
    values[CONTACT.mass, row] = ZERO
    contacts.partners[row] = pairs.partners[r]


@inline
def put(values, column, row, v):
    """Writes three columns."""
    values[column, row] = v[0]
    values[column + 1, row] = v[1]
    values[column + 2, row] = v[2]


@inline
def three(values, column, row):
    """Three columns."""
    return values[column, row], values[column + 1, row], values[column + 2, row]
