"""Positive definite second derivatives of a patch's energy, as a banded matrix: what the solve divides by."""

import math

import numpy as np

from ..device.cpu import kernel
from .rods import ROUNDED, moved


def vertex_order(n: int, links: np.ndarray) -> tuple[np.ndarray, int]:
    """Places of n vertices in which linked ones stand near each other, shape (n,), and how far apart they stand at most.

    links: pairs of vertices, shape (k, 2). Source: Cuthill and McKee 1969, reversed.
    """
    links = links[links[:, 0] != links[:, 1]]
    both = np.unique(np.concatenate([links, links[:, ::-1]]), axis=0)
    start = np.searchsorted(both[:, 0], np.arange(n + 1))
    degree = np.diff(start)
    seen = np.zeros(n, bool)
    order: list[int] = []
    while len(order) < n:
        left = np.flatnonzero(~seen)
        root = int(left[np.argmin(degree[left])])
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
    """Adds weight times the square of a row over `count` vertices, to which places (3,) and row (3, 3) belong. A row that
    does not fit into the band is left out whole, so that the sum stays positive."""
    width = (band.shape[1] - 3) // 3
    for i in range(count):
        for j in range(i):
            if abs(places[i] - places[j]) > width:
                return
    for i in range(count):
        for j in range(count):
            if places[j] >= places[i]:
                for k in range(3):
                    r = 3 * places[i] + k
                    for l in range(k if places[i] == places[j] else 0, 3):
                        band[r, 3 * places[j] + l - r] += weight * row[i, k] * row[j, l]


@kernel
def assemble(rods, pairs, count, x, motions, slopes, place, shift, band):
    """Writes band (3n, 3 width + 3), rows in the order of `place`: stretch, bending and contact, each with only what is
    positive of it, and `shift` [N/m] on the diagonal. Arrays as in `rods.py`; slopes: dx/dq, (n, 3, 3)."""
    band[:] = 0.0
    band[:, 0] = shift
    places = np.empty(3, np.int64)
    row = np.empty((3, 3))
    for v in range(len(x)):
        a, b = rods.before[v], rods.after[v]
        ma, mb = motions[rods.image_before[v]], motions[rods.image_after[v]]
        mv = motions[motions.shape[0] // 2]
        ax, ay, az = moved(x, a, ma)
        bx, by, bz = moved(x, b, mb)
        fx, fy, fz = x[v, 0] - ax, x[v, 1] - ay, x[v, 2] - az
        ex, ey, ez = bx - x[v, 0], by - x[v, 1], bz - x[v, 2]
        lf = math.sqrt(fx * fx + fy * fy + fz * fz)
        le = math.sqrt(ex * ex + ey * ey + ez * ez)
        strain = le / rods.length[v] - 1.0
        places[0], places[1], places[2] = place[v], place[b], place[a]
        sideways = max(0.0, rods.stretch[v] * strain / le)
        along = rods.stretch[v] / rods.length[v]
        over = 1.0 / max(lf * le + fx * ex + fy * ey + fz * ez, 1e-3 * lf * le)
        kx = 2.0 * (fy * ez - fz * ey) * over
        ky = 2.0 * (fz * ex - fx * ez) * over
        kz = 2.0 * (fx * ey - fy * ex) * over
        turn = math.sqrt(kx * kx + ky * ky + kz * kz)
        rounded = math.sqrt(turn * turn + ROUNDED * ROUNDED)
        stiff = rods.bend[v] / rods.share[v]
        across = max(0.0, 1.0 - rods.turned[v] / rounded)
        radial = max(across, 1.0 - rods.turned[v] * ROUNDED * ROUNDED / rounded**3)
        tx, ty, tz = ex / le + fx / lf, ey / le + fy / lf, ez / le + fz / lf
        for c in range(4):
            if c < 3:
                ux, uy, uz = 1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2)
                weight = across
            else:
                ux, uy, uz = kx / max(turn, 1e-9), ky / max(turn, 1e-9), kz / max(turn, 1e-9)
                weight = radial - across
            if weight > 0.0:
                tilt = (ux * kx + uy * ky + uz * kz) * over
                two = 2.0 * over
                dex = two * (uy * fz - uz * fy) - tilt * lf * tx
                dey = two * (uz * fx - ux * fz) - tilt * lf * ty
                dez = two * (ux * fy - uy * fx) - tilt * lf * tz
                dfx = two * (ey * uz - ez * uy) - tilt * le * tx
                dfy = two * (ez * ux - ex * uz) - tilt * le * ty
                dfz = two * (ex * uy - ey * ux) - tilt * le * tz
                row[0, 0], row[0, 1], row[0, 2] = to_material(slopes, v, mv, dfx - dex, dfy - dey, dfz - dez)
                row[1, 0], row[1, 1], row[1, 2] = to_material(slopes, b, mb, dex, dey, dez)
                row[2, 0], row[2, 1], row[2, 2] = to_material(slopes, a, ma, -dfx, -dfy, -dfz)
                add_row(band, places, row, 3, stiff * weight)
            if c < 3 and sideways > 0.0:
                row[0, 0], row[0, 1], row[0, 2] = to_material(slopes, v, mv, -ux, -uy, -uz)
                row[1, 0], row[1, 1], row[1, 2] = to_material(slopes, b, mb, ux, uy, uz)
                add_row(band, places, row, 2, sideways)
        ex, ey, ez = ex / le, ey / le, ez / le
        row[0, 0], row[0, 1], row[0, 2] = to_material(slopes, v, mv, -ex, -ey, -ez)
        row[1, 0], row[1, 1], row[1, 2] = to_material(slopes, b, mb, ex, ey, ez)
        add_row(band, places, row, 2, along - max(0.0, min(sideways, along)))
    mv = motions[motions.shape[0] // 2]
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
