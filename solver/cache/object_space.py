"""The solver's world-space surfaces as the object-space positions that a cache keeps."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def local_positions(surface: Array, inverse: Array) -> Array:
    """World-space positions [m], (n, 3), as object-space positions in Blender units, (n, 3) float32. inverse: world space to
    object space, (4, 4). With samples both have these in front."""
    linear = np.swapaxes(inverse[..., :3, :3], -1, -2)
    return (surface.astype(np.float64) @ linear + inverse[..., None, :3, 3]).astype(np.float32)
