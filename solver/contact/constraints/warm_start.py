"""Warm start of contact forces: a contact of surfaces that both move begins with most of the force that it had before.

Without, each substep finds anew what a fold or a pile carries: what solves a sheet as a whole, before the contacts are
swept, draws its layers through each other each time, and the sweeps push them back against its strength; stretch of 5
to 25 % at single edges stays in crushed pleats. A force that is no longer needed is taken back by the first sweep.

Contacts with what no force moves are part of the global step's own system, which begins with their forces (`linear`); the
sweeps do not. Nor do contacts of what is pulled apart: it would be held as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...device import arrays
from ...device.cpu import f32
from ...device.simd.row_sums import push
from ...device.uncounted import inline, uncounted_kernel
from ..tolerances import WARM_START_SHARE
from .tables import FORCE, PAIR, Array, PairTable

ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)


class WarmStart:
    """keys: of pairs that pushed in the last substep, ascending, (k,) int64. forces: with what [N], (k, FORCE.width)."""

    def __init__(self, like: Array) -> None:
        """like: an array of the type and device of positions."""
        self.keys, self.forces = arrays.zeros(0, "int64", like), arrays.zeros((0, FORCE.width), like.dtype, like)
        self._table: PairTable | None = None
        self._order, self._begun = self.keys, self.forces

    def state(self) -> dict[str, Array]:
        """What the next substep needs, by name; a checkpoint keeps these arrays."""
        return {"pair_keys": self.keys, "pair_forces": self.forces}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Takes over a `state`, of any number of pairs."""
        self.keys = arrays.copy(state["pair_keys"])
        self.forces = arrays.copy(arrays.as_type(state["pair_forces"], self.forces.dtype))

    def begin(self, table: PairTable, x: Array, settled: int) -> None:
        """Gives the first `settled` contacts the forces of the same pairs, and moves x, (n, 4) [m], by them.

        Written: the rows of the table, x.
        """
        self._table, self._order = table, arrays.order_of_distinct(table.keys)
        warm = self._order[self._order < settled]
        apply(warm, self.keys, self.forces.dtype.type(WARM_START_SHARE) * self.forces, table, x)
        self._begun = arrays.copy(_forces(table))

    def forget(self) -> None:
        """In place of `begin` where there is no contact."""
        self.keys, self.forces, self._table = self.keys[:0], self.forces[:0], None

    def forces_of_pairs(self, keys: Array) -> Array:
        """What pairs pushed with in the last substep [N], (k,) float64; 0 for those that did not. keys: (k,)."""
        return forces_of(self.keys, self.forces[:, FORCE.normal], keys)

    def forces_since(self, n: int) -> Array:
        """What moving surfaces push with beyond what they began with, on each vertex, (n, 3) [N]."""
        total = arrays.zeros((n, 3), "float64", self._begun)
        if self._table is not None:
            add_forces(self._table, self._begun, total)
        return total

    def count_as_answered(self) -> None:
        """The forces of now are those that `forces_since` counts from."""
        if self._table is not None:
            self._begun = arrays.copy(_forces(self._table))

    def grow(self, owner: Array, factor: Array, x: Array) -> None:
        """Contacts push `factor` times as much beyond what was answered; x, (n, 4) [m], is moved by the rest.

        owner: body of each vertex. factor: of each body, from 1 on; of the two in a contact the larger one counts.
        Written: the rows of the table, x.
        """
        if self._table is not None:
            grow(self._table, self._begun, owner, factor, x)

    def joined_bodies(self, owner: Array) -> Array:
        """Bodies of the two sides of each contact between what forces move, (k, 2). owner: of each vertex."""
        if self._table is None:
            return arrays.zeros((0, 2), owner.dtype, owner)
        first = PAIR.weight
        weights, corners = self._table.rows[:, first : first + 4], self._table.corners
        both = arrays.indices_where((weights > 0).any(1) & (weights < 0).any(1))
        rows = arrays.arange(0, len(both), "int64", both)
        sides = [corners[both][rows, (sign * weights[both]).argmax(1)] for sign in (1, -1)]
        return arrays.stack([owner[side] for side in sides], 1)

    def end(self) -> None:
        """Remembers what the contacts of `begin` have pushed with."""
        if self._table is None:
            return
        forces = _forces(self._table)
        order = self._order[forces[self._order, FORCE.normal] > 0]
        self.keys, self.forces = self._table.keys[order], forces[order]


def forces_of(known: Array, forces: Array, keys: Array) -> Array:
    """Forces [N], (c,), by key: (k,) float64, 0 for keys that are not known. known: of the forces, ascending, (c,)."""
    found = arrays.zeros(len(keys), "float64", forces)
    if len(known):
        at = arrays.minimum(arrays.search_sorted(known, keys), len(known) - 1)
        there = known[at] == keys
        found[there] = forces[at[there]]
    return found


def _forces(table: PairTable) -> Array:
    """The forces of contacts, (k, FORCE.width) [N]: their columns from the multiplier on."""
    return table.rows[:, PAIR.multiplier : PAIR.multiplier + FORCE.width]


@inline
def both_move(r):
    """Do forces move corners of both elements of a contact?"""
    ahead, behind = False, False
    for q in range(4):
        ahead |= r[PAIR.weight + q] > 0
        behind |= r[PAIR.weight + q] < 0
    return ahead and behind


@uncounted_kernel
def apply(order, past, forces, table, x):
    """See `WarmStart.begin`. order: of the keys. past: keys of the forces, ascending."""
    corners, rows, keys = table
    k = 0
    for c in order:
        while k < len(past) and past[k] < keys[c]:
            k += 1
        if k == len(past):
            return
        if past[k] != keys[c]:
            continue
        r = rows[c]
        if not both_move(r):
            continue
        force = forces[k]
        along = r[PAIR.normal] * force[1] + r[PAIR.normal + 1] * force[2] + r[PAIR.normal + 2] * force[3]
        tx = force[1] - along * r[PAIR.normal]
        ty = force[2] - along * r[PAIR.normal + 1]
        tz = force[3] - along * r[PAIR.normal + 2]
        most, square = r[PAIR.friction] * force[0], tx * tx + ty * ty + tz * tz
        if square > most * most:
            share = most / square**0.5
            tx, ty, tz = share * tx, share * ty, share * tz
        r[PAIR.multiplier], r[PAIR.tangential], r[PAIR.tangential + 1], r[PAIR.tangential + 2] = force[0], tx, ty, tz
        mx = force[0] * r[PAIR.normal] + tx
        my = force[0] * r[PAIR.normal + 1] + ty
        mz = force[0] * r[PAIR.normal + 2] + tz
        for q in range(4):
            push(x, corners[c, q], r[PAIR.weight + q], mx, my, mz)


@uncounted_kernel
def add_forces(table, begun, total):
    """See `WarmStart.forces_since`. begun: (k, FORCE.width) [N]. Written: total."""
    corners, rows, _ = table
    for c in range(len(rows)):
        r = rows[c]
        if not both_move(r):
            continue
        for i in range(3):
            force = (r[PAIR.multiplier] - begun[c, 0]) * r[PAIR.normal + i] + r[PAIR.tangential + i] - begun[c, 1 + i]
            for q in range(4):
                total[corners[c, q], i] += r[PAIR.weight + q] * force


@uncounted_kernel
def grow(table, begun, owner, factor, x):
    """See `WarmStart.grow`. begun: (k, FORCE.width) [N]. Friction stays in its cone. Written: the rows of the table, x."""
    corners, rows, _ = table
    for c in range(len(rows)):
        r = rows[c]
        if not both_move(r):
            continue
        more = max(factor[owner[corners[c, 0]]], factor[owner[corners[c, 2]]]) - ONE
        if not more > 0:
            continue
        now = r[PAIR.multiplier]
        after = max(ZERO * now, now + more * (now - begun[c, 0]))
        tx = r[PAIR.tangential] + more * (r[PAIR.tangential] - begun[c, 1])
        ty = r[PAIR.tangential + 1] + more * (r[PAIR.tangential + 1] - begun[c, 2])
        tz = r[PAIR.tangential + 2] + more * (r[PAIR.tangential + 2] - begun[c, 3])
        most, square = r[PAIR.friction] * after, tx * tx + ty * ty + tz * tz
        share = ONE
        if square > most * most:
            share = most / square**HALF
        tx, ty, tz = share * tx, share * ty, share * tz
        mx = (after - now) * r[PAIR.normal] + tx - r[PAIR.tangential]
        my = (after - now) * r[PAIR.normal + 1] + ty - r[PAIR.tangential + 1]
        mz = (after - now) * r[PAIR.normal + 2] + tz - r[PAIR.tangential + 2]
        r[PAIR.multiplier], r[PAIR.tangential], r[PAIR.tangential + 1], r[PAIR.tangential + 2] = after, tx, ty, tz
        for q in range(4):
            push(x, corners[c, q], r[PAIR.weight + q], mx, my, mz)
