"""The intersection contours of one moment: their elements, their sides, and the directions to pull these.

Where edges pass through triangles, a contour runs along both surfaces. Contact leaves its two sides alone with each other,
and each contour as a whole is pulled in one direction (`directions`, `separation`) until it is gone.
"""

from __future__ import annotations

import numpy as np

from ...steering import SEPARATION_SHARE
from ..surfaces.surfaces import Surfaces
from .contours import contours
from .directions import untangling_directions
from .layers import outwards

Array = np.ndarray


class Intersections:
    """Edges that pass through triangles at one moment. pairs: (k, 2) edge and triangle. contour, side: of each, (k,).

    side: +1 where the edge belongs to the first of the two surfaces, -1 where the triangle does.
    """

    def __init__(self, surfaces: Surfaces, pairs: Array) -> None:
        self.surfaces, self.pairs = surfaces, pairs
        self.contour, self.side = contours(surfaces, pairs)

    def sides(self) -> Array:
        """The two sides of each contour: (count, 2) uint64; contour c has bit c modulo 64.

        A side is the corners of the intersected elements, so that edges and triangles at these count as well: further than
        across one no contour goes in a substep (`SEPARATION_SHARE`). Contact leaves alone the elements of both sides of one
        contour; on all other near elements, it acts as ever. Elements left alone farther away would pass through.
        """
        s, (edge, triangle) = self.surfaces, self.pairs.T
        bits = np.full(1, 1, "uint64") << (self.contour % 64).astype("uint64", copy=False)
        side_bits = np.zeros((s.count, 2), "uint64")
        first = np.where(self.side > 0, 0, 1)
        for corners, column in ((s.edges[edge], first), (s.triangles[triangle], 1 - first)):
            for k in range(corners.shape[1]):
                np.bitwise_or.at(side_bits, (corners[:, k], column), bits)
        return side_bits

    def directions(self, x: Array, previous: Array) -> Array:
        """Unit vector, or zero without a rule, that each edge is to move along against its triangle: (k, 3).

        x: (count, 4) [m], zero in the last column of fixed particles. Read and written: previous (count, 3), in
        which direction each particle is pulled, kept for the next substep.
        """
        s, (edge, triangle) = self.surfaces, self.pairs.T
        direction = untangling_directions(s, self.pairs, self.contour, self.side, x, previous)
        direction = outwards(s, self.pairs, x, self.side[:, None] * direction[self.contour])
        weight = np.zeros(s.count, "float64")
        previous.fill(0.0)
        for rows, sign in ((s.edges[edge], 1.0), (s.triangles[triangle], -1.0)):
            for k in range(rows.shape[1]):
                np.add.at(previous, rows[:, k], sign * direction)
                np.add.at(weight, rows[:, k], 1.0)
        previous /= np.maximum(weight, 1.0)[:, None]
        return direction

    def strength(self, x: Array) -> Array:
        """Share of the largest force that each may be pulled with, (k,): less, the more it stretches the cloth there."""
        s, (edge, triangle) = self.surfaces, self.pairs.T
        around = np.concatenate([edge[:, None], s.sides[triangle]], axis=1)
        ends = s.edges[around]
        long = np.linalg.norm(x[ends[..., 0], :3] - x[ends[..., 1], :3], axis=-1)
        stretch = np.where(around < s.body_edges, long / np.maximum(s.lengths[around], 1e-30) - 1.0, 0.0).max(1)
        return np.minimum(np.maximum(1.0 - stretch / SEPARATION_SHARE, 0.0), 1.0)
