"""Finding the pairs that may touch within the next substeps: boxes first, then exact distances and bounds of motion."""

from __future__ import annotations

import numpy as np

from ...device import arrays
from ...device.cpu import LANES, kernel
from ...device.threads import CHUNK, run
from ..narrow_phase.distance_lanes import FOUND
from ..surfaces.surfaces import SurfaceTable
from .candidates import CANDIDATE, PairRows
from .descent import descend
from .pair_bounds import keep_near
from .query import ALL, BOUNDS, MET, OTHERS, WITHIN, Forecast, FoundTable, Query, SearchScratch
from .tree import STACK, Tree

#: Chunks that are searched at once. What each may find has room in memory, though most find little, so not for all chunks.
BATCH = 64
#: Numbers that loops begin with. As literals they are a type of their own, for which what is called compiles once more.
NONE, ONE_NODE = np.int64(0), np.int64(1)


class Search:
    """Searches trees of one world; remembers how much room the last searches needed."""

    def __init__(self, surfaces: SurfaceTable) -> None:
        self.surfaces = surfaces
        self.room = 512

    def __call__(self, rule: int, vertex: bool, one: Tree, other: Tree, forecast: Forecast) -> list[PairRows]:
        """Pairs of the fresh elements of one tree with another's, see `Query`.

        Of points and triangles, either may be the ones that are searched for.
        """
        if not len(other) or not one.any_fresh:
            return []
        others_fresh = rule != ALL and arrays.all(other.table.fresh)
        if rule == OTHERS and others_fresh:
            return []
        query = Query(rule, vertex, vertex and one.table.items.shape[1] == 3, rule == WITHIN and others_fresh)
        chunks, parts = -(-len(one) // CHUNK), []
        room = self._make_room(min(chunks, BATCH), forecast.x)
        for base in range(0, chunks, BATCH):
            rows = min(len(one) - base * CHUNK, BATCH * CHUNK)
            totals = arrays.zeros(-(-rows // CHUNK), "int64", forecast.x)
            while True:
                found = FoundTable(totals, *room)
                run(search, rows, base, query, one.table, other.table, forecast, self.surfaces, found)
                most = int(arrays.largest(totals, 0))
                if most <= self.room:
                    break
                self.room = most * 5 // 4
                room = self._make_room(min(chunks, BATCH), forecast.x)
            if most:
                counts = arrays.download(totals).tolist()
                parts.append(PairRows(*(arrays.concatenate([a[c, :k] for c, k in enumerate(counts)]) for a in room)))
        return parts

    def _make_room(self, chunks: int, like: arrays.Array) -> PairRows:
        corners, ids = (arrays.empty((chunks, self.room, width), "int32", like) for width in (4, 2))
        return PairRows(corners, ids, arrays.empty((chunks, self.room, CANDIDATE.width), like.dtype, like))


@kernel
def search(begin, finish, base, query, one, other, forecast, surfaces, table):
    """Pairs of the fresh elements begin..finish of one tree with those of another or the same.

    base: chunk that elements are counted from. query, forecast: see there. Written: table, see `FoundTable`.
    """
    x, totals = forecast.x, table.totals
    scratch = SearchScratch(
        np.empty(STACK, np.int32), np.empty(2 * LANES, np.int32), np.empty((MET, 4), np.int32), np.empty((MET, 2), np.int32),
        np.empty((1, 4 * LANES), np.int32), np.empty(16 * LANES, x.dtype), np.empty(FOUND.width * LANES, x.dtype),
        np.empty(BOUNDS.width * LANES, x.dtype),
    )  # fmt: skip
    stack = scratch.stack
    for chunk in range(begin // CHUNK, (finish + CHUNK - 1) // CHUNK):
        total = met = NONE
        origin = (base + chunk) * CHUNK
        stop = min(base * CHUNK + finish, origin + CHUNK)
        for first in range(origin, stop, LANES):
            last = min(stop, first + LANES)
            depth = ONE_NODE
            stack[0] = 0
            while depth > 0:
                depth, met = descend(first, last, depth, met, query, one, other, surfaces, scratch)
                if met > MET - LANES * LANES or (depth == 0 and last == stop):
                    total = keep_near(met, total, chunk, query.vertex, forecast, surfaces, scratch, table)
                    met = NONE
        totals[chunk] = total
