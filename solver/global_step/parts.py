"""Packs of elements dealt out to parts, which may be evaluated at once, with the same sums for any number of threads.

Where they add to what all share, as the blocks of a matrix, parts of one colour act on rows that no other of them acts on,
and colours follow one another. Forces are added up in a few slots, each of packs that stand one after the other, and then
row by row: one round in place of one a colour. Packs that stand one after the other should act on rows that are near each
other.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..device.compiled_function import Others, RowKernel
from ..device.row_kernels import uncounted_row_kernel
from ..device.threads import run, run_ranges
from ..device.uncounted import inline

Array = np.ndarray

#: Packs of a part, as long as that makes no more than so many parts.
PACKS, PARTS = 16, 32
#: Sums of forces at most.
SLOTS = 4


class Parts:
    """begins, ranges: of the parts, colour by colour, as `threads.run_ranges` takes them. slots: first and last pack, first
    and last row of each slot, (slots, 4). forces: of each slot on the rows, then on padding, (slots, rows, 4) [N]."""

    def __init__(self, index: Array, groups: list[int], n: int):
        """index: rows of the matrix of each pack's corners, (packs, corners * 16); from n on those of padding, whose forces
        mean nothing. groups: number of packs of each, of which parts have one only."""
        parts, rows, hulls, begin = [], [], [], 0
        for packs in groups:
            count = min(PARTS, -(-packs // PACKS))
            for first, last in pairwise(begin + k * packs // count for k in range(count + 1 if count else 0)):
                corners = index[first:last]
                within = corners[corners < n]
                parts.append((first, last))
                rows.append(within)
                hulls.append((int(within.min()), int(within.max()) + 1))
            begin += packs
        colours = colours_of(rows, n)
        self.begins = np.cumsum([0, *map(len, colours)])
        self.ranges = np.array([parts[k] for colour in colours for k in colour], np.int64).reshape(-1, 2)
        slots = max(1, min(SLOTS, len(parts)))
        cuts = [k * len(parts) // slots for k in range(slots + 1)]
        rows_of_slots = [(parts[a][0], parts[b - 1][1], *_hull(hulls[a:b])) for a, b in pairwise(cuts) if a < b]
        self.slots = np.array(rows_of_slots, np.int64).reshape(-1, 4)
        self._all_slots, self._packs = np.array([0, len(rows_of_slots)]), np.ascontiguousarray(self.slots[:, :2])
        self.forces = np.zeros((slots, int(index.max(initial=n - 1)) + 1, 4))

    def each(self, kernel: RowKernel[*Others], elements: int, *arguments: *Others) -> None:
        """kernel(first pack, last pack, *arguments) of all parts, colour by colour; of many elements the parts of a colour
        at once."""
        run_ranges(kernel, elements, self.begins, self.ranges, *arguments)

    def evaluate(self, kernel: RowKernel[*Others, Array, Array], elements: int, *arguments: *Others) -> None:
        """kernel(first pack, last pack, *arguments, slots, forces) of all slots; of many elements slots at once. It begins
        with `begin_slot`, and adds to the forces of that slot."""
        run_ranges(kernel, elements, self._all_slots, self._packs, *arguments, self.slots, self.forces)

    def subtract(self, force: Array) -> None:
        """force, (n, 3), loses the forces; the last rows may be no element's."""
        run(subtract_forces, min(len(force), self.forces.shape[1]), self.forces, self.slots, force)


def _hull(ranges: list[tuple[int, int]]) -> tuple[int, int]:
    """The first row of some ranges and the one after the last."""
    return min((first for first, _ in ranges), default=0), max((last for _, last in ranges), default=0)


def colours_of(rows: list[Array], n: int) -> list[list[int]]:
    """Numbers of the parts of each colour: two of a colour act on no row of n in common. rows: that each part acts on."""
    colours: list[list[int]] = []
    taken: list[Array] = []
    for number, mine in enumerate(rows):
        colour = next((c for c, of_colour in enumerate(taken) if not of_colour[mine].any()), len(taken))
        if colour == len(taken):
            colours.append([])
            taken.append(np.zeros(n, bool))
        colours[colour].append(number)
        taken[colour][mine] = True
    return colours


@inline
def begin_slot(first, slots, forces):
    """The slot of which a pack is the first; its forces become zero."""
    slot = 0
    while slots[slot, 0] != first:
        slot += 1
    for v in range(slots[slot, 2], slots[slot, 3]):
        for i in range(4):
            forces[slot, v, i] = 0.0
    return slot


@uncounted_row_kernel
def subtract_forces(first, last, forces, slots, force):
    """force, (n, 3), loses the forces of each slot, (slots, rows, 4), in the rows first to last. slots: see `Parts`."""
    for slot in range(len(slots)):
        for v in range(max(first, slots[slot, 2]), min(last, slots[slot, 3])):
            for i in range(3):
                force[v, i] -= forces[slot, v, i]
