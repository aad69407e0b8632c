"""Patches: each triangle of a mesh with its three neighbours."""

from __future__ import annotations

import numpy as np

from .hinges import find_hinges

Array = np.ndarray


def find_patches(name: str, triangles: Array) -> Array:
    """Corners of each triangle, then the far corner of its neighbour across the edge opposite each: (t, 6) int32.

    triangles: (t, 3). The far corner is -1 where the sheet ends. name: the body, for messages.
    Raises: TopologyError if an edge has more than two triangles, or if two triangles share all corners.
    """
    hinges = find_hinges(name, triangles)
    n = np.int64(triangles.max()) + 1
    ends = np.sort(hinges[:, :2].astype(np.int64), axis=1)
    keys = ends[:, 0] * n + ends[:, 1]  # ascending: hinges come in the order of their edges
    patches = np.full((len(triangles), 6), -1, np.int32)
    patches[:, :3] = triangles
    if not len(hinges):
        return patches
    for i in range(3):
        edge = np.sort(triangles[:, [(i + 1) % 3, (i + 2) % 3]].astype(np.int64), axis=1)
        key = edge[:, 0] * n + edge[:, 1]
        place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        far = np.where(hinges[place, 2] == triangles[:, i], hinges[place, 3], hinges[place, 2])
        patches[:, 3 + i] = np.where(keys[place] == key, far, -1)
    return patches
