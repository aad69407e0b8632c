"""Taking tangles apart: surfaces that pass through each other at the start, or where something was pinched.

Where edges pass through triangles, a contour runs along both surfaces. Contact leaves the particles around it alone,
and each contour as a whole is pushed the way that shortens it. One that runs from border to border keeps its length
wherever it moves; there the smaller of the pieces that it cuts off is pushed through. Source: Volino and
Magnenat-Thalmann 2006, "Resolving surface collisions through intersection contour minimization"; the cut off pieces as
in Baraff, Witkin and Kass 2003, "Untangling cloth".
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..topology.edges import pair_keys
from .surfaces import Surfaces

Array = np.ndarray

#: Mean slope of a contour's length below which it does not tell where to go.
UNDECIDED = 0.3
#: Rings of triangles around what is hit that contact leaves alone.
RINGS = 2
#: Particles of a cut-off piece that are looked at, at most.
LARGEST_PIECE = 20000


class Tangles:
    """The intersection contours of one moment. hits: (k, 2) edge and triangle. contour, side: of each hit, (k,).

    side: +1 where the edge belongs to the first of the two surfaces, -1 where the triangle does.
    """

    def __init__(self, surfaces: Surfaces, hits: Array) -> None:
        self.surfaces, self.hits = surfaces, hits
        self.contour, self.side = self._contours()

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

    def push(self, x: Array, size: float, share: Array) -> Array:
        """Displacement that takes the tangles apart [m], (count, 3).

        x: (count, 4) [m]. size: of a displacement, at most [m]. share: (count,), zero for what does not move.
        """
        s, (edge, triangle) = self.surfaces, self.hits.T
        slope = np.zeros((len(self.hits), 3))
        normal = np.zeros((len(self.hits), 3))
        _slopes(x, s.edges, s.opposite, s.triangles, self.hits, slope, normal)
        count = self.contour.max() + 1
        total = np.zeros((count, 3))
        np.add.at(total, self.contour, self.side[:, None] * slope)
        number = np.bincount(self.contour, minlength=count)
        mean = total / number[:, None]
        way = self.side[:, None] * mean[self.contour]
        undecided = np.linalg.norm(mean, axis=1) < UNDECIDED
        for c in np.flatnonzero(undecided):
            mine = np.flatnonzero(self.contour == c)
            way[mine] = self._through(x, mine, normal)
        length = np.linalg.norm(way, axis=1, keepdims=True)
        way = size * way / np.maximum(length, 0.2)
        total, weight = np.zeros((s.count, 3)), np.zeros(s.count)
        edge_moves, triangle_moves = share[s.edges[edge]].any(1), share[s.triangles[triangle]].any(1)
        for corners, sign, other in ((s.edges[edge], 1.0, triangle_moves), (s.triangles[triangle], -1.0, edge_moves)):
            part = sign * np.where(other, 0.5, 1.0)[:, None] * way
            for k in range(corners.shape[1]):
                np.add.at(total, corners[:, k], part)
                np.add.at(weight, corners[:, k], 1.0)
        total[share == 0] = 0.0
        return total / np.maximum(weight, 1.0)[:, None]

    def _through(self, x: Array, mine: Array, normal: Array) -> Array:
        """Ways of the hits of one contour that push the smaller piece through: (k, 3), for the edge's side."""
        s, hits = self.surfaces, self.hits[mine]
        cut = np.zeros(len(s.edges), bool)
        cut[hits[:, 0]] = True
        ahead = np.zeros((len(mine), 2), bool)  # which end of the edge is in front of its triangle
        for k in range(2):
            d = x[s.edges[hits[:, 0], k], :3].astype(float) - x[s.triangles[hits[:, 1], 0], :3]
            ahead[:, k] = (d * normal[mine]).sum(1) > 0
        best, choice = LARGEST_PIECE + 1, None
        label = np.zeros(s.count, np.int8)
        for side in (1, -1):
            of_side = self.side[mine] == side
            if not of_side.any():
                continue
            for end in (0, 1):
                first = s.edges[hits[of_side, 0], :][
                    np.arange(of_side.sum()), self._ends(hits[of_side], ahead[of_side], end)
                ]
                size = _piece(first, cut, s.at_vertex_first, s.at_vertex, s.edges, label, best)
                if size < best:
                    best, choice = size, (side, label == 1)
        if choice is None:
            return np.zeros((len(mine), 3))
        side, piece = choice
        way = np.zeros((len(mine), 3))
        for k in range(2):
            inside = (self.side[mine] == side) & piece[s.edges[hits[:, 0], k]]
            way[inside] = np.where(ahead[inside, k], -1.0, 1.0)[:, None] * normal[mine[inside]]
        if not way.any():
            return way
        mean = way.sum(0) / max(1, int(way.any(1).sum()))
        return (self.side[mine] * side)[:, None] * mean[None]

    def _ends(self, hits: Array, ahead: Array, end: int) -> Array:
        """Of each hit edge the end that lies in one of the two pieces: told by the first hit's side of its triangle."""
        return np.where(ahead[:, 0], 0, 1) if end == 0 else np.where(ahead[:, 0], 1, 0)

    def _contours(self) -> tuple[Array, Array]:
        """Hits that share a pair of crossing triangles follow each other along a contour."""
        s, (edge, triangle) = self.surfaces, self.hits.T
        around = _triangles_of_edges(s)[edge]
        hit, column = np.nonzero(around >= 0)
        keys = pair_keys(around[hit, column], triangle[hit])
        order = np.lexsort((hit, keys))
        contour, side = np.zeros(len(edge), np.int64), np.ones(len(edge))
        _join(keys[order], hit[order], around[hit[order], column[order]], contour, side)
        _, contour = np.unique(contour, return_inverse=True)
        return contour.ravel(), side


def _triangles_of_edges(s: Surfaces) -> Array:
    """The one or two triangles at each edge, -1 for none, (e, 2)."""
    around = np.full((len(s.edges), 2), -1, np.int64)
    order = np.argsort(s.sides.ravel(), kind="stable")
    edge = s.sides.ravel()[order]
    place = np.arange(len(order)) - np.searchsorted(edge, edge)
    for k in range(2):
        around[edge[place == k], k] = order[place == k] // 3
    return around


@kernel
def _join(keys, hit, near, contour, side):
    """Joins hits with equal keys. near: triangle at the edge. Two hits are of one side if theirs is the same.

    Written: contour, a number for each; side, +1 or -1 against the first hit of its contour, both (k,).
    """
    parent, parity = np.arange(len(contour)), np.ones(len(contour))
    for q in range(1, len(keys)):
        if keys[q] != keys[q - 1]:
            continue
        i, j = hit[q - 1], hit[q]
        same = 1.0 if near[q] == near[q - 1] else -1.0
        a, b = i, j
        while parent[a] != a:
            same *= parity[a]
            a = parent[a]
        while parent[b] != b:
            same *= parity[b]
            b = parent[b]
        if a != b:
            low, high = min(a, b), max(a, b)
            parent[high], parity[high] = low, same
    for i in range(len(contour)):
        a, sign = i, 1.0
        while parent[a] != a:
            sign *= parity[a]
            a = parent[a]
        contour[i], side[i] = a, sign


@kernel
def _slopes(x, edges, opposite, triangles, hits, slope, normal):
    """The direction in which moving the edge, against the triangle, shortens the contour, and the triangle's normal.

    Written: slope, normal (k, 3), float64.
    """
    for h in range(len(hits)):
        e, t = hits[h, 0], hits[h, 1]
        p = x[edges[e, 0], :3].astype(np.float64)
        d = x[edges[e, 1], :3].astype(np.float64) - p
        d /= np.sqrt((d * d).sum()) + 1e-30
        a = x[triangles[t, 0], :3].astype(np.float64)
        n = np.cross(x[triangles[t, 1], :3].astype(np.float64) - a, x[triangles[t, 2], :3].astype(np.float64) - a)
        n /= np.sqrt((n * n).sum()) + 1e-30
        steep = (d * n).sum()
        if abs(steep) < 0.05:
            steep = 0.05 if steep >= 0 else -0.05
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


@kernel
def _piece(first, cut, start, around, edges, label, most):
    """Size of the piece around the particles `first` that no cut edge leads out of; more than `most` is not counted.

    Written: label (count,), 1 in the piece.
    """
    label[:] = 0
    queue = np.empty(len(label), np.int64)
    count = 0
    for i in first:
        if label[i] == 0:
            label[i] = 1
            queue[count] = i
            count += 1
    done = 0
    while done < count and count <= most:
        i = queue[done]
        done += 1
        for k in range(start[i], start[i + 1]):
            e = around[k]
            if cut[e]:
                continue
            j = edges[e, 0] + edges[e, 1] - i
            if label[j] == 0:
                label[j] = 1
                queue[count] = j
                count += 1
    return count
