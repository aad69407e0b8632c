"""Packs of elements dealt out to parts, which add their forces to rows of their own.

So parts may be evaluated at once, and the sums are the same for any number of threads. Packs that stand one after the other
should act on rows that are near each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..device.cpu import kernel
from ..device.threads import run

Array = np.ndarray

#: Packs of a part, as long as that makes no more than so many parts.
PACKS, PARTS = 64, 16


@dataclass(frozen=True)
class Part:
    """Packs first to last, of the given group, which act on `count` rows of the matrix from `row` on. own: rows of their
    forces among those of all parts."""

    first: int
    last: int
    group: int
    row: int
    count: int
    own: slice


class Parts:
    """parts: of each group of packs in turn. local: (packs, corners * 16), the index of each part's own rows. forces: (rows
    of all parts, 4) [N]."""

    def __init__(self, index: Array, groups: list[int], n: int):
        """index: rows of the matrix of each pack's corners, (packs, corners * 16); from n on those of padding, which have
        rows of their own in each part. groups: number of packs of each."""
        self.parts: list[Part] = []
        self.local, sums, begin = np.empty_like(index), 0, 0
        for group, packs in enumerate(groups):
            count = min(PARTS, -(-packs // PACKS))
            for first, last in pairwise(begin + k * packs // count for k in range(count + 1 if count else 0)):
                rows = index[first:last]
                within = rows[rows < n]
                row, end = int(within.min()), int(within.max()) + 1
                self.local[first:last] = np.where(rows < n, rows - row, rows - n + end - row)
                size = int(self.local[first:last].max()) + 1
                self.parts.append(Part(first, last, group, row, end - row, slice(sums, sums + size)))
                sums += size
            begin += packs
        self.forces = np.zeros((sums, 4))
        self._rows = np.array([(part.row, part.count, part.own.start) for part in self.parts], np.int64).reshape(-1, 3)

    def __len__(self) -> int:
        return len(self.parts)

    def clear(self, k: int) -> tuple[Part, Array]:
        """Part k, and its forces, zero."""
        forces = self.forces[self.parts[k].own]
        forces[:] = 0.0
        return self.parts[k], forces

    def subtract(self, force: Array) -> None:
        """force, (n, 3), loses the parts' forces."""
        run(subtract_forces, len(force), self._rows, self.forces, force)


@kernel
def subtract_forces(first, last, parts, forces, force):
    """force, (n, 3), loses the forces of the parts, one after the other, in the rows first to last. parts: first row of
    each, how many rows, and where its forces begin."""
    for k in range(len(parts)):
        row = parts[k, 0]
        shift = parts[k, 2] - row
        for v in range(max(first, row), min(last, row + parts[k, 1])):
            for i in range(3):
                force[v, i] -= forces[v + shift, i]
