"""Packs of elements dealt out to parts, which may be evaluated at once, with the same sums for any number of threads.

Where they add to what all share, as the blocks of a matrix, parts of one colour act on rows that no other of them acts on,
and colours follow one another. Forces are added up in a few slots, each of packs that stand one after the other, and then
row by row: one round in place of one a colour. Packs that stand one after the other should act on rows that are near each
other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from ..device.cpu import kernel
from ..device.threads import each, run

Array = np.ndarray

#: Packs of a part, as long as that makes no more than so many parts.
PACKS, PARTS = 64, 32
#: Sums of forces at most.
SLOTS = 4


@dataclass(frozen=True)
class Part:
    """Packs first to last, of the given group."""

    first: int
    last: int
    group: int


class Parts:
    """parts: of each group of packs in turn. forces: of each slot on the rows, then on padding, (slots, rows, 4) [N]."""

    def __init__(self, index: Array, groups: list[int], n: int):
        """index: rows of the matrix of each pack's corners, (packs, corners * 16); from n on those of padding, whose forces
        mean nothing. groups: number of packs of each."""
        self.parts: list[Part] = []
        ranges, begin = [], 0
        for group, packs in enumerate(groups):
            count = min(PARTS, -(-packs // PACKS))
            for first, last in pairwise(begin + k * packs // count for k in range(count + 1 if count else 0)):
                rows = index[first:last]
                within = rows[rows < n]
                self.parts.append(Part(first, last, group))
                ranges.append((int(within.min()), int(within.max()) + 1))
            begin += packs
        self._colours = colours_of(ranges)
        slots = max(1, min(SLOTS, len(self.parts)))
        cuts = [k * len(self.parts) // slots for k in range(slots + 1)]
        self._packs = [(self.parts[a].first, self.parts[b - 1].last) for a, b in pairwise(cuts) if a < b]
        self._rows = np.array([_hull(ranges[a:b]) for a, b in pairwise(cuts)])
        self.forces = np.zeros((slots, int(index.max(initial=n - 1)) + 1, 4))

    def each(self, elements: int, task: Callable[[int, Part], None]) -> None:
        """Calls task(number, part) for all parts, colour by colour; of many elements the parts of a colour at once."""

        def one(own: list[int], k: int) -> None:
            task(own[k], self.parts[own[k]])

        for own in self._colours:
            each(len(own), elements, partial(one, own))

    def evaluate(self, elements: int, evaluate: Callable[[int, int, Array], None]) -> None:
        """Calls evaluate(first pack, last pack, forces) for all slots, which adds to their forces; of many elements slots at
        once."""

        def one(k: int) -> None:
            first, last = self._rows[k]
            self.forces[k, first:last] = 0.0
            evaluate(*self._packs[k], self.forces[k])

        each(len(self._packs), elements, one)

    def subtract(self, force: Array) -> None:
        """force, (n, 3), loses the forces; the last rows may be no element's."""
        run(subtract_forces, min(len(force), self.forces.shape[1]), self.forces, self._rows, force)


def _hull(ranges: list[tuple[int, int]]) -> tuple[int, int]:
    """The first row of some ranges and the one after the last."""
    return min((first for first, _ in ranges), default=0), max((last for _, last in ranges), default=0)


def colours_of(ranges: list[tuple[int, int]]) -> list[list[int]]:
    """Numbers of the ranges of rows, first and last, of each colour: two of a colour do not overlap."""
    colours: list[list[int]] = []
    ends: list[int] = []
    for number in sorted(range(len(ranges)), key=lambda k: ranges[k]):
        first, last = ranges[number]
        colour = next((c for c, end in enumerate(ends) if end <= first), len(ends))
        if colour == len(ends):
            colours.append([])
            ends.append(0)
        colours[colour].append(number)
        ends[colour] = last
    return colours


@kernel
def subtract_forces(first, last, forces, rows, force):
    """force, (n, 3), loses the forces of each slot, (slots, rows, 4), in the rows first to last. rows: of each slot, (slots,
    2)."""
    for slot in range(len(rows)):
        for v in range(max(first, rows[slot, 0]), min(last, rows[slot, 1])):
            for i in range(3):
                force[v, i] -= forces[slot, v, i]
