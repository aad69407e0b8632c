"""Overlapping aggregates of a mesh's vertices with smooth shares: the basis of a coarse space.

Source: Vanek, Mandel, Brezina 1996, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic
problems"; here the shares are averaged over neighbours, whatever the matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..topology.clusters import bisect

Array = np.ndarray

#: Vertices of an aggregate at most.
AGGREGATE = 128
#: How often a vertex's shares are averaged with its neighbours'; without, up to twice the iterations are needed.
SMOOTHINGS = 4
#: Shares below this are dropped.
SMALLEST_SHARE = 0.02


@dataclass(frozen=True)
class AggregateBasis:
    """Vertex v has the share `share[k]` in aggregate `aggregate[k]` for k from first[v] to first[v + 1]; they add up to 1.

    first: (n + 1,). aggregate: ascending for each vertex; the halves of their numbers are halves of the mesh. count: number
    of aggregates.
    """

    first: Array
    aggregate: Array
    share: Array
    count: int


def no_basis(n: int) -> AggregateBasis:
    """Return the basis without motions of n vertices: an aggregate of none of them."""
    return AggregateBasis(np.zeros(n + 1, np.int32), np.zeros(0, np.int32), np.zeros(0), 1)


def aggregate_basis(points: Array, edges: Array) -> AggregateBasis:
    """Aggregates of neighbours. points: (n, 3) [m]. edges: (e, 2)."""
    n = len(points)
    part = bisect(points, AGGREGATE)
    count = int(part.max()) + 1
    to = np.concatenate([edges[:, 0], edges[:, 1], np.arange(n)]).astype(np.int64)
    source = np.concatenate([edges[:, 1], edges[:, 0], np.arange(n)]).astype(np.int64)
    degree = np.bincount(to, minlength=n) - 1
    half = np.where(degree > 0, 0.5, 1.0)
    mix = np.where(to == source, half[to], 0.5 / np.maximum(degree[to], 1))
    vertex, aggregate, share = np.arange(n), part, np.ones(n)
    for _ in range(SMOOTHINGS):
        vertex, aggregate, share = _averaged(n, count, vertex, aggregate, share, to, source, mix)
    keep = share >= SMALLEST_SHARE
    vertex, aggregate, share = vertex[keep], aggregate[keep], share[keep]
    share = share / np.bincount(vertex, share, n)[vertex]
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=n))])
    return AggregateBasis(first.astype(np.int32), aggregate.astype(np.int32), share, count)


def _averaged(
    n: int, count: int, vertex: Array, aggregate: Array, share: Array, to: Array, source: Array, mix: Array
) -> tuple:
    """Shares of each vertex mixed with its neighbours', sorted by vertex and aggregate."""
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=n))])
    entries = np.diff(first)[source]  # of each directed edge
    starts = np.cumsum(entries) - entries
    row = np.repeat(first[source] - starts, entries) + np.arange(entries.sum())
    keys, place = np.unique(np.repeat(to, entries) * count + aggregate[row], return_inverse=True)
    return keys // count, keys % count, np.bincount(place.reshape(-1), np.repeat(mix, entries) * share[row], len(keys))
