"""Positive definite second derivatives of a patch's energy, as a banded matrix: the preconditioner of the solve."""

import math

import numpy as np

from ..device.cpu import kernel
from .frames import edge_frames, moved, over_edge, rod_strain, rotated, turned


def vertex_order(n: int, links: np.ndarray) -> tuple[np.ndarray, int]:
    """Return places of n vertices in which linked ones are near each other, shape (n,), and the largest distance of linked
    ones.

    links: pairs of vertices, shape (k, 2). Source: Cuthill and McKee 1969, reversed.
    """
    links = links[links[:, 0] != links[:, 1]]
    both = np.unique(np.concatenate([links, links[:, ::-1]]), axis=0)
    start = np.searchsorted(both[:, 0], np.arange(n + 1))
    degree = np.diff(start)
    seen = np.zeros(n, bool)
    order: list[int] = []
    while len(order) < n:
        unvisited = np.flatnonzero(~seen)
        root = int(unvisited[np.argmin(degree[unvisited])])
        seen[root], queue = True, [root]
        for v in queue:
            near = both[start[v] : start[v + 1], 1]
            near = near[~seen[near]]
            seen[near] = True
            queue += [int(w) for w in near[np.argsort(degree[near], kind="stable")]]
        order += queue
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)[::-1]
    widest = int(np.abs(place[links[:, 0]] - place[links[:, 1]]).max(initial=1))
    return place, widest


@kernel
def to_material(slopes, v, m, x, y, z):
    """A row over the position of an image's vertex, as one over its material coordinates."""
    rx, rz = m[0] * x + m[1] * z, m[0] * z - m[1] * x
    s = slopes[v]
    return (
        s[0, 0] * rx + s[1, 0] * y + s[2, 0] * rz,
        s[0, 1] * rx + s[1, 1] * y + s[2, 1] * rz,
        s[0, 2] * rx + s[1, 2] * y + s[2, 2] * rz,
    )


@kernel
def add_row(band, places, row, count, weight):
    """Add weight times the square of a row over `count` vertices, to which places (3,) and row (3, 4) belong. A row that
    does not fit into the band is left out whole, so that the sum stays positive."""
    width = (band.shape[1] - 4) // 4
    for i in range(count):
        for j in range(i):
            if abs(places[i] - places[j]) > width:
                return
    for i in range(count):
        for j in range(count):
            if places[j] >= places[i]:
                for k in range(4):
                    r = 4 * places[i] + k
                    for l in range(k if places[i] == places[j] else 0, 4):
                        band[r, 4 * places[j] + l - r] += weight * row[i, k] * row[j, l]


@kernel
def assemble(rods, pairs, count, q, x, motions, shape, slopes, place, shift, band):
    """Write band (4n, 4 width + 4), rows in the order of `place`: stretch, bending, twist and contact, each with its
    positive part only, and `shift` [N/m] on the diagonal. Arrays as in `rods.py`; slopes: dx/dq, (n, 3, 3)."""
    band[:] = 0.0
    band[:, 0] = shift
    places = np.empty(3, np.int64)
    row = np.zeros((3, 4))
    n = len(x)
    frames, lengths, before = np.empty((n, 4, 3)), np.empty(n), np.empty((4, 3))
    edge_frames(rods, q, x, motions, shape, frames, lengths)
    mv = motions[motions.shape[0] // 2]
    for v in range(n):
        a, b = rods.before[v], rods.after[v]
        ma, mb = motions[rods.image_before[v]], motions[rods.image_after[v]]
        places[0], places[1], places[2] = place[v], place[b], place[a]
        for k in range(4):
            before[k, 0], before[k, 1], before[k, 2] = turned(frames[a, k], ma)
        u = rod_strain(frames, v, a, ma)
        for c in range(3):
            rx, ry, rz = rotated(frames[v], u, 1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2))
            ex, ey, ez, turn_e = over_edge(frames[v], lengths[v], rx, ry, rz)
            fx, fy, fz, turn_f = over_edge(before, lengths[a], rx, ry, rz)
            row[0, 0], row[0, 1], row[0, 2] = to_material(slopes, v, mv, -ex - fx, -ey - fy, -ez - fz)
            row[1, 0], row[1, 1], row[1, 2] = to_material(slopes, b, mb, ex, ey, ez)
            row[2, 0], row[2, 1], row[2, 2] = to_material(slopes, a, ma, fx, fy, fz)
            row[0, 3], row[1, 3], row[2, 3] = turn_e / rods.radius[v], 0.0, -turn_f / rods.radius[a]
            stiff = rods.bend[v] if c < 2 else rods.twist[v]
            add_row(band, places, row, 3, stiff / rods.share[v])
        row[:, 3] = 0.0
        t = frames[v, 2]
        strain = lengths[v] / rods.length[v] - 1.0
        sideways = max(0.0, rods.stretch[v] * strain / lengths[v])
        along = rods.stretch[v] / rods.length[v]
        for c in range(4):
            weight = sideways if c < 3 else along - min(sideways, along)
            if weight > 0.0:
                ux, uy, uz = (1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2)) if c < 3 else (t[0], t[1], t[2])
                row[0, 0], row[0, 1], row[0, 2] = to_material(slopes, v, mv, -ux, -uy, -uz)
                row[1, 0], row[1, 1], row[1, 2] = to_material(slopes, b, mb, ux, uy, uz)
                add_row(band, places, row, 2, weight)
    for p in range(count):
        a, b = pairs[0, p], pairs[1, p]
        m = motions[pairs[2, p]]
        bx, by, bz = moved(x, b, m)
        ex, ey, ez = bx - x[a, 0], by - x[a, 1], bz - x[a, 2]
        reach = rods.radius[a] + rods.radius[b]
        d2 = (ex * ex + ey * ey + ez * ez) / (reach * reach)
        if d2 < 1.0:
            stiff = math.sqrt(rods.press[a] * rods.press[b]) * rods.share[a] * rods.share[b]
            d = math.sqrt(d2) * reach
            ex, ey, ez = ex / d, ey / d, ez / d
            places[0], places[1] = place[a], place[b]
            row[0, 0], row[0, 1], row[0, 2] = to_material(slopes, a, mv, -ex, -ey, -ez)
            row[1, 0], row[1, 1], row[1, 2] = to_material(slopes, b, m, ex, ey, ez)
            add_row(band, places, row, 2, stiff * (2.0 + 6.0 / (d2 * d2)) / (reach * reach))
