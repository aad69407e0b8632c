"""What moving surfaces push each other with lasts: a contact begins with most of the force that it had before.

Without, each substep would find anew what a fold or a pile carries: what solves a sheet as a whole, before the contacts are
swept, would draw its layers through each other each time, and the sweeps push them back against its strength. Stretch of 5
to 25 % at single edges stayed in crushed pleats. A force that is no longer needed is taken back by the first sweep.

Contacts with what no force moves are part of the sheet's own system (`methods/contact_planes.py`) and begin with none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...device.inner import inner, loop
from ...device.simd.row_sums import push
from .pairs import LAMBDA, MU, NORMAL, TANGENT, WEIGHT

#: Share of a force that lasts. With all of it layers do not come to rest (20 mm/s in a fold, 90 in a drape), since what
#: pushed too much for a substep throws them; with half, twice as much stretch stays in a fold.
SHARE = 0.8
#: Numbers of a force: along the normal, and of friction (3) [N].
FORCE = 4


class Lasting:
    """keys: of pairs that pushed in the last substep, ascending, (k,) int64. forces: what lasts of them, (k, FORCE) [N]."""

    def __init__(self, dtype: np.dtype) -> None:
        self.keys, self.forces = np.zeros(0, np.int64), np.zeros((0, FORCE), dtype)
        self._now, self._order, self._begun = self.keys, np.zeros(0, np.int64), self.forces

    @property
    def memory(self) -> dict[str, np.ndarray]:
        return {"pair_keys": self.keys, "pair_forces": self.forces}

    def recall(self, memory: Mapping[str, np.ndarray]) -> None:
        self.keys, self.forces = memory["pair_keys"].copy(), memory["pair_forces"].astype(self.forces.dtype)

    def begin(self, keys: np.ndarray, corners: np.ndarray, rows: np.ndarray, x: np.ndarray, lasts: bool) -> None:
        """Gives contacts the forces of the same pairs, and moves x, (n, 4) [m], by them; only if `lasts`.

        keys (k,), corners (k, 4), rows (k, columns): see `contacts.fill`. Written: rows, x.
        """
        self._now, self._order = keys, np.argsort(keys)
        if lasts:
            begin(self._order, keys, self.keys, self.forces, corners, rows, x)
        self._begun = rows[:, LAMBDA : LAMBDA + FORCE].copy()

    def since(self, corners: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
        """What moving surfaces push with beyond what they began with, on each vertex, (n, 3) [N]."""
        total = np.zeros((n, 3))
        add_since(corners, rows, self._begun, total)
        return total

    def end(self, rows: np.ndarray) -> None:
        """Remembers what the contacts of `begin` have pushed with."""
        order = self._order[rows[self._order, LAMBDA] > 0]
        self.keys, self.forces = self._now[order], self.forces.dtype.type(SHARE) * rows[order, LAMBDA : LAMBDA + FORCE]


@inner
def both_move(r):
    """Do forces move corners of both elements of a contact?"""
    ahead, behind = False, False
    for q in range(4):
        ahead |= r[WEIGHT + q] > 0
        behind |= r[WEIGHT + q] < 0
    return ahead and behind


@loop
def begin(order, keys, past, forces, corners, rows, x):
    """See `Lasting.begin`. order: of the keys. past: keys of the forces, ascending."""
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
        along = r[NORMAL] * force[1] + r[NORMAL + 1] * force[2] + r[NORMAL + 2] * force[3]
        tx = force[1] - along * r[NORMAL]
        ty = force[2] - along * r[NORMAL + 1]
        tz = force[3] - along * r[NORMAL + 2]
        most, square = r[MU] * force[0], tx * tx + ty * ty + tz * tz
        if square > most * most:
            share = most / square**0.5
            tx, ty, tz = share * tx, share * ty, share * tz
        r[LAMBDA], r[TANGENT], r[TANGENT + 1], r[TANGENT + 2] = force[0], tx, ty, tz
        mx = force[0] * r[NORMAL] + tx
        my = force[0] * r[NORMAL + 1] + ty
        mz = force[0] * r[NORMAL + 2] + tz
        for q in range(4):
            push(x, corners[c, q], r[WEIGHT + q], mx, my, mz)


@loop
def add_since(corners, rows, begun, total):
    """See `Lasting.since`. begun: (k, FORCE) [N]. Written: total."""
    for c in range(len(rows)):
        r = rows[c]
        if not both_move(r):
            continue
        for i in range(3):
            force = (r[LAMBDA] - begun[c, 0]) * r[NORMAL + i] + r[TANGENT + i] - begun[c, 1 + i]
            for q in range(4):
                total[corners[c, q], i] += r[WEIGHT + q] * force
