"""The solver's world-space surfaces as the object-space positions that the Mesh Cache modifier plays."""

from __future__ import annotations

import numpy as np

from ...solver.errors import SceneError

Array = np.ndarray


def to_local(owner: str, world: Array) -> Array:
    """World space in metres -> object space, (4, 4), from an object's matrix of the same frame.

    Raises: SceneError if the object is scaled to nothing.
    """
    linear = world[:3, :3]
    if not np.isfinite(world).all() or abs(np.linalg.det(linear)) < 1e-12 * max(float(np.linalg.norm(linear)) ** 3, 1e-30):
        raise SceneError(f"{owner}: its scale is zero along an axis, so nothing can be written back. Give it a scale.")
    return np.linalg.inv(world)


def local_positions(surface: Array, inverse: Array) -> Array:
    """World-space positions [m], (n, 3), as object-space positions in Blender units, (n, 3) float32."""
    return (surface.astype(np.float64) @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)
