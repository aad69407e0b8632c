"""Finding the pairs that may touch within the next substeps: boxes first, then exact distances and bounds of motion."""

from __future__ import annotations

import numpy as np

from ...device.atomics import add_atomically
from ...device.counters import counters
from ...device.cpu import LANES
from ...device.row_kernels import row_kernel
from ...device.threads import CHUNK, run
from ...device.uncounted import uncounted_kernel
from ..narrow_phase.distance_lanes import FOUND
from ..surfaces.surfaces import SurfaceTable
from .candidates import CANDIDATE, PairRows
from .descent import descend
from .meshlet_tree import MeshletTree
from .pair_bounds import keep_near
from .pair_limit import PairLimit
from .query import BLOCK, BOUNDS, MET, Forecast, FoundTable, MetPairs, SearchScratch
from .smooth_windows import WindowTable
from .tree import STACK

#: Start of loops. As a literal it is a type of its own, for which called functions compile once more.
NONE = np.int64(0)


class Search:
    """Searches trees of one world. room: pairs of each kind that there is memory for; grows to the size of the largest
    search, up to `limit`."""

    def __init__(self, surfaces: SurfaceTable, windows: WindowTable, limit: PairLimit) -> None:
        self.surfaces, self.windows, self.limit = surfaces, windows, limit
        self.room = 16 * BLOCK
        self._rows: list[PairRows | None] = [None, None]

    def __call__(self, one: MeshletTree, other: MeshletTree, forecast: Forecast) -> list[list[PairRows]]:
        """Pairs of points and triangles, and of edges, of the elements of one tree and another's, or the same's, one of them
        fresh. Raises: ContactMemoryError if there are more than the limit."""
        if not (len(one) and len(other) and (one.any_fresh or other.any_fresh)):
            return [[], []]
        while True:
            tables = [self._make_room(kind, -(-len(one) // CHUNK), forecast.x.dtype) for kind in range(2)]
            within = one is other
            args = within, within and one.all_fresh, one.table, other.table, forecast, self.surfaces, self.windows, *tables
            run(search, len(one), *args)
            taken = [int(table.taken[0]) for table in tables]
            if all(count <= len(table.following) for count, table in zip(taken, tables, strict=True)):
                counters.measured_pairs += sum(int(table.taken[1]) for table in tables)
                rows = [room_of(int(table.totals.sum()), forecast.x.dtype) for table in tables]
                return [[_in_order(table, room)] for table, room in zip(tables, rows, strict=True)]
            total = np.sum([table.totals for table in tables], 0)
            most = int(total.argmax()) * CHUNK
            self.limit.check(int(total.sum()), one.table.triangles.corners[most : most + CHUNK])
            self.room = max(taken) * BLOCK * 5 // 4

    def _make_room(self, kind: int, chunks: int, dtype: np.dtype) -> FoundTable:
        blocks, rows = -(-self.room // BLOCK), self._rows[kind]
        if rows is None or len(rows.ids) != blocks * BLOCK:
            self._rows[kind] = None  # before there is a larger one
            self._rows[kind] = rows = room_of(blocks * BLOCK, dtype)
        taken, (totals, first, last) = np.zeros(2, "int64"), np.zeros((3, chunks), "int64")
        return FoundTable(taken, totals, first, last, np.empty(blocks, "int64"), *rows)


def room_of(count: int, dtype: np.dtype) -> PairRows:
    """Room for so many pairs."""
    corners, ids = (np.empty((count, width), "int32") for width in (4, 2))
    return PairRows(corners, ids, np.empty((count, CANDIDATE.width), dtype))


def _in_order(blocks: FoundTable, pairs: PairRows) -> PairRows:
    """The pairs of a search, chunk by chunk. Written: pairs."""
    copy_blocks(blocks, pairs)
    return pairs


@uncounted_kernel
def copy_blocks(blocks, pairs):
    """Copy pairs out of their blocks, in the order of the chunks, whichever took its blocks first. Written: pairs."""
    count = 0
    for chunk in range(len(blocks.totals)):
        block = blocks.first[chunk]
        for number in range(blocks.totals[chunk]):
            if number > 0 and number % BLOCK == 0:
                block = blocks.following[block]
            row = block * BLOCK + number % BLOCK
            for c in range(4):
                pairs.corners[count, c] = blocks.corners[row, c]
            for c in range(CANDIDATE.width):
                pairs.values[count, c] = blocks.values[row, c]
            pairs.ids[count, 0], pairs.ids[count, 1] = blocks.ids[row, 0], blocks.ids[row, 1]
            count += 1


@row_kernel
def search(begin, finish, within, all_fresh, one, other, forecast, surfaces, windows, points, edges):
    """Pairs of the elements in the places begin..finish of one tree with those of another or the same, one of them fresh.

    within: both are the same; all_fresh: and all of it is fresh. forecast, windows: see there. Written: points, of points
    and triangles, and edges, see `FoundTable`.
    """
    dtype = forecast.x.dtype
    vertex = MetPairs(np.empty((MET, 4), np.int32), np.empty((MET, 2), np.int32))
    edge = MetPairs(np.empty((MET, 4), np.int32), np.empty((MET, 2), np.int32))
    scratch = SearchScratch(
        np.empty((1, 4 * LANES), np.int32), np.empty(16 * LANES, dtype), np.empty(FOUND.width * LANES, dtype),
        np.empty(BOUNDS.width * LANES, dtype),
    )  # fmt: skip
    stack = np.empty(STACK, np.int32)
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        points.totals[chunk] = edges.totals[chunk] = depth = NONE
        meshlet, stop = chunk * CHUNK // LANES, min(finish, chunk * CHUNK + CHUNK) // LANES
        while meshlet < stop:
            meshlet, depth, near, along = descend(
                meshlet, stop, depth, within, all_fresh, one, other, surfaces.rules, windows, stack, vertex, edge
            )
            for is_vertex in (True, False):
                met, count, table = (vertex, near, points) if is_vertex else (edge, along, edges)
                add_atomically(table.taken, 1, count)
                total = keep_near(met, count, table.totals[chunk], chunk, is_vertex, forecast, surfaces, scratch, table)
                table.totals[chunk] = total
