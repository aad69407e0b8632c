"""Separation constraints: each edge that passes through a triangle is pulled, against it, in the direction of its contour.

A separation constraint is a contact of five corners with a target motion instead of a distance: the point where the edge
meets the triangle is to move by at least `size` in a substep. It is projected with the contacts, so it holds against the
energies and the weight that pull the other way, but with bounded force.
"""

from __future__ import annotations

import numpy as np

from ...device.cpu import kernel
from ...steering import SEPARATION_STRENGTH
from ..constraints.tables import SEPARATION, Array, SeparationTable
from ..surfaces.surfaces import Surfaces

#: Corners of an edge and a triangle.
CORNERS = 5


class SeparationConstraints:
    """The separation constraints of one substep."""

    def __init__(self, dtype: np.dtype) -> None:
        """dtype: type of positions."""
        self._dtype = dtype
        self.clear()

    def __len__(self) -> int:
        return len(self.table.rows)

    def clear(self) -> None:
        """Remove all constraints, before a substep."""
        self.table = self._room(0)

    def begin(
        self, surfaces: Surfaces, intersections: Array, direction: Array, strength: Array, size: float, x0: Array, x1: Array
    ) -> None:
        """Start the constraints; arguments: see `fill`."""
        room = self._room(len(intersections))
        count = fill(intersections, surfaces.edges, surfaces.triangles, direction, strength, size, x0, x1, room)
        self.table = SeparationTable(room.corners[:count], room.rows[:count])

    def sweep(self, x0: Array, x: Array) -> None:
        """Project all constraints. Written: x (n, 4) [m]."""
        if len(self):
            sweep(self.table, x0, x)

    def reweigh(self, x0: Array) -> None:
        """Update the effective masses. x0: h^2/m in the last column, (count, 4)."""
        corners, rows = self.table
        weights, mass = rows[:, SEPARATION.weight : SEPARATION.weight + CORNERS], SEPARATION.effective_mass
        inverse = 1 / (weights**2 * x0[corners, 3]).sum(1)
        rows[:, SEPARATION.limit] *= inverse / rows[:, mass]
        rows[:, mass] = inverse

    def slow(self, v: Array) -> None:
        """Take half of the speed that separating has brought, see `damp`. Written: v (n, 3) [m/s]."""
        if len(self):
            damp(self.table, v)

    def _room(self, count: int) -> SeparationTable:
        return SeparationTable(np.empty((count, CORNERS), "int32"), np.empty((count, SEPARATION.width), self._dtype))


@kernel
def fill(intersections, edges, triangles, direction, strength, size, x0, x1, table):
    """Start the constraints, with no force yet; return how many there are.

    intersections: (k, 2) edge and triangle. direction: unit vector for the edge, against the triangle, (k, 3); zero for
    none. strength: 0 to 1, (k,). size: [m]. x0, x1: particles at the start and the predicted end, (count, 4) [m].
    Written: table, with corners that forces move; others have weight 0.
    """
    corners, rows = table
    count = 0
    w, index = np.empty(CORNERS), np.empty(CORNERS, np.int64)
    d, u, v, s = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for h in range(len(intersections)):
        for c in range(2):
            index[c] = edges[intersections[h, 0], c]
        for c in range(3):
            index[2 + c] = triangles[intersections[h, 1], c]
        for a in range(3):
            d[a] = x0[index[1], a] - x0[index[0], a]
            u[a] = x0[index[3], a] - x0[index[2], a]
            v[a] = x0[index[4], a] - x0[index[2], a]
            s[a] = x0[index[0], a] - x0[index[2], a]
        n = np.cross(u, v)
        steep = (d * n).sum()
        share = -(s * n).sum() / steep if abs(steep) > 1e-30 else 0.5
        share = min(max(share, 0.0), 1.0)
        s += share * d
        square = max((n * n).sum(), 1e-30)
        w[0], w[1] = 1.0 - share, share
        w[3] = -min(max((np.cross(s, v) * n).sum() / square, 0.0), 1.0)
        w[4] = -min(max((np.cross(u, s) * n).sum() / square, 0.0), 1.0)
        w[2] = min(-1.0 - w[3] - w[4], 0.0)
        spread, base, missing = 0.0, -1, size
        for c in range(CORNERS):
            i = index[c]
            if x0[i, 3] > 0:
                spread += w[c] * w[c] * x0[i, 3]
                base = i
            else:
                for a in range(3):
                    missing -= w[c] * direction[h, a] * (x1[i, a] - x0[i, a])
        if base < 0 or not spread > 1e-30 or not (direction[h] ** 2).sum() > 0:
            continue
        r = rows[count]
        for a in range(3):
            r[SEPARATION.direction + a] = direction[h, a]
        for c in range(CORNERS):
            free = x0[index[c], 3] > 0
            corners[count, c] = index[c] if free else base
            r[SEPARATION.weight + c] = w[c] if free else 0.0
        r[SEPARATION.missing], r[SEPARATION.effective_mass], r[SEPARATION.limit], r[SEPARATION.multiplier] = (
            missing,
            1.0 / spread,
            SEPARATION_STRENGTH * strength[h] * size / spread,
            0.0,
        )
        count += 1
    return count


@kernel
def sweep(table, x0, x):
    """Project all constraints in order. Written: the rows of the table, x."""
    corners, rows = table
    for p in range(len(rows)):
        r = rows[p]
        missing = r[SEPARATION.missing]
        for c in range(CORNERS):
            i, w = corners[p, c], r[SEPARATION.weight + c]
            for a in range(3):
                missing -= w * r[SEPARATION.direction + a] * (x[i, a] - x0[i, a])
        before = r[SEPARATION.multiplier]
        after = min(max(before + missing * r[SEPARATION.effective_mass], before * 0), r[SEPARATION.limit])
        push = after - before
        if push == 0:
            continue
        r[SEPARATION.multiplier] = after
        for c in range(CORNERS):
            i = corners[p, c]
            w = push * r[SEPARATION.weight + c] * x[i, 3]
            for a in range(3):
                x[i, a] += w * r[SEPARATION.direction + a]


@kernel
def damp(table, v):
    """Damp half of the speed of separated vertices: separation is to move surfaces, not to eject them.

    Written: v (n, 3) [m/s].
    """
    corners, rows = table
    seen = np.zeros(len(v), np.bool_)
    for p in range(len(rows)):
        for c in range(CORNERS):
            if rows[p, SEPARATION.weight + c] != 0:
                seen[corners[p, c]] = True
    mean, number = np.zeros(3), 0
    for i in range(len(v)):
        if seen[i]:
            number += 1
            for a in range(3):
                mean[a] += v[i, a]
    mean /= max(number, 1)
    for i in range(len(v)):
        if seen[i]:
            for a in range(3):
                v[i, a] -= 0.5 * (v[i, a] - mean[a])
