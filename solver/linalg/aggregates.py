"""Smooth shares of vertices in patches: the coarse motions of a mesh, in which a load travels across it at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..topology.clusters import bisect

Array = np.ndarray

#: Vertices of a patch at most, unless that made more than MOST_PATCHES.
PATCH = 128
MOST_PATCHES = 2000
#: How often a vertex's shares are averaged with its neighbours'; sharp patches need up to twice the iterations.
BLUR = 4
#: Shares below this are dropped.
SMALLEST_SHARE = 0.02


@dataclass(frozen=True)
class PatchBasis:
    """Vertex v has the share `share[k]` in patch `patch[k]` for k from first[v] to first[v + 1]; they add up to 1.

    first: (n + 1,). patch: ascending for each vertex. count: number of patches. reach: largest difference between the
    numbers of two patches with vertices in common or joined by an edge or a far pair.
    """

    first: Array
    patch: Array
    share: Array
    count: int
    reach: int


def patch_basis(points: Array, edges: Array, far: Array) -> PatchBasis:
    """Patches of neighbours, numbered along the mesh's longest side. points: (n, 3) [m]. edges: (e, 2). far: other pairs
    that `reach` is for, (p, 2)."""
    n = len(points)
    part = bisect(points, max(PATCH, -(-n // MOST_PATCHES)))
    count = int(part.max()) + 1
    axis = int(np.argmax(np.ptp(points, axis=0)))
    centres = np.bincount(part, points[:, axis], count) / np.bincount(part, minlength=count)
    number = np.empty(count, np.int64)
    number[np.argsort(centres, kind="stable")] = np.arange(count)
    to = np.concatenate([edges[:, 0], edges[:, 1], np.arange(n)]).astype(np.int64)
    source = np.concatenate([edges[:, 1], edges[:, 0], np.arange(n)]).astype(np.int64)
    degree = np.bincount(to, minlength=n) - 1
    half = np.where(degree > 0, 0.5, 1.0)
    mix = np.where(to == source, half[to], 0.5 / np.maximum(degree[to], 1))
    vertex, patch, share = np.arange(n), number[part], np.ones(n)
    for _ in range(BLUR):
        vertex, patch, share = _averaged(n, count, vertex, patch, share, to, source, mix)
    keep = share >= SMALLEST_SHARE
    vertex, patch, share = vertex[keep], patch[keep], share[keep]
    share = share / np.bincount(vertex, share, n)[vertex]
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=n))])
    low, high = patch[first[:-1]], patch[first[1:] - 1]
    reach = max(int((high[a] - low[b]).max(initial=0)) for a, b in ((to, source), far.T, far.T[::-1]))
    return PatchBasis(first.astype(np.int32), patch.astype(np.int32), share, count, reach)


def _averaged(n: int, count: int, vertex: Array, patch: Array, share: Array, to: Array, source: Array, mix: Array) -> tuple:
    """Shares of each vertex mixed with its neighbours', sorted by vertex and patch."""
    first = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=n))])
    entries = np.diff(first)[source]  # of each directed edge
    starts = np.cumsum(entries) - entries
    row = np.repeat(first[source] - starts, entries) + np.arange(entries.sum())
    keys, place = np.unique(np.repeat(to, entries) * count + patch[row], return_inverse=True)
    return keys // count, keys % count, np.bincount(place.reshape(-1), np.repeat(mix, entries) * share[row], len(keys))
