"""Packs of elements dealt out to parts: those of one colour act on rows that no other of them acts on.

So the parts of a colour may be evaluated at once, each adds straight to the rows that all share, and the sums are the same
for any number of threads. Packs that stand one after the other should act on rows that are near each other.
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


@dataclass(frozen=True)
class Part:
    """Packs first to last, of the given group."""

    first: int
    last: int
    group: int


class Parts:
    """parts: of each group of packs in turn. forces: of the rows, then of padding, (rows, 4) [N]."""

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
        self.forces = np.zeros((int(index.max(initial=n - 1)) + 1, 4))

    def each(self, elements: int, task: Callable[[int, Part], None]) -> None:
        """Calls task(number, part) for all parts, colour by colour; of many elements the parts of a colour at once."""

        def one(own: list[int], k: int) -> None:
            task(own[k], self.parts[own[k]])

        for own in self._colours:
            each(len(own), elements, partial(one, own))

    def subtract(self, force: Array) -> None:
        """force, (n, 3), loses the forces; the last rows may be no element's."""
        run(subtract_forces, min(len(force), len(self.forces)), self.forces, force)


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
def subtract_forces(first, last, forces, force):
    """force, (n, 3), loses the forces in the rows first to last."""
    for v in range(first, last):
        for i in range(3):
            force[v, i] -= forces[v, i]
