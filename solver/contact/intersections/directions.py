"""Untangling directions: where surfaces that pass through each other are to be pulled.

Where moving the one surface against the other shortens their contour, there. Source: Volino and Magnenat-Thalmann 2006,
"Resolving surface collisions through intersection contour minimization". A contour that runs from border to border keeps its
length wherever it moves: of the four parts that it divides the two surfaces into, the one that ends soonest is pulled
through; a part ends at a border that lies across the direction, or where nothing is left of it. The part that hangs through
is chosen as in Baraff, Witkin and Kass 2003, "Untangling cloth", by flooding from the contour.
"""

from __future__ import annotations

import numpy as np

from ...device.cpu import kernel
from ...steering import CERTAIN, HUNG, SHALLOW
from ..surfaces.surfaces import Surfaces

Array = np.ndarray

#: Length of a mean of unit directions from which these agree, and cosine from which two directions do.
HALF = 0.5


def untangling_directions(
    surfaces: Surfaces, intersections: Array, contour: Array, side: Array, x: Array, previous: Array
) -> Array:
    """Unit vector, or zero without a rule, that each contour's first surface is to move along: (contours, 3).

    intersections: (k, 2) edge and triangle. contour, side: of each, see `contours`. x: (count, 4) [m], zero in the last
    column of fixed particles. previous: (count, 3), the direction in which each particle was pulled, zero for none.
    """
    s, count = surfaces, int(contour.max()) + 1
    slope, normal, total, before = (np.zeros((k, 3), "float64") for k in (*[len(intersections)] * 2, count, count))
    _slopes(x, s.edges, s.opposite, s.triangles, intersections, slope, normal)
    np.add.at(total, contour, side[:, None] * slope)
    apart = previous[s.edges[intersections[:, 0]]].mean(1) - previous[s.triangles[intersections[:, 1]]].mean(1)
    np.add.at(before, contour, 0.5 * side[:, None] * apart)
    before /= np.bincount(contour, minlength=count)[:, None]
    steepness = np.zeros(count, "float64")
    np.add.at(steepness, contour, np.linalg.norm(slope, axis=-1))
    size = np.linalg.norm(total, axis=-1)
    agreed = size / np.maximum(steepness, 1e-30)
    directions = total / np.maximum(size, 1e-30)[:, None]
    parts = None
    for c in np.flatnonzero(agreed < CERTAIN):
        turned = directions[c] @ before[c] < -SHALLOW
        if agreed[c] < HALF * CERTAIN:
            mine = np.flatnonzero(contour == c)
            parts = parts or _Parts(s, intersections, x)
            directions[c] = parts.shortest(mine, side[mine], normal[mine], before[c])
        elif turned:
            directions[c] = before[c] / np.sqrt(before[c] @ before[c])
    return directions


class _Parts:
    """The parts that contours divide surfaces into. intersections: of all contours."""

    def __init__(self, surfaces: Surfaces, intersections: Array, x: Array) -> None:
        s = self.surfaces = surfaces
        self.intersections, self.x = intersections, x
        self.cut = np.zeros(len(s.edges), bool)
        self.cut[intersections[:, 0]] = True
        self.outward = _outward(s, x)
        self.label, self.length = np.zeros(s.count, "int32"), np.zeros(s.count, "float64")

    def shortest(self, mine: Array, side: Array, normal: Array, before: Array) -> Array:
        """The direction, for a contour's first surface, that pulls the shortest of its parts through; zero if there is none.

        mine: the contour's intersections, (k,). side: (k,). normal: of their triangles, (k, 3).
        """
        s, x = self.surfaces, self.x
        best, chosen = float("inf"), np.zeros(3, "float64")
        for one in (1, -1):
            of = np.flatnonzero(side == one)
            if not len(of):
                continue
            edges, n = s.edges[self.intersections[mine[of], 0]], normal[of]
            corner = x[s.triangles[self.intersections[mine[of], 1], 0], :3].astype("float64", copy=False)
            height = [((x[edges[:, k], :3] - corner) * n).sum(1) for k in range(2)]
            ahead = (height[1] > height[0]).astype("int64", copy=False)  # the end in front of the triangle
            share = height[0] / np.where(height[0] == height[1], 1.0, height[0] - height[1])
            far = x[edges[:, 1], :3].astype("float64", copy=False)
            point = x[edges[:, 0], :3] + share[:, None] * (far - x[edges[:, 0], :3])
            fixed = not (x[s.owner == s.owner[edges[0, 0]], 3] > 0).any()
            for end in (ahead, 1 - ahead):
                direction = (np.where(end == ahead, -1.0, 1.0)[:, None] * n).mean(0)
                size = np.sqrt(direction @ direction)
                if size < HALF:
                    continue
                first = edges[np.arange(len(of), dtype="int64"), end]
                away = x[first, :3] - point
                away = (away / np.maximum(np.linalg.norm(away, axis=-1), 1e-30)[:, None]).mean(0)
                length, held = _reach(
                    first, point, away, self.cut, s.at_vertex_first, s.at_vertex, s.edges, x, self.outward, self.label,
                    self.length,
                )  # fmt: skip
                if held and not fixed:
                    length *= HUNG
                if one * (direction @ before) > SHALLOW:
                    length *= HALF
                if length < best:
                    best, chosen = length, one * direction / size
        return chosen


def _outward(s: Surfaces, x: Array) -> Array:
    """Sum of the unit normals of borders at each particle, in the surface and out of it, (count, 3); zero inside."""
    directions = np.zeros((s.count, 3), "float64")
    border = np.flatnonzero((s.opposite[:, 1] < 0) & (s.opposite[:, 0] >= 0))
    a, b = (x[s.edges[border, k], :3].astype("float64", copy=False) for k in range(2))
    along = (b - a) / np.maximum(np.linalg.norm(b - a, axis=-1), 1e-30)[:, None]
    out = a - x[s.opposite[border, 0], :3]
    out -= (out * along).sum(1)[:, None] * along
    out /= np.maximum(np.linalg.norm(out, axis=-1), 1e-30)[:, None]
    for k in range(2):
        np.add.at(directions, s.edges[border, k], out)
    return directions


@kernel
def _reach(first, point, away, cut, start, around, edges, x, outward, label, length):
    """Measure the reach of a part from its contour [m], and whether it hangs on something that does not move.

    first: ends of the contour's edges in the part, point: where these edges meet the contour [m], (k, 3). away: mean of the
    unit vectors from these to those, (3,). cut: edges that no part goes over. Written: label, length: scratch, (count,).
    """
    label[:] = 0
    queue = np.empty(len(label), np.int64)
    count, most, held, size = 0, 0.0, False, np.sqrt((away * away).sum())
    for h in range(len(first)):
        i = first[h]
        if label[i] == 0:
            label[i] = 1
            square = 0.0
            for a in range(3):
                square += (x[i, a] - point[h, a]) ** 2
            length[i] = np.sqrt(square)
            queue[count] = i
            count += 1
    done = 0
    while done < count:
        i = queue[done]
        done += 1
        most = max(most, length[i])
        held = held or x[i, 3] == 0
        square, along = 0.0, 0.0
        for a in range(3):
            square += outward[i, a] * outward[i, a]
            along += away[a] * outward[i, a]
        if along > HALF * size * np.sqrt(square):
            return length[i], held
        for k in range(start[i], start[i + 1]):
            e = around[k]
            if cut[e]:
                continue
            j = edges[e, 0] + edges[e, 1] - i
            if label[j] == 0:
                label[j] = 1
                square = 0.0
                for a in range(3):
                    square += (x[j, a] - x[i, a]) ** 2
                length[j] = length[i] + np.sqrt(square)
                queue[count] = j
                count += 1
    return most, held


@kernel
def _slopes(x, edges, opposite, triangles, intersections, slope, normal):
    """The direction in which moving the edge, against the triangle, shortens the contour, and the triangle's normal.

    Written: slope, normal (k, 3), float64.
    """
    for h in range(len(intersections)):
        e, t = intersections[h, 0], intersections[h, 1]
        p = x[edges[e, 0], :3].astype(np.float64)
        d = x[edges[e, 1], :3].astype(np.float64) - p
        d /= np.sqrt((d * d).sum()) + 1e-30
        a = x[triangles[t, 0], :3].astype(np.float64)
        n = np.cross(x[triangles[t, 1], :3].astype(np.float64) - a, x[triangles[t, 2], :3].astype(np.float64) - a)
        n /= np.sqrt((n * n).sum()) + 1e-30
        steep = (d * n).sum()
        if abs(steep) < SHALLOW:
            steep = SHALLOW if steep >= 0 else -SHALLOW
        normal[h] = n
        for side in range(2):
            o = opposite[e, side]
            if o < 0:
                continue
            inward = x[o, :3].astype(np.float64) - p
            inward -= d * (inward * d).sum()
            m = np.cross(d, inward)
            r = np.cross(n, m)
            size = np.sqrt((r * r).sum())
            if size < 1e-9 * np.sqrt((m * m).sum()) or size == 0:
                continue
            r /= size
            if (r * inward).sum() < 0:
                r = -r
            slope[h] += r - 2 * (d * r).sum() / steep * n
    return
