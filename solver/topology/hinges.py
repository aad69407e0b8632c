"""Hinges: the interior edges of a triangle mesh with the two triangles beside each."""

from __future__ import annotations

import numpy as np

from ..counted import counted
from ..errors import TopologyError
from .edges import half_edges, pair_keys, pairs_of_keys

Array = np.ndarray


def find_hinges(name: str, triangles: Array) -> Array:
    """The hinge at each edge with two triangles: (n, 4) int32, in ascending order of the edge.

    triangles: (t, 3). name: the body, for messages.
    A hinge is (v0, v1, v2, v3): edge ends, then the two opposite corners. v0 -> v1 runs as in the triangle with the lower
    index, and v2 is that triangle's corner; v3 is the other's. Where the winding is consistent the other triangle runs
    v1 -> v0; where it is not, the hinge is made all the same, with the direction of the first triangle.
    Raises: TopologyError if an edge has more than two triangles, or if two triangles share all corners.
    """
    tail, head, opposite = half_edges(triangles)
    keys = pair_keys(tail, head)
    order = np.argsort(keys, kind="stable")  # stable: the triangle with the lower index comes first
    ordered = keys[order]
    same = ordered[1:] == ordered[:-1]
    crowded = np.flatnonzero(same[1:] & same[:-1])
    if len(crowded):
        bad = pairs_of_keys(np.unique(ordered[crowded]))
        raise TopologyError(
            f"{name}: {counted(len(bad), 'edge has', 'edges have')} more than two faces (first: the edge between "
            f"vertices {bad[0, 0]} and {bad[0, 1]}); wanted at most two. Delete the faces of one sheet there, or split "
            "them off (Y) and move them."
        )
    pair = np.flatnonzero(same)
    first, second = order[pair], order[pair + 1]
    hinges = np.stack([tail[first], head[first], opposite[first], opposite[second]], axis=1).astype(np.int32)
    folded = np.flatnonzero(hinges[:, 2] == hinges[:, 3])
    if len(folded):
        raise TopologyError(
            f"{name}: faces lie on one another (first: two faces with vertices {hinges[folded[0], :3].tolist()}); "
            "wanted each face once. Delete the duplicates, then bake again."
        )
    return hinges
