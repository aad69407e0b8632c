"""Finding the pairs that may touch within the next substeps: boxes first, then exact distances and bounds of motion."""

from __future__ import annotations

import numpy as np

from ...device.atomics import add_atomically
from ...device.counters import counters
from ...device.cpu import LANES
from ...device.row_kernels import row_kernel
from ...device.threads import CHUNK, run
from ...device.uncounted import inline, uncounted_kernel
from ..narrow_phase.distance_lanes import FOUND
from ..surfaces.surfaces import SurfaceTable
from .candidates import CANDIDATE, PairRows
from .descent import descend
from .pair_bounds import keep_near
from .pair_limit import PairLimit
from .query import ALL, BLOCK, BOUNDS, MET, OTHERS, WITHIN, Forecast, FoundTable, Query, SearchScratch
from .smooth_windows import WindowTable
from .tree import STACK, Tree

#: Start of loops. As a literal it is a type of its own, for which called functions compile once more.
NONE = np.int64(0)


class Search:
    """Searches trees of one world. room: pairs that there is memory for; grows to what the largest search has found, up to
    `limit`."""

    def __init__(self, surfaces: SurfaceTable, windows: WindowTable, limit: PairLimit) -> None:
        self.surfaces, self.windows, self.limit = surfaces, windows, limit
        self.room = 16 * BLOCK
        self._rows: PairRows | None = None

    def __call__(self, rule: int, vertex: bool, one: Tree, other: Tree, forecast: Forecast) -> list[PairRows]:
        """Pairs of the fresh elements of one tree with another's, see `Query`.

        Of points and triangles, either may be the ones that are searched for. Raises: ContactMemoryError if there are more
        than the limit.
        """
        if not len(other) or not one.any_fresh:
            return []
        others_fresh = rule != ALL and other.all_fresh
        if rule == OTHERS and others_fresh:
            return []
        query = Query(rule, vertex, vertex and one.table.items.shape[1] == 3, rule == WITHIN and others_fresh)
        while True:
            found = self._make_room(-(-len(one) // CHUNK), forecast.x)
            run(search, len(one), query, one.table, other.table, forecast, self.surfaces, self.windows, found)
            taken = int(found.taken[0])
            counters.measured_pairs += int(found.taken[1])
            if taken <= len(found.following):
                return [_in_order(found, room_of(int(found.totals.sum()), forecast.x))] if taken else []
            most = int(found.totals.argmax()) * CHUNK
            self.limit.check(int(found.totals.sum()), one.table.items[most : most + CHUNK])
            self.room = taken * BLOCK * 5 // 4

    def _make_room(self, chunks: int, like: np.ndarray) -> FoundTable:
        blocks = -(-self.room // BLOCK)
        if self._rows is None or len(self._rows.ids) != blocks * BLOCK:
            self._rows = None  # before there is a larger one
            self._rows = room_of(blocks * BLOCK, like)
        taken, (totals, first, last) = np.zeros(2, "int64"), np.zeros((3, chunks), "int64")
        return FoundTable(taken, totals, first, last, np.empty(blocks, "int64"), *self._rows)


def room_of(count: int, like: np.ndarray) -> PairRows:
    """Room for so many pairs."""
    corners, ids = (np.empty((count, width), "int32") for width in (4, 2))
    return PairRows(corners, ids, np.empty((count, CANDIDATE.width), like.dtype))


def _in_order(found: FoundTable, pairs: PairRows) -> PairRows:
    """The pairs of a search, chunk by chunk. Written: pairs."""
    copy_blocks(found, pairs)
    return pairs


@uncounted_kernel
def copy_blocks(found, pairs):
    """Copy pairs out of their blocks, in the order of the chunks, whichever took its blocks first. Written: pairs."""
    count = 0
    for chunk in range(len(found.totals)):
        block = found.first[chunk]
        for number in range(found.totals[chunk]):
            if number > 0 and number % BLOCK == 0:
                block = found.following[block]
            row = block * BLOCK + number % BLOCK
            for c in range(4):
                pairs.corners[count, c] = found.corners[row, c]
            for c in range(CANDIDATE.width):
                pairs.values[count, c] = found.values[row, c]
            pairs.ids[count, 0], pairs.ids[count, 1] = found.ids[row, 0], found.ids[row, 1]
            count += 1


@inline
def above(chunk, tops):
    """The node of a tree that holds a chunk, or more."""
    node, blocks = tops - 1 + chunk * (CHUNK // LANES), CHUNK // LANES
    while blocks > 1:
        node, blocks = max((node - 1) // 2, 0), blocks // 2
    return node


@row_kernel
def search(begin, finish, query, one, other, forecast, surfaces, windows, table):
    """Pairs of the fresh elements begin..finish of one tree with those of another or the same.

    query, forecast, windows: see there. Written: table, see `FoundTable`.
    """
    x, totals = forecast.x, table.totals
    scratch = SearchScratch(
        np.empty(STACK, np.int32), np.empty(2 * LANES, np.int32), np.empty((MET, 4), np.int32), np.empty((MET, 2), np.int32),
        np.empty((1, 4 * LANES), np.int32), np.empty(16 * LANES, x.dtype), np.empty(FOUND.width * LANES, x.dtype),
        np.empty(BOUNDS.width * LANES, x.dtype),
    )  # fmt: skip
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        total = depth = NONE
        if not one.fresh_nodes[above(chunk, one.tops)]:
            totals[chunk] = total
            continue
        first, stop = chunk * CHUNK, min(finish, chunk * CHUNK + CHUNK)
        while first < stop:
            first, depth, met = descend(first, stop, depth, NONE, query, one, other, surfaces, windows, scratch)
            add_atomically(table.taken, 1, met)
            total = keep_near(met, total, chunk, query.vertex, forecast, surfaces, scratch, table)
        totals[chunk] = total
