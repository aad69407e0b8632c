"""Taking tangles apart: surfaces that pass through each other at the start, or where something was pinched.

Where edges pass through triangles, a contour runs along both surfaces. Contact leaves its two sides alone with each other,
and each contour as a whole is pulled one way (`decisions.py`, `pulls.py`) until it is gone.
"""

from __future__ import annotations

import numpy as np

from ..surfaces.surfaces import Surfaces
from . import directions as decisions
from .contours import contours
from .layers import outwards

Array = np.ndarray

#: Rings of triangles around what is hit that contact leaves alone.
RINGS = 2
#: Stretch at which a pull gives up.
LONGEST = 0.3


class Tangles:
    """The intersection contours of one moment. hits: (k, 2) edge and triangle. contour, side: of each hit, (k,).

    side: +1 where the edge belongs to the first of the two surfaces, -1 where the triangle does.
    """

    def __init__(self, surfaces: Surfaces, hits: Array) -> None:
        self.surfaces, self.hits = surfaces, hits
        self.contour, self.side = contours(surfaces, hits)

    def sides(self) -> Array:
        """The two sides of each contour: (count, 2) uint64; contour c has bit c modulo 64.

        A side is what is hit, and the triangles around it. Contact leaves alone what is on the one and on the other side of
        one contour; on all else that is near, a layer above or below, it acts as ever.
        """
        s, (edge, triangle) = self.surfaces, self.hits.T
        bits = np.left_shift(np.uint64(1), (self.contour % 64).astype(np.uint64))
        found = np.zeros((s.count, 2), np.uint64)
        first = np.where(self.side > 0, 0, 1)
        for corners, column in ((s.edges[edge], first), (s.triangles[triangle], 1 - first)):
            for k in range(corners.shape[1]):
                np.bitwise_or.at(found, (corners[:, k], column), bits)
        for _ in range(RINGS):
            near = s.triangles[found.any(1)[s.triangles].any(1)]
            of_triangle = np.bitwise_or.reduce(found[near], axis=1)
            for k in range(3):
                np.bitwise_or.at(found, near[:, k], of_triangle)
        return found

    def ways(self, x: Array, lean: Array) -> Array:
        """Unit vector, or zero where nothing tells, that each hit's edge is to move along against the triangle: (k, 3).

        x: (count, 4) [m], zero in the last column for what does not move. Read and written: lean (count, 3), the way that
        each particle is pulled, kept for the next substep.
        """
        s, (edge, triangle) = self.surfaces, self.hits.T
        way = decisions.ways(s, self.hits, self.contour, self.side, x, lean)
        way = outwards(s, self.hits, x, self.side[:, None] * way[self.contour])
        weight = np.zeros(s.count)
        lean[:] = 0.0
        for rows, sign in ((s.edges[edge], 1.0), (s.triangles[triangle], -1.0)):
            for k in range(rows.shape[1]):
                np.add.at(lean, rows[:, k], sign * way)
                np.add.at(weight, rows[:, k], 1.0)
        lean /= np.maximum(weight, 1.0)[:, None]
        return way

    def strength(self, x: Array) -> Array:
        """Share of the largest force that each hit may be pulled with, (k,): less, the more it stretches the cloth there."""
        s, (edge, triangle) = self.surfaces, self.hits.T
        around = np.concatenate([edge[:, None], s.sides[triangle]], axis=1)
        ends = s.edges[around]
        long = np.linalg.norm(x[ends[..., 0], :3] - x[ends[..., 1], :3], axis=2)
        stretch = np.where(around < s.body_edges, long / np.maximum(s.lengths[around], 1e-30) - 1.0, 0.0).max(1)
        return np.clip(1.0 - stretch / LONGEST, 0.0, 1.0)
