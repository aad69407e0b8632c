"""Directions of warp and weft in each triangle of a sheet."""

from __future__ import annotations

import numpy as np

from ..counted import counted
from ..errors import SceneError

Array = np.ndarray


def warp_and_weft(name: str, x: Array, triangles: Array, uv: Array | None = None) -> Array:
    """Return the unit vectors of warp and weft in each triangle's plane, at right angles: (t, 2, 3).

    x: rest positions [m], (n, 3). triangles: (t, 3). uv: (n, 2); the warp is the direction of growing u. Without uv the warp
    is the direction of world X in the triangle's plane, or of world Y if X is nearly normal to it.
    Raises: SceneError if the uv of a triangle has no area; the message names the body.
    """
    a, b, c = (x[triangles[:, k]] for k in range(3))
    e1, e2 = b - a, c - a
    normal = np.cross(e1, e2)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    if uv is None:
        world = np.where(np.abs(normal[:, :1]) < 0.95, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    else:
        d1, d2 = uv[triangles[:, 1]] - uv[triangles[:, 0]], uv[triangles[:, 2]] - uv[triangles[:, 0]]
        area = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
        flat = np.flatnonzero(np.abs(area) <= 1e-12 * (np.abs(d1).max(1) * np.abs(d2).max(1)))
        if len(flat):
            raise SceneError(
                f"{name}: {counted(len(flat), 'face has', 'faces have')} no area in the UV map (first: triangle "
                f"{flat[0]}); wanted a map that unfolds every face. Unwrap the mesh again, or choose no UV map."
            )
        world = (d2[:, 1:] * e1 - d1[:, 1:] * e2) / area[:, None]
    warp = world - (world * normal).sum(1, keepdims=True) * normal
    warp /= np.linalg.norm(warp, axis=1, keepdims=True)
    return np.stack([warp, np.cross(normal, warp)], 1)
