"""Edges of triangles and tetrahedra, and which edges meet at a vertex."""

from __future__ import annotations

from itertools import combinations

import numpy as np

Array = np.ndarray


def pair_keys(a: Array, b: Array) -> Array:
    """Return one int64 for each unordered pair of vertex indices (n,), (n,); equal pairs have equal keys, in either
    order."""
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b).astype(np.int64)
    return (low << 32) | high


def pairs_of_keys(keys: Array) -> Array:
    """The pairs (n, 2) int32, lower index first, that `pair_keys` packed."""
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)


def unique_edges(elements: Array) -> Array:
    """Return each edge of triangles (t, 3) or tetrahedra (t, 4) once: (n, 2) int32, lower index first, in ascending
    order."""
    keys = [pair_keys(elements[:, i], elements[:, j]) for i, j in combinations(range(elements.shape[1]), 2)]
    ordered = np.sort(np.concatenate(keys))  # np.unique hashes integers since NumPy 2.3: several times slower here
    return pairs_of_keys(ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]])


def half_edges(triangles: Array) -> tuple[Array, Array, Array]:
    """Tail, head and opposite corner of the three sides of each triangle, each (3 t,); side k of triangle i at 3 i + k."""
    return triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1), triangles[:, [2, 0, 1]].reshape(-1)


def edge_uses(triangles: Array) -> tuple[Array, Array, Array]:
    """Return edges with their number of triangles, and the net direction of traversal.

    triangles: (t, 3). Returns edges (n, 2) int32 with the lower index first, uses (n,), and the net direction (n,): the
    triangles that run from the lower to the higher index minus those that run back; 0 for a consistent winding.
    """
    tail, head, _ = half_edges(triangles)
    keys, inverse, uses = np.unique(pair_keys(tail, head), return_inverse=True, return_counts=True)
    net = np.bincount(inverse.reshape(-1), weights=np.where(tail < head, 1.0, -1.0), minlength=len(keys))
    return pairs_of_keys(keys), uses, net.astype(np.int64)


def vertex_edges(edges: Array, n_vertices: int) -> tuple[Array, Array]:
    """Return the edges at each vertex.

    edges: (n, 2). Returns start (n_vertices + 1,) and index (2 n,): the edges of vertex v are index[start[v]:start[v + 1]],
    in ascending order.
    """
    ends = edges.reshape(-1)
    start = np.zeros(n_vertices + 1, dtype=np.int64)
    np.cumsum(np.bincount(ends, minlength=n_vertices), out=start[1:])
    return start, (np.argsort(ends, kind="stable") // 2).astype(np.int32)
