"""Contacts of pairs: frozen planes that push and do not pull, with Coulomb friction, projected one after the other.

A contact is gap(x) = n . sum a_c (x_c - x0_c) + gap0 >= 0 over the four corners of a pair, with the weights a, the
normal n and gap0 frozen. The multiplier of the normal is kept, as the share of h^2/m that the contact has moved its
corners by in this substep; a later projection may take some of it back, never more. Friction is kept likewise, at most
mu times the normal.
"""

from __future__ import annotations

import math

import numpy as np

from ...device import arrays
from ...device.cpu import f32
from ...device.simd.row_sums import moved, push
from ...device.threads import run
from ...device.uncounted import inline, uncounted_kernel
from ...mathlib.vec3 import dot
from ..broad_phase.candidates import CANDIDATE
from .half_spaces import target_distance
from .linear import LinearRows
from .restitution import stop_pairs
from .tables import PAIR, SELECTED, Array, PairTable
from .warm_start import WarmStart

ONE, ZERO, TINY = f32(1), f32(0), f32(1e-30)
#: Parts of the list of contacts that are swept in turns.
STREAMS = 8


class PairContacts:
    """The contacts of pairs in one substep. table: those in use, of arrays that are kept from substep to substep.
    settled: the first so many are of nothing that is pulled apart. warm_start: what these begin with."""

    def __init__(self, like: Array) -> None:
        """like: an array of the type and device of positions."""
        self._like, self.warm_start = like, WarmStart(like)
        self._make_room(1024)
        self.clear()

    def __len__(self) -> int:
        return len(self.table.rows)

    def clear(self) -> None:
        """Before a substep: no contact."""
        self.table, self.settled = PairTable(*(array[:0] for array in self._room)), 0

    def begin(
        self, chosen: Array, selected: Array, candidates, distance: Array, motion, friction: Array, allowance, pulled: Array
    ) -> None:
        """Starts the contacts of candidate pairs. pulled: particles beside an intersection contour, (count,) bool; the
        contacts of these come last. Other arguments: see `fill`."""
        count = len(chosen)
        if count > len(self._room.rows):
            self._make_room(count * 5 // 4)
        self.table = PairTable(*(array[:count] for array in self._room))
        run(fill, count, chosen, selected, candidates, distance, motion, friction, allowance, self.table)
        self.settled = count
        if arrays.any(pulled):
            last = pulled[self.table.corners].any(1)
            self.table = PairTable(*(array[arrays.stable_order(last)] for array in self.table))
            self.settled -= arrays.count(last)

    def sweep(self, x0: Array, x: Array) -> None:
        """Projects all contacts. Written: x (n, 4) [m]."""
        if len(self):
            sweep(self.table, x0, x)

    def sweep_settled(self, x0: Array, x: Array) -> None:
        """Projects the contacts of nothing that is pulled apart. Written: x (n, 4) [m]."""
        sweep(self._settled(), x0, x)

    def largest_miss(self, x0: Array, x: Array) -> float:
        """The largest distance by which a contact of nothing that is pulled apart misses its target [m]."""
        return largest_miss(self._settled(), x0, x)

    def measure(self, x0: Array, x: Array, touched: Array) -> tuple[int, float]:
        """Contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
        return measure(self.table, x0, x, touched) if len(self) else (0, 0.0)

    def stop_separation(self, x0: Array, predicted: Array, inverse_h, v: Array) -> None:
        """Restitution zero, see `restitution`. Written: v (n, 3) [m/s]."""
        if len(self):
            stop_pairs(self.table, x0, predicted, inverse_h, v)

    def joined(self) -> tuple[Array, Array]:
        """See `LinearContacts`: the corners that forces move."""
        return self.table.corners, self.table.rows[:, PAIR.weight : PAIR.weight + 4]

    def corners(self) -> Array:
        """The vertices that contacts may push, any number of times, (k,)."""
        return self.table.corners.ravel()

    def reweigh(self, x0: Array) -> None:
        """Sets the effective masses anew. x0: h^2/m in the last column, (count, 4)."""
        rows, (corners, weights) = self.table.rows, self.joined()
        spread = (weights**2 * x0[corners, 3]).sum(1)
        moves = rows[:, PAIR.effective_mass] > 0
        rows[moves, PAIR.effective_mass] = 1 / spread[moves]

    def without_force(self) -> Array:
        """See `LinearContacts`."""
        return self.table.rows[:, PAIR.multiplier] == 0

    def forces(self, which: Array) -> Array:
        """What contacts `which` push with now: along the normal and, three numbers, across it [N], (k, 4) float64."""
        return arrays.as_type(self.table.rows[which, PAIR.multiplier : PAIR.multiplier + 4], "float64")

    def rows(self, which: Array) -> LinearRows:
        """See `LinearContacts`. The motion of corners that no force moves is in the gap."""
        r = arrays.as_type(self.table.rows[which], "float64")
        normal, drift = (r[:, first : first + 3] for first in (PAIR.normal, PAIR.drift))
        return LinearRows(normal, r[:, PAIR.gap] + (normal * drift).sum(1), -drift, r[:, PAIR.friction])

    def warm_start_forces(self, which: Array) -> Array:
        """See `LinearContacts`."""
        forces = self.warm_start.forces_of_pairs(self.table.keys[which])
        forces[which >= self.settled] = 0
        return forces

    def set_forces(self, which: Array, forces: Array) -> None:
        """See `LinearContacts`."""
        self.table.rows[which, PAIR.multiplier : PAIR.multiplier + 4] = forces

    def _settled(self) -> PairTable:
        return PairTable(*(array[: self.settled] for array in self.table))

    def _make_room(self, count: int) -> None:
        like = self._like
        self._room = PairTable(
            arrays.empty((count, 4), "int32", like),
            arrays.empty((count, PAIR.width), like.dtype, like),
            arrays.empty(count, "int64", like),
        )


@uncounted_kernel
def fill(begin, finish, chosen, selected, candidates, distance, motion, friction, allowance, table):
    """Starts the contacts begin..finish, with no force yet.

    chosen: candidate pair of each contact, (k,). selected: (k, SELECTED.width). distance: of the candidates at
    the start [m]. allowance: way that penetration recovery may go in this substep [m]. Written: table.
    """
    corners, rows, keys = table
    for c in range(begin, finish):
        p, row = chosen[c], interleaved(c, len(corners))
        thick, d0 = candidates.values[p, CANDIDATE.thickness], distance[p]
        is_edge = np.int64(p >= candidates.split)
        keys[row] = (is_edge << 62) | (np.int64(candidates.ids[p, 0]) << 31) | np.int64(candidates.ids[p, 1])
        _start(p, selected[c], candidates.corners, thick, d0, motion, friction, allowance, corners[row], rows[row])


@inline
def interleaved(number, count):
    """Row of one of `count` contacts: `STREAMS` parts of the list take turns.

    Contacts that follow each other in the list share vertices; each would wait for the one before it.
    """
    size = (count + STREAMS - 1) // STREAMS
    at = number % size
    return at * (count // size) + min(at, count % size) + number // size


@inline
def _start(p, selected, pair_corners, thick, d0, motion, friction, allowance, corner, r):
    x0, x1 = motion.x0, motion.x1
    spread, base = ZERO * thick, pair_corners[p, 0]
    for c in range(4):
        i = pair_corners[p, c]
        if x0[i, 3] > 0:
            spread += selected[SELECTED.weight + c] * selected[SELECTED.weight + c] * x0[i, 3]
            base = i
    inverse = ONE / selected[SELECTED.distance]
    for axis in range(3):
        r[PAIR.normal + axis] = selected[SELECTED.vector + axis] * inverse
        r[PAIR.drift + axis], r[PAIR.tangential + axis] = ZERO, ZERO
    first = pair_corners[p, 0]
    for c in range(4):
        i, w = pair_corners[p, c], selected[SELECTED.weight + c]
        free = x0[i, 3] > 0
        corner[c] = i if free else base
        r[PAIR.weight + c] = w if free else ZERO
        if not free:
            for axis in range(3):
                r[PAIR.drift + axis] += w * (x1[i, axis] - x0[i, axis])
    gap = selected[SELECTED.distance]
    if selected[SELECTED.time] > ZERO:  # the plane is of later; the gap is that of the start
        gap = ZERO * gap
        for c in range(4):
            for axis in range(3):
                at = x0[pair_corners[p, c], axis] - x0[first, axis]
                gap += r[PAIR.normal + axis] * selected[SELECTED.weight + c] * at
    thick *= selected[SELECTED.thickness_share]
    target = target_distance(thick, d0, allowance)
    r[PAIR.gap], r[PAIR.shortfall], r[PAIR.multiplier] = gap - target, thick - target, ZERO
    # A contact whose free corners have no weight moves nothing.
    r[PAIR.effective_mass] = ONE / spread if spread > 1e-30 else ZERO * spread
    r[PAIR.friction] = math.sqrt(friction[first] * friction[pair_corners[p, 2]])


@inline
def displacement(c, corners, r, x0, x):
    """Relative displacement of a contact's two points since the start."""
    d = moved(
        x, x0, corners[c, 0], corners[c, 1], corners[c, 2], corners[c, 3],
        r[PAIR.weight], r[PAIR.weight + 1], r[PAIR.weight + 2], r[PAIR.weight + 3],
    )  # fmt: skip
    return r[PAIR.drift] + d[0], r[PAIR.drift + 1] + d[1], r[PAIR.drift + 2] + d[2]


@uncounted_kernel
def sweep(table, x0, x):
    """Projects all contacts in order. Written: the rows of the table, x."""
    corners, rows, _ = table
    for c in range(len(rows)):
        r = rows[c]
        d = displacement(c, corners, r, x0, x)
        n = (r[PAIR.normal], r[PAIR.normal + 1], r[PAIR.normal + 2])
        along = dot(n, d)
        gap, before = along + r[PAIR.gap], r[PAIR.multiplier]
        if gap >= 0 and before == 0:
            continue
        inverse = r[PAIR.effective_mass]
        after = max(ZERO, before - gap * inverse)
        more = after - before
        tx = r[PAIR.tangential] - (d[0] - along * n[0]) * inverse
        ty = r[PAIR.tangential + 1] - (d[1] - along * n[1]) * inverse
        tz = r[PAIR.tangential + 2] - (d[2] - along * n[2]) * inverse
        most, square = r[PAIR.friction] * after, tx * tx + ty * ty + tz * tz
        # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
        share = min(ONE, most / math.sqrt(max(square, TINY)))
        tx, ty, tz = share * tx, share * ty, share * tz
        mx = more * n[0] + tx - r[PAIR.tangential]
        my = more * n[1] + ty - r[PAIR.tangential + 1]
        mz = more * n[2] + tz - r[PAIR.tangential + 2]
        r[PAIR.multiplier], r[PAIR.tangential], r[PAIR.tangential + 1], r[PAIR.tangential + 2] = after, tx, ty, tz
        for q in range(4):
            push(x, corners[c, q], r[PAIR.weight + q], mx, my, mz)


@uncounted_kernel
def measure(table, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    corners, rows, _ = table
    pushing, deepest = 0, ZERO * x[0, 0]
    for c in range(len(rows)):
        r = rows[c]
        if r[PAIR.multiplier] > 0:
            pushing += 1
            n = (r[PAIR.normal], r[PAIR.normal + 1], r[PAIR.normal + 2])
            deepest = max(deepest, r[PAIR.shortfall] - dot(n, displacement(c, corners, r, x0, x)) - r[PAIR.gap])
            for q in range(4):
                if r[PAIR.weight + q] != 0:
                    touched[corners[c, q]] = True
    return pushing, deepest


@uncounted_kernel
def largest_miss(table, x0, x):
    """The largest distance by which a contact misses its target [m]."""
    corners, rows, _ = table
    most = ZERO * x[0, 0]
    for c in range(len(rows)):
        r = rows[c]
        n = (r[PAIR.normal], r[PAIR.normal + 1], r[PAIR.normal + 2])
        most = max(most, -dot(n, displacement(c, corners, r, x0, x)) - r[PAIR.gap])
    return most
