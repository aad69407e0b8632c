"""Length of seam of each stitch of a cloth: half of the distance to the next stitch on both sides."""

from __future__ import annotations

import numpy as np

from .edges import edge_uses, pair_keys

Array = np.ndarray


def seam_lengths(rest: Array, triangles: Array, stitches: Array) -> Array:
    """Return the length of seam of each stitch [m], (k,), the mean of both sides; along a line their sum is its length.

    A seam runs along an edge whose ends are stitched to one vertex or to those of another edge, on a border where there is
    one. Stitches of one vertex share its length. A stitch alone has the mean length of the edges at its ends.
    rest: positions at rest [m], (n, 3). triangles: (t, 3). stitches: vertices, (k, 2).
    """
    edges, uses, _ = edge_uses(triangles)
    n, lengths = len(rest), np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    runs, borders = _runs_along(edges, stitches, n), uses == 1
    is_at_border = np.bincount(edges[runs & borders].ravel(), minlength=n) > 0
    runs_at = runs[:, None] & (borders[:, None] | ~is_at_border[edges])
    count, mean = _means(edges, lengths, runs_at, n)
    of_vertex = 0.5 * np.minimum(count, 2) * mean / np.maximum(np.bincount(stitches.ravel(), minlength=n), 1)
    all_count, all_mean = _means(edges, lengths, np.ones_like(runs_at), n)
    alone = (count[stitches] == 0).all(1)
    known = np.where(alone[:, None], all_count[stitches], count[stitches]) > 0
    shares = np.where(alone[:, None], all_mean[stitches], of_vertex[stitches])
    return np.where(known, shares, 0.0).sum(1) / known.sum(1)


def _means(edges: Array, lengths: Array, counts: Array, n: int) -> tuple[Array, Array]:
    """Return the number of edges at each vertex and their mean length [m], (n,). counts: whether an edge does, at each end,
    (e, 2) bool."""
    vertex, length = edges[counts], np.repeat(lengths, counts.sum(1))
    count = np.bincount(vertex, minlength=n)
    return count, np.bincount(vertex, length, n) / np.maximum(count, 1)


def _runs_along(edges: Array, stitches: Array, n: int) -> Array:
    """Return the edges that seams run along, (e,) bool."""
    vertex, other = stitches.ravel(), stitches[:, ::-1].ravel()
    other, count = other[np.argsort(vertex, kind="stable")], np.bincount(vertex, minlength=n)
    first = np.cumsum(count) - count
    pairs = count[edges].prod(1)  # of a stitch at one end and one at the other
    edge = np.repeat(np.arange(len(edges)), pairs)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    one, two = edges[edge].T
    p, q = other[first[one] + number // count[two]], other[first[two] + number % count[two]]
    is_edge = np.isin(pair_keys(p, q), pair_keys(edges[:, 0], edges[:, 1]))
    runs = np.zeros(len(edges), bool)
    runs[edge[((p == q) | is_edge) & (p != two)]] = True
    return runs
