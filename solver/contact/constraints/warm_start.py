"""Warm start of contact forces: a contact of two movable surfaces begins with most of its last force.

Without it, each substep computes the forces in a fold or a pile from zero: the global step, before the sweeps of contacts,
moves layers through each other, and the sweeps push them back against its stiffness. Single edges of crushed pleats then
stay stretched (docs/notes/contact.md). The first sweep removes an obsolete force.

Contacts with immovable objects are part of the global step's system, which begins with their forces (`linear`); the sweeps
do not. Contacts at intersection contours are not warm-started either; they would oppose separation.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...device.cpu import LANES, f32
from ...device.simd.row_sums import push
from ...device.uncounted import inline, uncounted_kernel
from ...steering import WARM_START_SHARE
from .tables import FORCE, PAIR, Array, PairTable, by_contact

ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)


class WarmStart:
    """keys: of pairs that pushed in the last substep, ascending, (k,) int64. forces: of these [N], (k, FORCE.width)."""

    def __init__(self, dtype: np.dtype) -> None:
        """dtype: type of positions."""
        self.keys, self.forces = np.zeros(0, "int64"), np.zeros((0, FORCE.width), dtype)
        self._table: PairTable | None = None
        self._order, self._begun = self.keys, self.forces

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        return {"pair_keys": self.keys, "pair_forces": self.forces}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`, of any number of pairs."""
        self.keys = state["pair_keys"].copy()
        self.forces = state["pair_forces"].astype(self.forces.dtype, copy=False).copy()

    def take(self, keys: Array, forces: Array) -> None:
        """Take over the forces of another device."""
        self.keys, self.forces = keys, forces

    def begin(self, table: PairTable, x: Array, settled: int) -> None:
        """Give the contacts of the first `settled` places the forces of the same pairs, and move x, (n, 4) [m], by them.

        Written: the packs of the table, x.
        """
        self._table, self._order = table, np.argsort(table.keys)
        if len(self.keys):
            past = np.full(settled, -1, "int64")
            find(self._order[self._order < settled], self.keys, table.keys, past)
            apply(past, self.forces.dtype.type(WARM_START_SHARE) * self.forces, table, x)
        self._begun = _forces(table).copy()

    def forget(self) -> None:
        """Forget the forces, in place of `begin` where there is no contact."""
        self.keys, self.forces, self._table = self.keys[:0], self.forces[:0], None

    def forces_of_pairs(self, keys: Array) -> Array:
        """Return the forces of pairs in the last substep [N], (k, FORCE.width) float64; 0 for those that did not push.
        keys: (k,)."""
        return forces_of(self.keys, self.forces, keys)

    def forces_since(self, n: int) -> Array:
        """Return the forces of moving surfaces beyond their start values, on each vertex, (n, 3) [N]."""
        total = np.zeros((n, 3), "float64")
        if self._table is not None:
            add_forces(self._table, self._begun, total)
        return total

    def count_as_answered(self) -> None:
        """Set the reference of `forces_since` to the present forces."""
        if self._table is not None:
            self._begun = _forces(self._table).copy()

    def end(self, x0: Array, x1: Array, tolerance: float, held: Array | None = None) -> None:
        """Store the forces of the contacts of `begin`, except those of clamped particles, `held`, (count,) bool: these have
        not reached their positions, and their full force at once would eject them.

        x0, x1: positions of all particles before and now [m], (count, 4). Contacts with immovable objects that miss their
        target by more than a tolerance [m], because others oppose them, keep a smaller share: their forces would grow
        without bound.
        """
        if self._table is None:
            return
        dtype, places = self.forces.dtype, len(self._order)
        keys, forces = np.empty(places, np.int64), np.empty((places, FORCE.width), dtype)
        is_held = np.zeros(0, bool) if held is None else held
        count = keep(self._table, self._order, is_held, x0, x1, dtype.type(tolerance), keys, forces)
        self.keys, self.forces = keys[:count], forces[:count]


def without_forces(state: Mapping[str, Array]) -> dict[str, Array]:
    """Return a state of contact whose pairs have other names from now on."""
    return {**state, "pair_keys": state["pair_keys"][:0], "pair_forces": state["pair_forces"][:0]}


def forces_of(known: Array, forces: Array, keys: Array) -> Array:
    """Forces [N], (c, ...), by key: (k, ...) float64, 0 for unknown keys. known: of the forces, ascending, (c,)."""
    force_of_keys = np.zeros((len(keys), *forces.shape[1:]), "float64")
    if len(known):
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        there = known[at] == keys
        force_of_keys[there] = forces[at[there]]
    return force_of_keys


def _forces(table: PairTable) -> Array:
    """The forces of contacts, (places, FORCE.width) [N]: a copy of their columns from the multiplier on."""
    first = PAIR.multiplier
    return by_contact(table.packs)[:, :, first : first + FORCE.width].reshape(-1, FORCE.width)


@inline
def both_move(pack_values, lane):
    """Do forces move corners of both elements of a contact?"""
    ahead, behind = False, False
    for q in range(4):
        ahead |= pack_values[(PAIR.weight + q) * LANES + lane] > 0
        behind |= pack_values[(PAIR.weight + q) * LANES + lane] < 0
    return ahead and behind


@inline
def _three(pack_values, column, lane):
    at = column * LANES + lane
    return (pack_values[at], pack_values[at + LANES], pack_values[at + 2 * LANES])


@inline
def _set_forces(pack_values, lane, along, across):
    at = PAIR.multiplier * LANES + lane
    pack_values[at], pack_values[at + LANES], pack_values[at + 2 * LANES], pack_values[at + 3 * LANES] = (
        along,
        across[0],
        across[1],
        across[2],
    )


@inline
def _push_corners(corners, pack_values, lane, move, x):
    """Move the corners of a contact by its weights times `move`. Written: x."""
    for q in range(4):
        push(x, corners[q * LANES + lane], pack_values[(PAIR.weight + q) * LANES + lane], move[0], move[1], move[2])


@uncounted_kernel
def find(order, past, keys, past_rows):
    """Find the place of each key in the past keys, ascending. order: of the keys, ascending. Written: past_rows, where
    there is one."""
    k = 0
    for c in order:
        while k < len(past) and past[k] < keys[c]:
            k += 1
        if k == len(past):
            return
        if past[k] == keys[c]:
            past_rows[c] = k


@uncounted_kernel
def apply(past_rows, forces, table, x):
    """See `WarmStart.begin`. past_rows: which of the forces each place begins with, -1 for none, (settled,)."""
    for place in range(len(past_rows)):
        corners, pack_values, lane = table.corners[place // LANES], table.packs[place // LANES], place % LANES
        if past_rows[place] < 0 or not both_move(pack_values, lane):
            continue
        force, n = forces[past_rows[place]], _three(pack_values, PAIR.normal, lane)
        along = n[0] * force[1] + n[1] * force[2] + n[2] * force[3]
        tx, ty, tz = force[1] - along * n[0], force[2] - along * n[1], force[3] - along * n[2]
        most, square = pack_values[PAIR.friction * LANES + lane] * force[0], tx * tx + ty * ty + tz * tz
        if square > most * most:
            share = most / square**0.5
            tx, ty, tz = share * tx, share * ty, share * tz
        _set_forces(pack_values, lane, force[0], (tx, ty, tz))
        move = (force[0] * n[0] + tx, force[0] * n[1] + ty, force[0] * n[2] + tz)
        _push_corners(corners, pack_values, lane, move, x)


@uncounted_kernel
def keep(table, order, held, x0, x1, tolerance, keys, forces):
    """Keep the forces of contacts that push, see `WarmStart.end`; return how many do.

    order: places by their keys, ascending. held: (count,) bool, or empty for none. Written: keys (places,), forces (places,
    FORCE.width) [N].
    """
    count = 0
    for place in order:
        corners, pack_values, lane = table.corners[place // LANES], table.packs[place // LANES], place % LANES
        if not pack_values[PAIR.multiplier * LANES + lane] > 0:
            continue
        n, drift = _three(pack_values, PAIR.normal, lane), _three(pack_values, PAIR.drift, lane)
        gap = pack_values[PAIR.gap * LANES + lane] + n[0] * drift[0] + n[1] * drift[1] + n[2] * drift[2]
        is_held = False
        for q in range(4):
            i, w = corners[q * LANES + lane], pack_values[(PAIR.weight + q) * LANES + lane]
            is_held |= w != 0 and len(held) > 0 and held[i]
            for k in range(3):
                gap += w * n[k] * (x1[i, k] - x0[i, k])
        if is_held:
            continue
        share = WARM_START_SHARE if gap < -tolerance and not both_move(pack_values, lane) else 1.0
        keys[count] = table.keys[place]
        for k in range(FORCE.width):
            forces[count, k] = share * pack_values[(PAIR.multiplier + k) * LANES + lane]
        count += 1
    return count


@uncounted_kernel
def add_forces(table, begun, total):
    """See `WarmStart.forces_since`. begun: (places, FORCE.width) [N]. Written: total."""
    for place in range(len(begun)):
        corners, pack_values, lane = table.corners[place // LANES], table.packs[place // LANES], place % LANES
        if not both_move(pack_values, lane):
            continue
        more = pack_values[PAIR.multiplier * LANES + lane] - begun[place, 0]
        n, across = _three(pack_values, PAIR.normal, lane), _three(pack_values, PAIR.tangential, lane)
        for i in range(3):
            force = more * n[i] + across[i] - begun[place, 1 + i]
            for q in range(4):
                total[corners[q * LANES + lane], i] += pack_values[(PAIR.weight + q) * LANES + lane] * force
