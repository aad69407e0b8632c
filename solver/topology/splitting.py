"""Splitting a mesh along edges: a copy of each vertex for each fan of faces between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .components import label_components
from .edges import half_edges, pair_keys

Array = np.ndarray


class InnerEdges(NamedTuple):
    """Edges with two triangles, (e,). triangles: both, the lower number first, (e, 2). corners: number 3 t + k of corner k
    of triangle t, of each of the two at each end, (e, 2, 2). ends: vertices, (e, 2)."""

    triangles: Array
    corners: Array
    ends: Array


def inner_edges(triangles: Array) -> InnerEdges:
    """The edges that two triangles share, in ascending order of their vertices. triangles: (t, 3)."""
    tail, head, _ = half_edges(triangles)
    keys = pair_keys(tail, head)
    order = np.argsort(keys, kind="stable")
    pair = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    sides = np.stack([order[pair], order[pair + 1]], 1)
    at_tail, at_head = sides, 3 * (sides // 3) + (sides % 3 + 1) % 3
    ends = np.stack([tail[sides[:, 0]], head[sides[:, 0]]], 1)
    forward = (tail[sides] == ends[:, :1])[:, :, None]
    corners = np.where(forward, np.stack([at_tail, at_head], 2), np.stack([at_head, at_tail], 2))
    return InnerEdges(sides // 3, corners, ends)


def split_edges(triangles: Array, edges: Array | None = None, keep: Array | None = None) -> tuple[Array, Array]:
    """Split a mesh along edges: the original vertex of each vertex of the split one, (m,), and its triangles, (t, 3).

    triangles: (t, 3). edges: to split at, (e, 2); None for all. keep: those to leave whole, as diagonals of quadrilaterals,
    (k, 2).
    """
    triangles = np.asarray(triangles)
    inner = inner_edges(triangles)
    keys = pair_keys(inner.ends[:, 0], inner.ends[:, 1])
    split = np.ones(len(keys), bool) if edges is None else np.isin(keys, pair_keys(*np.asarray(edges).T))
    if keep is not None:
        split &= ~np.isin(keys, pair_keys(*np.asarray(keep).T))
    whole = inner.corners[~split]
    label = label_components(whole.transpose(0, 2, 1).reshape(-1, 2), triangles.size)
    first, number = np.unique(label, return_inverse=True)
    return triangles.ravel()[first], number.reshape(-1, 3).astype(np.int32)
