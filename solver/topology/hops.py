"""Distances between vertices in edges."""

from __future__ import annotations

import numpy as np

from .edges import vertex_edges

Array = np.ndarray


def hops_from(sources: Array, edges: Array, n: int) -> Array:
    """Return the number of edges on the shortest path from a source to each vertex, (n,) int64; -1 without one.
    edges: (e, 2)."""
    start, index = vertex_edges(edges, n)
    hops = np.full(n, -1)
    front = np.unique(sources)
    hops[front] = 0
    while len(front):
        count = start[front + 1] - start[front]
        first = np.repeat(start[front] - np.cumsum(count) + count, count)
        ends = edges[index[first + np.arange(count.sum())]].sum(1) - np.repeat(front, count)
        now = hops[front[0]]
        front = np.unique(ends[hops[ends] < 0])
        hops[front] = now + 1
    return hops
