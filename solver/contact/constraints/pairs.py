"""Contacts of pairs: frozen planes that push and do not pull, with Coulomb friction, projected one after the other.

A contact is gap(x) = n . sum a_c (x_c - x0_c) + gap0 >= 0 over the four corners of a pair, with the weights a, the
normal n and gap0 frozen. The multiplier of the normal is kept, as the share of h^2/m that the contact has moved its
corners by in this substep; a later projection may take some of it back, never more. Friction is kept likewise, at most
mu times the normal.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from ...device.cpu import LANES, f32
from ...device.lanes import corner, put, scatter_moves, weight
from ...device.loops_cpu import sweep_rounds
from ...device.per_energy import visit_of_pack
from ...device.row_kernels import uncounted_row_kernel
from ...device.simd.row_sums import moves_to_lanes
from ...device.threads import run
from ...device.uncounted import inline, uncounted_kernel
from ...mathlib.vec3 import add_scaled, dot, scale, sub
from ..broad_phase.candidates import CANDIDATE, EXCLUDED
from .half_spaces import HalfSpaceTable, project_all
from .law import friction_between, friction_force, normal_force, target_distance
from .linear import LinearRows
from .packing import Packing, packed
from .restitution import stop_pairs
from .tables import PAIR, SELECTED, Array, PairTable, by_contact
from .warm_start import WarmStart

ONE, ZERO = f32(1), f32(0)


class PairContacts:
    """The contacts of pairs in one substep. table: those in use, of arrays that are kept from substep to substep.
    settled: the first so many places are of nothing that is pulled apart. warm_start: what these begin with."""

    def __init__(self, dtype: np.dtype) -> None:
        """dtype: type of positions."""
        self._dtype, self.warm_start = dtype, WarmStart(dtype)
        self._make_room(64)
        self.clear()

    def __len__(self) -> int:
        """Places for contacts; some lanes of packs have none."""
        return len(self.table.keys)

    def clear(self) -> None:
        """Remove all contacts, before a substep."""
        self.table, self.settled, self._parts = self._places(0, 0), 0, list[tuple[PairTable, Packing]]()

    def begin(
        self, chosen: Array, selected: Array, candidates, distance: Array, motion, friction: Array, allowance,
        pulled: Array | None,
    ) -> None:  # fmt: skip
        """Start the contacts of candidate pairs. pulled: particles beside an intersection contour, (count,) bool, None for
        none; the contacts of these come last. Other arguments: see `fill`."""
        parts = [(chosen, selected)]
        if pulled is not None and pulled.any():
            last = pulled[candidates.corners[chosen]].any(1)
            parts = [(chosen[which], selected[which]) for which in (~last, last)]
        packings = [packed(which, candidates.corners, motion.x0) for which, _ in parts]
        ends = [0, *(sum(len(packing.filled) for packing in packings[: k + 1]) for k in range(len(packings)))]
        if ends[-1] > len(self._room.packs):
            self._make_room(ends[-1] * 5 // 4)
        self.table, self.settled, self._parts = self._places(0, ends[-1]), ends[1] * LANES, []
        for k, ((which, how), packing) in enumerate(zip(parts, packings, strict=True)):
            table, common = self._places(ends[k], ends[k + 1]), (candidates, distance, motion, friction, allowance)
            clear_packs(packing.filled, ends[k] * LANES, table)
            run(fill, len(which), packing.place, which, how, *common, table)
            fill_up(packing.filled, table)
            self._parts.append((table, packing))

    @property
    def pulled(self) -> bool:
        """Return whether some contacts are at intersection contours."""
        return self.settled < len(self)

    def sweep(self, x0: Array, x: Array) -> float:
        """As `sweep_settled`, of all contacts."""
        missed = self.sweep_settled(x0, x)
        for part in self._parts[1:]:
            sweep(*part, x0, x)
        return missed

    def sweep_settled(self, x0: Array, x: Array) -> float:
        """Project the contacts of nothing that is pulled apart; return the largest distance by which one of them missed
        its target before [m]. Written: x (n, 4) [m]."""
        return sweep(*self._parts[0], x0, x) if self.settled else 0.0

    def sweep_with(self, half_spaces: HalfSpaceTable, x0: Array, x: Array, most: int, tolerance: float) -> None:
        """Project these contacts, none at an intersection contour, then those of half-spaces, `most` times, or until none
        of the former missed its target by more than the tolerance before [m]. Written: x (n, 4) [m]."""
        sweep(*self._parts[0], x0, x, half_spaces, most, tolerance)

    def measure(self, x0: Array, x: Array, touched: Array) -> tuple[int, float]:
        """Contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
        return measure(self.table, x0, x, touched) if len(self) else (0, 0.0)

    def stop_separation(self, x0: Array, predicted: Array, inverse_h, v: Array) -> None:
        """Restitution zero, see `restitution`. Written: v (n, 3) [m/s]."""
        if len(self):
            stop_pairs(self.table, x0, predicted, inverse_h, v)

    def joined(self) -> tuple[Array, Array]:
        """See `LinearContacts`: the corners that forces move."""
        return by_contact(self.table.corners).reshape(-1, 4), self._columns(PAIR.weight, 4)

    def corners(self) -> Array:
        """The vertices that contacts may push, any number of times, (k,)."""
        return self.table.corners.ravel()

    def reweigh(self, x0: Array) -> None:
        """Set the effective masses anew. x0: h^2/m in the last column, (count, 4)."""
        weigh(self.table, x0)

    def without_force(self) -> Array:
        """See `LinearContacts`."""
        return self._columns(PAIR.multiplier, 1)[:, 0] == 0

    def forces(self, which: Array) -> Array:
        """Return the current forces of contacts `which`: along the normal and, three numbers, across it [N], (k, 4)
        float64."""
        first = PAIR.multiplier
        return self._of(which)[:, first : first + 4].astype("float64", copy=False)

    def rows(self, which: Array) -> LinearRows:
        """See `LinearContacts`. The motion of corners that no force moves is in the gap."""
        r = self._of(which).astype("float64", copy=False)
        normal, drift = (r[:, first : first + 3] for first in (PAIR.normal, PAIR.drift))
        last = self.warm_start.forces_of_pairs(self.table.keys[which])
        last[which >= self.settled] = 0
        return LinearRows(normal, r[:, PAIR.gap] + (normal * drift).sum(1), -drift, r[:, PAIR.friction], last)

    def set_forces(self, which: Array, forces: Array) -> None:
        """See `LinearContacts`."""
        first = PAIR.multiplier
        by_contact(self.table.packs)[which // LANES, which % LANES, first : first + 4] = forces

    def settle(self, which: Array, missing: Array) -> None:
        """See `LinearContacts`."""
        packs, at = by_contact(self.table.packs), (which // LANES, which % LANES)
        for column in (PAIR.gap, PAIR.shortfall):
            packs[(*at, column)] += missing
        packs[(*at, PAIR.friction)] = 0
        packs[(*at, slice(PAIR.tangential, PAIR.tangential + 3))] = 0

    def _of(self, which: Array) -> Array:
        return by_contact(self.table.packs)[which // LANES, which % LANES]

    def _columns(self, first: int, count: int) -> Array:
        """A copy of some columns, (places, count)."""
        return by_contact(self.table.packs)[:, :, first : first + count].reshape(-1, count)

    def _places(self, first: int, last: int) -> PairTable:
        """The packs first..last."""
        corners, packs, keys = self._room
        return PairTable(corners[first:last], packs[first:last], keys[first * LANES : last * LANES])

    def _make_room(self, packs: int) -> None:
        self._room = PairTable(
            np.empty((packs, 4 * LANES), "int32"),
            np.empty((packs, PAIR.width * LANES), self._dtype),
            np.empty(packs * LANES, "int64"),
        )


def sweep(
    table: PairTable, packing: Packing, x0: Array, x: Array, half_spaces: HalfSpaceTable | None = None, most: int = 1,
    tolerance: float = 0.0,
) -> float:  # fmt: skip
    """Project all contacts, and then those of half-spaces, until none of the former missed its target by more than the
    tolerance [m] before, or `most` times; return the largest distance by which one missed it before the last time [m].
    Written: the packs of the tables, x (n, 4) [m]."""
    packs, index = table.packs, np.empty((1, LANES), "int32")
    planes = HalfSpaceTable(np.zeros(0, "int64"), packs[:0], 0) if half_spaces is None else half_spaces
    lanes, starts = (np.empty(4 * LANES, x.dtype) for _ in range(2))
    missed = np.empty((len(packs), LANES), x.dtype)
    args = GivenToSweep(table.corners, packs, x0, x, missed, x.dtype.type(tolerance), planes, index, lanes, starts)
    sweep_rounds(project, sys.modules[__name__], packing.colours, packing.clusters, args, most)
    return float(missed.max(initial=0))


@inline
def end_round(args):
    """Project the contacts of half-spaces; return whether a contact of a pair missed its target by more than the tolerance.
    Written: packs of the half-spaces, x."""
    planes, most = args.half_spaces, ZERO * args.tolerance
    project_all(planes.vertices, planes.whole, planes.packs, args.x0, args.x, args.places, args.lanes, args.starts)
    for pack in range(len(args.missed)):
        for lane in range(LANES):
            most = max(most, args.missed[pack, lane])
    return most > args.tolerance


@uncounted_kernel
def clear_packs(filled, first, table):
    """Make packs hold no contact: numbers that are 0, keys below 0 of which no two are equal from -1 - `first` on.

    filled: contacts of each pack. Written: numbers and keys of the table.
    """
    for pack in range(len(filled)):
        for at in range(PAIR.width * LANES):
            table.packs[pack, at] = ZERO
        for lane in range(LANES):
            table.packs[pack, PAIR.gap * LANES + lane] = EXCLUDED
            table.keys[pack * LANES + lane] = -1 - (first + pack * LANES + lane)


@uncounted_kernel
def fill_up(filled, table):
    """Give lanes without a contact the corners of the pack's first. Written: corners of the table."""
    for pack in range(len(filled)):
        for lane in range(filled[pack], LANES):
            for c in range(4):
                table.corners[pack, c * LANES + lane] = table.corners[pack, c * LANES]


@uncounted_row_kernel
def fill(begin, finish, place, chosen, selected, candidates, distance, motion, friction, allowance, table):
    """Start the contacts begin..finish, with no force yet.

    place: of each contact in the table, (k,). chosen: candidate pair of each, (k,). selected: (k, SELECTED.width). distance:
    of the candidates at the start [m]. allowance: way that penetration recovery may go in this substep [m]. Written: table,
    of which the packs are cleared.
    """
    for c in range(begin, finish):
        p, pack, lane = chosen[c], place[c] // LANES, place[c] % LANES
        thick, d0 = candidates.values[p, CANDIDATE.thickness], distance[p]
        is_edge = np.int64(p >= candidates.split)
        key = (is_edge << 62) | (np.int64(candidates.ids[p, 0]) << 31) | np.int64(candidates.ids[p, 1])
        table.keys[place[c]] = key
        corners, pack_values = table.corners[pack], table.packs[pack]
        _start(p, selected[c], candidates.corners, thick, d0, motion, friction, allowance, corners, pack_values, lane)


@inline
def _start(p, selected, pair_corners, thick, d0, motion, friction, allowance, corners, pack_values, lane):
    x0, x1 = motion.x0, motion.x1
    spread, base = ZERO * thick, pair_corners[p, 0]
    most, ahead, behind = ZERO * thick, ZERO * thick, ZERO * thick
    for c in range(4):
        i, w = pair_corners[p, c], selected[SELECTED.weight + c]
        if x0[i, 3] > 0:
            spread += w * w * x0[i, 3]
            most = max(most, x0[i, 3])
            ahead += max(w, ZERO)
            behind -= min(w, ZERO)
            base = i
    spread += _held_share(ahead, behind) * most
    inverse = ONE / selected[SELECTED.distance]
    for axis in range(3):
        pack_values[(PAIR.normal + axis) * LANES + lane] = selected[SELECTED.vector + axis] * inverse
    first = pair_corners[p, 0]
    for c in range(4):
        i, w = pair_corners[p, c], selected[SELECTED.weight + c]
        free = x0[i, 3] > 0
        corners[c * LANES + lane] = i if free else base
        pack_values[(PAIR.weight + c) * LANES + lane] = w if free else ZERO
        if not free:
            for axis in range(3):
                pack_values[(PAIR.drift + axis) * LANES + lane] += w * (x1[i, axis] - x0[i, axis])
    gap = selected[SELECTED.distance]
    if selected[SELECTED.time] > ZERO:  # the plane is of later; the gap is that of the start
        gap = ZERO * gap
        for c in range(4):
            for axis in range(3):
                at = x0[pair_corners[p, c], axis] - x0[first, axis]
                gap += pack_values[(PAIR.normal + axis) * LANES + lane] * selected[SELECTED.weight + c] * at
    thick *= selected[SELECTED.thickness_share]
    target = target_distance(thick, d0, allowance)
    pack_values[PAIR.gap * LANES + lane], pack_values[PAIR.shortfall * LANES + lane] = gap - target, thick - target
    # A contact whose free corners have no weight moves nothing.
    pack_values[PAIR.effective_mass * LANES + lane] = ONE / spread if spread > 1e-30 else ZERO * spread
    pack_values[PAIR.friction * LANES + lane] = friction_between(friction[first], friction[pair_corners[p, 2]])


@inline
def _held_share(ahead, behind):
    """Square of the weights that pins have in a contact, of both elements, beside corners that are free. ahead, behind: sums
    of the sizes of the free corners' weights, of each element.

    They count as if they moved: else a point beside a pin moves the free corner across its element by its miss over
    that corner's weight, a hundred edges far.
    """
    first = ONE - ahead if ahead > 0 else ZERO * ahead
    second = ONE - behind if behind > 0 else ZERO * behind
    return first * first + second * second


@uncounted_kernel
def weigh(table, x0):
    """Set the effective masses of contacts that move something anew. x0: h^2/m in the last column. Written: packs."""
    for pack in range(len(table.packs)):
        corners, pack_values = table.corners[pack], table.packs[pack]
        for lane in range(LANES):
            at = PAIR.effective_mass * LANES + lane
            zero = ZERO * pack_values[at]
            spread, most, ahead, behind = zero, zero, zero, zero
            for c in range(4):
                w, push = pack_values[(PAIR.weight + c) * LANES + lane], x0[corners[c * LANES + lane], 3]
                spread += w * w * push
                most = max(most, push) if w != 0 else most
                ahead += max(w, ZERO)
                behind -= min(w, ZERO)
            if pack_values[at] > 0:
                pack_values[at] = ONE / (spread + _held_share(ahead, behind) * most)


class GivenToSweep(NamedTuple):
    """corners, rest: of a `PairTable`, its corners and packs. x0, x: positions at the start and now [m], (n, 4).
    missed: by how much each contact missed its target before it was projected [m], (packs, 16). tolerance: [m]. places (1,
    16), lanes, starts (4 * 16,): scratch for the half-spaces."""

    corners: Array
    rest: Array
    x0: Array
    x: Array
    missed: Array
    tolerance: np.floating
    half_spaces: HalfSpaceTable
    places: Array
    lanes: Array
    starts: Array


@inline
def three(pack_values, column, lane):
    """Three columns of a contact, as a tuple."""
    at = column * LANES + lane
    return (pack_values[at], pack_values[at + LANES], pack_values[at + 2 * LANES])


@inline
def _moves_of_corners(corners, pack, x0, x, lanes):
    """Return the motion of the corners of a pack since the start, and their h^2/m, in lanes as of `gather`."""
    for number in range(4):
        for four in range(0, LANES, 4):
            at = number * LANES + four
            v0, v1, v2, v3 = corners[pack, at], corners[pack, at + 1], corners[pack, at + 2], corners[pack, at + 3]
            moves_to_lanes(x, x0, lanes, v0, v1, v2, v3, 4 * number * LANES + four)


@inline
def _displacement(pack_values, lanes, lane):
    """Relative displacement of a contact's two points since the start."""
    a, b, c = three(pack_values, PAIR.drift, lane)
    for q in range(4):
        w, (u, v, s) = pack_values[(PAIR.weight + q) * LANES + lane], corner(lanes, q, lane)
        a, b, c = a + w * u, b + w * v, c + w * s
    return a, b, c


@visit_of_pack(lambda _: (16,))
def project(pack, args, work):
    """Project the contacts of a pack."""
    lanes, pack_values, missed = work[0], args.rest[pack], args.missed[pack]
    _moves_of_corners(args.corners, pack, args.x0, args.x, lanes)
    for lane in range(LANES):
        d, n, old = (
            _displacement(pack_values, lanes, lane),
            three(pack_values, PAIR.normal, lane),
            three(pack_values, PAIR.tangential, lane),
        )
        mass, before = pack_values[PAIR.effective_mass * LANES + lane], pack_values[PAIR.multiplier * LANES + lane]
        gap = dot(n, d) + pack_values[PAIR.gap * LANES + lane]
        missed[lane] = -gap
        after = normal_force(before, gap, mass)
        t = friction_force(old, d, n, mass, pack_values[PAIR.friction * LANES + lane] * after)
        pack_values[PAIR.multiplier * LANES + lane] = after
        at = PAIR.tangential * LANES + lane
        pack_values[at], pack_values[at + LANES], pack_values[at + 2 * LANES] = t
        push = add_scaled(sub(t, old), after - before, n)
        for q in range(4):
            put(lanes, q, lane, scale(pack_values[(PAIR.weight + q) * LANES + lane] * weight(lanes, q, lane), push))
    scatter_moves(args.x, args.corners, pack, 4, lanes)


@inline
def displacement(table, pack, lane, x0, x):
    """As `_displacement`, of one contact."""
    corners, packs, _ = table
    a, b, c = three(packs[pack], PAIR.drift, lane)
    for q in range(4):
        w, i = packs[pack, (PAIR.weight + q) * LANES + lane], corners[pack, q * LANES + lane]
        a, b, c = a + w * (x[i, 0] - x0[i, 0]), b + w * (x[i, 1] - x0[i, 1]), c + w * (x[i, 2] - x0[i, 2])
    return a, b, c


@uncounted_kernel
def measure(table, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    corners, packs, _ = table
    pushing, deepest = 0, ZERO * x[0, 0]
    for pack in range(len(packs)):
        kept = packs[pack]
        for lane in range(LANES):
            if not kept[PAIR.multiplier * LANES + lane] > 0:
                continue
            pushing += 1
            along = dot(three(kept, PAIR.normal, lane), displacement(table, pack, lane, x0, x))
            deepest = max(deepest, kept[PAIR.shortfall * LANES + lane] - along - kept[PAIR.gap * LANES + lane])
            for q in range(4):
                if kept[(PAIR.weight + q) * LANES + lane] != 0:
                    touched[corners[pack, q * LANES + lane]] = True
    return pushing, deepest
