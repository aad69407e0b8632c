"""What takes tangles apart: each edge that passes through a triangle is pulled, against it, along the way of its contour.

A pull is a contact of five corners that asks for a motion instead of a distance: the point where the edge meets the triangle
is to move by at least `size` in a substep. It is projected with the contacts, so it holds against the energies and the
weight that pull the other way, but with bounded force.
"""

from __future__ import annotations

import numpy as np

from ...device.cpu import kernel

Array = np.ndarray

#: Corners of an edge and a triangle.
CORNERS = 5
# Columns of a pull: way (3), motion that is missing without any corner moving, weights (5), 1 / sum a^2 h^2/m, largest
# multiplier, multiplier.
WAY, MISSING, WEIGHT, INVERSE, MOST, LAMBDA, COLUMNS = 0, 3, 4, 9, 10, 11, 12
#: A pull may move its corners by so many times what is asked for, if they were alone.
STRONG = 12.0
#: Share of the speed of what is pulled, against its surroundings, that it loses in a substep.
CALM = 0.5


@kernel
def fill(hits, edges, triangles, way, strength, size, x0, x1, corners, rows):
    """Starts the pulls, with no force yet.

    hits: (k, 2) edge and triangle. way: unit vector for the edge, against the triangle, (k, 3); zero for none.
    strength: 0 to 1, (k,). size: [m]. x0, x1: particles at the start and the predicted end, (count, 4) [m].
    Written: corners (k, CORNERS), of body vertices that forces move (others have weight 0), rows (k, COLUMNS).
    Returns how many there are.
    """
    count = 0
    w, index = np.empty(CORNERS), np.empty(CORNERS, np.int64)
    d, u, v, s = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for h in range(len(hits)):
        for c in range(2):
            index[c] = edges[hits[h, 0], c]
        for c in range(3):
            index[2 + c] = triangles[hits[h, 1], c]
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
                    missing -= w[c] * way[h, a] * (x1[i, a] - x0[i, a])
        if base < 0 or not spread > 1e-30 or not (way[h] ** 2).sum() > 0:
            continue
        r = rows[count]
        for a in range(3):
            r[WAY + a] = way[h, a]
        for c in range(CORNERS):
            free = x0[index[c], 3] > 0
            corners[count, c] = index[c] if free else base
            r[WEIGHT + c] = w[c] if free else 0.0
        r[MISSING], r[INVERSE], r[MOST], r[LAMBDA] = missing, 1.0 / spread, STRONG * strength[h] * size / spread, 0.0
        count += 1
    return count


@kernel
def sweep(count, corners, rows, x0, x):
    """Projects all pulls in order. Written: rows, x."""
    for p in range(count):
        r = rows[p]
        missing = r[MISSING]
        for c in range(CORNERS):
            i, w = corners[p, c], r[WEIGHT + c]
            for a in range(3):
                missing -= w * r[WAY + a] * (x[i, a] - x0[i, a])
        before = r[LAMBDA]
        after = min(max(before + missing * r[INVERSE], before * 0), r[MOST])
        push = after - before
        if push == 0:
            continue
        r[LAMBDA] = after
        for c in range(CORNERS):
            i = corners[p, c]
            w = push * r[WEIGHT + c] * x[i, 3]
            for a in range(3):
                x[i, a] += w * r[WAY + a]


@kernel
def calm(count, corners, rows, x, x0):
    """Takes the speed of what is pulled against each other: pulling is to move surfaces, not to throw them.

    Written: x0, the start that velocities are taken from, (n, 4).
    """
    seen = np.zeros(len(x), np.bool_)
    for p in range(count):
        for c in range(CORNERS):
            if rows[p, WEIGHT + c] == 0:
                continue
            seen[corners[p, c]] = True
    mean, number = np.zeros(3), 0
    for i in range(len(x)):
        if seen[i]:
            number += 1
            for a in range(3):
                mean[a] += x[i, a] - x0[i, a]
    mean /= max(number, 1)
    for i in range(len(x)):
        if seen[i]:
            for a in range(3):
                x0[i, a] += CALM * (x[i, a] - x0[i, a] - mean[a])
