"""Points that triangles of a surface carry: each keeps its place in the frame of its triangle."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: Least ratio of the area to the square of the longest edge, of triangles that can carry points.
FLAT = 1e-6


def carrying(x: Array, triangles: Array) -> Array:
    """Return the triangles that are not degenerate, (k, 3). x: [m], (m, 3). triangles: (t, 3)."""
    corners = x[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, 1), axis=2).max(1)
    return triangles[area > FLAT * longest**2]


class TriangleFrames:
    """Points in frames of two edges and the unit normal of a triangle, which a rigid motion of the surface moves exactly.

    points: (n, 3) [m]. x: vertices of the surface [m], (m, 3). carriers: triangle of each point, none degenerate, (n, 3).
    """

    def __init__(self, points: Array, x: Array, carriers: Array) -> None:
        self._carriers = carriers
        origin, frames = self._frames(x)
        self._places = np.linalg.solve(frames, (points - origin)[:, :, None])

    def at(self, x: Array) -> Array:
        """Return the points where the surface has moved to x [m], (n, 3). x: (m, 3) [m]."""
        origin, frames = self._frames(x)
        return origin + (frames @ self._places)[:, :, 0]

    def _frames(self, x: Array) -> tuple[Array, Array]:
        """First corners, (n, 3), and the two edges and the normal at these, as columns, (n, 3, 3)."""
        a, b, c = (x[self._carriers[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), np.finfo(float).tiny)
        return a, np.stack([b - a, c - a, normal], 2)
