"""Contact selection on a device (`contact/constraints/selection.py`): a thread a candidate pair measures its distance and
decides whether it is a contact; contacts get rows of their own, element by element."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.single import single
from ...device.layout import layout
from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled, dot, scale
from ...steering import ACTIVATION, MOST_PASSES, SAFE_SHARE, WARM_START_SHARE
from ..broad_phase import thickness, tied_pairs
from ..broad_phase.tied_pairs import TieTable
from ..constraints.law import friction_between, target_distance, within_cone
from ..narrow_phase import local_minimum
from ..narrow_phase.local_minimum import shift
from ..narrow_phase.motion_bound import motion_bound
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import SurfaceTable
from .surface_arrays import Elements, pair_of

between, is_nearest = single(local_minimum.between), single(local_minimum.is_nearest)
share_kept, pair_thickness = single(local_minimum.share_kept), single(thickness.pair_thickness)
is_tied = single(tied_pairs.is_tied)

ZERO, ONE, HALF, TINY = f32(0), f32(1), f32(0.5), f32(1e-30)
LEAST_LENGTH = f32(1e-12)
KEPT_FORCE = f32(WARM_START_SHARE)
#: In place of the distance of a pair that nothing keeps apart [m].
ALONE = f32(1e30)

#: Columns of a contact: as `PAIR` of `contact.constraints.tables`; push: last increment of its corners, per weight and h^2/m
#: [N]; missing: shortfall of distance after the substep [m]; scale: the s of `pairs`. last: force in the last substep [N];
#: solved: part of the global step in it, one of the following.
CONTACT = layout(
    normal=3, gap=1, drift=3, weight=4, mass=1, friction=1, multiplier=1, tangential=3, shortfall=1, push=3, missing=1,
    scale=1, last=1, solved=1,
)  # fmt: skip
FORCE = layout(normal=1, friction=3)
#: The global step does not contain a contact; solves for all of its corners, of sheets alone or of soft bodies too; solves
#: for one side, with the compliance of the other.
UNKNOWN, OF_SHEETS, OF_SOLIDS, GIVES_WAY = f32(0), f32(1), f32(2), f32(3)


class Pairs(NamedTuple):
    """Candidate pairs and their measurements. first, partners, owners: see `candidates.Search`. distance: at the start [m],
    ALONE for pairs excused by a tie, thick: wanted distance [m], share_kept: of it, time: share of the substep at which a
    contact has its plane, chosen: its number among those of its element, -1 for none: (room,).
    """

    elements: Elements
    surfaces: SurfaceTable
    motion: SubstepMotion
    ties: TieTable
    solid: Array
    first: Array
    room: np.int32
    partners: Array
    owners: Array
    distance: Array
    thick: Array
    share_kept: Array
    time: Array
    chosen: Array


class Tally(NamedTuple):
    """first: rows of each element's pairs; room, chosen: see `Pairs`; counts: contacts of each element, (e + 1,)."""

    first: Array
    room: np.int32
    chosen: Array
    counts: Array


class Contacts(NamedTuple):
    """Contacts, from first[e] to first[e + 1] those of element e, at most `room`. corners: vertices that forces move, others
    have weight 0 and another's number, (4, room) int32; partners: the other element, (room,); values: see `CONTACT`,
    (CONTACT.width, room).
    """

    first: Array
    room: np.int32
    corners: Array
    partners: Array
    values: Array


class Begun(NamedTuple):
    """Arguments of new contacts. pairs; contacts: written. before: first row of each element's contacts of the last substep,
    (e + 1,), with_whom: their partners, forces: see `FORCE`, (FORCE.width, room) [N]. allowance: largest displacement of
    penetration recovery [m]. solved: of each vertex UNKNOWN, OF_SHEETS or OF_SOLIDS, (n,) float32.
    """

    pairs: Pairs
    contacts: Contacts
    before: Array
    with_whom: Array
    forces: Array
    allowance: np.float32
    solved: Array


@inline
def near_at(motion, vertex, corners, thick):
    """Find the time in the substep at which a pair comes within contact distance. Returns whether it does, the time, the
    vector between the elements then, its length [m], its region, and the distance at the start [m]."""
    x0, x1, limit = motion.x0, motion.x1, ACTIVATION * thick
    i, j, k, m = corners
    speed = motion_bound(shift(x0, x1, i), shift(x0, x1, j), shift(x0, x1, k), shift(x0, x1, m), vertex)
    t = ZERO * thick
    for step in range(MOST_PASSES + 1):
        _, v, d, region = between(x0, x1, i, j, k, m, vertex, t)
        if step == 0:
            d0 = d
        if d < limit or d - (ONE - t) * speed >= limit or step == MOST_PASSES:
            break
        t = min(ONE, t + (d - SAFE_SHARE * thick) / speed)
    return d < limit, t, v, d, region, d0


@body
def choose(r, args):
    """Decide whether a candidate pair is a contact: near in the substep, and a local minimum of the distance."""
    if r < min(args.first[args.first.shape[0] - 1], args.room):
        motion, x0 = args.motion, args.motion.x0
        vertex, corners, ids = pair_of(args.elements, args.owners[r], args.partners[r])
        i, j, k, m = corners
        thick = pair_thickness(i, j, k, m, vertex, args.surfaces, args.ties.start, ONE)
        alone = is_tied(i, j, k, m, vertex, args.surfaces, args.ties, thick, ONE)
        near, t, v, d, region, d0 = near_at(motion, vertex, corners, thick)
        kept_share, chosen = ONE, -1
        moves = x0[i, 3] > ZERO or x0[j, 3] > ZERO or x0[k, 3] > ZERO or x0[m, 3] > ZERO
        if near and moves and not alone and d > LEAST_LENGTH and (vertex or region == 0):
            if is_nearest(motion, t, corners, ids, vertex, v, region, args.solid, args.surfaces):
                if not vertex:
                    kept_share = share_kept(motion, t, corners, ids, v, args.surfaces)
                chosen = 0 if d < ACTIVATION * thick * kept_share else -1
        args.distance[r] = ALONE if alone else d0
        args.thick[r] = thick
        args.share_kept[r] = kept_share
        args.time[r] = t
        args.chosen[r] = chosen


@body
def tally(e, args):
    """Numbers the contacts of an element, and counts them."""
    count = 0
    if e < args.first.shape[0] - 1:
        for r in range(min(args.first[e], args.room), min(args.first[e + 1], args.room)):
            if args.chosen[r] >= 0:
                args.chosen[r] = count
                count += 1
    args.counts[e] = count


@body
def start(r, args):
    """Start the contact of a chosen candidate pair. Contacts of two bodies are warm-started with most of their force, unless
    the global step solves for both sides."""
    pairs, contacts = args.pairs, args.contacts
    if r < min(pairs.first[pairs.first.shape[0] - 1], pairs.room) and pairs.chosen[r] >= 0:
        owner = pairs.owners[r]
        row = contacts.first[owner] + pairs.chosen[r]
        if row < contacts.room:
            begin_row(row, r, owner, args)


@inline
def begin_row(row, r, owner, args):
    """Fill the row of a contact."""
    pairs, contacts = args.pairs, args.contacts
    x0, x1, values, thick = pairs.motion.x0, pairs.motion.x1, contacts.values, pairs.thick[r]
    vertex, corners, _ = pair_of(pairs.elements, owner, pairs.partners[r])
    i, j, k, m = corners
    t, kept_share, d0 = pairs.time[r], pairs.share_kept[r], pairs.distance[r]
    w, v, d, _ = between(x0, x1, i, j, k, m, vertex, t)
    n = scale(ONE / d, v)
    base = i if x0[i, 3] > ZERO else j if x0[j, 3] > ZERO else k if x0[k, 3] > ZERO else m
    gap, spread, total, most, least = ZERO, ZERO, ZERO, UNKNOWN, OF_SOLIDS
    ahead, behind, solved_ahead, solved_behind, other_ahead, other_behind = False, False, False, False, False, False
    for axis in range(3):
        values[CONTACT.drift + axis, row] = ZERO
    for c in range(4):
        p = i if c == 0 else j if c == 1 else k if c == 2 else m
        share = w[0] if c == 0 else w[1] if c == 1 else w[2] if c == 2 else w[3]
        free = x0[p, 3] > ZERO
        if free:
            spread += abs(share) * x0[p, 3]
            total += abs(share)
        contacts.corners[c, row] = p if free else base
        values[CONTACT.weight + c, row] = share if free else ZERO
        if free and share != ZERO:
            kind = args.solved[p]
            most, least = max(most, kind), min(least, kind)
            ahead, behind = ahead or share > ZERO, behind or share < ZERO
            solved_ahead = solved_ahead or (share > ZERO and kind > UNKNOWN)
            solved_behind = solved_behind or (share < ZERO and kind > UNKNOWN)
            other_ahead = other_ahead or (share > ZERO and kind == UNKNOWN)
            other_behind = other_behind or (share < ZERO and kind == UNKNOWN)
        for axis in range(3):
            if not free:
                values[CONTACT.drift + axis, row] += share * (x1[p, axis] - x0[p, axis])
            along = n[0] if axis == 0 else n[1] if axis == 1 else n[2]
            gap += along * share * (x0[p, axis] - x0[i, axis])
    gap = gap if t > ZERO else d  # the plane may be that of a later time; the gap is that of the start
    target = target_distance(kept_share * thick, d0, args.allowance)
    friction = friction_between(pairs.surfaces.friction[i], pairs.surfaces.friction[k])
    gives = not (solved_ahead and other_ahead) and not (solved_behind and other_behind)
    solved = most if least > UNKNOWN else GIVES_WAY if most > UNKNOWN and gives else UNKNOWN
    last, force, across = ZERO, ZERO, (ZERO, ZERO, ZERO)
    for old in range(min(args.before[owner], contacts.room), min(args.before[owner + 1], contacts.room)):
        if args.with_whom[old] == pairs.partners[r]:
            last = args.forces[FORCE.normal, old]
            if ahead and behind and (most == UNKNOWN or solved == GIVES_WAY):
                force = KEPT_FORCE * last
            if ahead and behind and most == UNKNOWN:
                across = (
                    KEPT_FORCE * args.forces[FORCE.friction, old],
                    KEPT_FORCE * args.forces[FORCE.friction + 1, old],
                    KEPT_FORCE * args.forces[FORCE.friction + 2, old],
                )
    across = add_scaled(across, -dot(n, across), n)
    across = within_cone(across, friction * force)
    put(values, CONTACT.normal, row, n)
    put(values, CONTACT.tangential, row, across)
    put(values, CONTACT.push, row, add_scaled(across, force, n))
    values[CONTACT.gap, row] = gap - target
    values[CONTACT.friction, row] = friction
    values[CONTACT.multiplier, row] = force
    values[CONTACT.shortfall, row] = thick * kept_share - target
    values[CONTACT.mass, row] = ZERO
    values[CONTACT.scale, row] = math.sqrt(total / max(spread, TINY))
    values[CONTACT.last, row] = last
    values[CONTACT.solved, row] = solved if ahead or behind else UNKNOWN
    contacts.partners[row] = pairs.partners[r]


@inline
def put(values, column, row, v):
    """Write three columns."""
    values[column, row] = v[0]
    values[column + 1, row] = v[1]
    values[column + 2, row] = v[2]


@inline
def three(values, column, row):
    """Three columns."""
    return values[column, row], values[column + 1, row], values[column + 2, row]
