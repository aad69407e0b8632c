"""Material frames of the edges of yarns: the shape that a yarn has been set to turns with the yarn, not about it.

An edge's frame is (d1, d2, t), t along it. At rest it is kept; elsewhere it is the kept one turned by the smallest rotation
from the kept t to the present one, then about t by an angle that is an unknown, the vertex's fourth: so frames are functions
of the state alone, and no turn is lost where a yarn bends in space.
Source: Bergou et al. 2008, "Discrete Elastic Rods": frames adapted to a centre line, and an angle for each edge.
"""

import math

import numpy as np

from ..device.cpu import kernel


@kernel
def moved(x, v, m):
    """Vertex v of x in the image of rigid motion m (5,)."""
    return x[v, 0] * m[0] - x[v, 2] * m[1] + m[2], x[v, 1] + m[3], x[v, 2] * m[0] + x[v, 0] * m[1] + m[4]


@kernel
def turned(row, m):
    """A direction (3,) in the image of rigid motion m (5,)."""
    return row[0] * m[0] - row[2] * m[1], row[1], row[2] * m[0] + row[0] * m[1]


@kernel
def edge_frames(rods, q, x, motions, shape, frames, lengths):
    """Write frames (n, 4, 3): d1, d2 and t of the edge from each vertex to the one after it, and the rotation about t per
    unit change of t; lengths (n,) of the edges [m].

    shape: of `cylinder.cylinder`, (5,); its in-plane rotation of the sheet turns the kept frames too.
    """
    over, beside = shape[0] + shape[3], shape[2] - shape[1]
    size = math.sqrt(over * over + beside * beside)
    cz, sz = over / size, beside / size
    for v in range(len(x)):
        bx, by, bz = moved(x, rods.after[v], motions[rods.image_after[v]])
        ex, ey, ez = bx - x[v, 0], by - x[v, 1], bz - x[v, 2]
        lengths[v] = math.sqrt(ex * ex + ey * ey + ez * ez)
        tx, ty, tz = ex / lengths[v], ey / lengths[v], ez / lengths[v]
        o, d = rods.tangent[v], rods.director[v]
        ox, oy, oz = cz * o[0] - sz * o[1], sz * o[0] + cz * o[1], o[2]
        dx, dy, dz = cz * d[0] - sz * d[1], sz * d[0] + cz * d[1], d[2]
        kx, ky, kz = oy * tz - oz * ty, oz * tx - ox * tz, ox * ty - oy * tx
        c = ox * tx + oy * ty + oz * tz
        share = 1.0 / max(1.0 + c, 1e-3)
        along = (kx * dx + ky * dy + kz * dz) * share
        ax = c * dx + ky * dz - kz * dy + along * kx
        ay = c * dy + kz * dx - kx * dz + along * ky
        az = c * dz + kx * dy - ky * dx + along * kz
        bx, by, bz = ty * az - tz * ay, tz * ax - tx * az, tx * ay - ty * ax
        turn = q[v, 3] / rods.radius[v]
        c, s = math.cos(turn), math.sin(turn)
        f = frames[v]
        f[0, 0], f[0, 1], f[0, 2] = c * ax + s * bx, c * ay + s * by, c * az + s * bz
        f[1, 0], f[1, 1], f[1, 2] = c * bx - s * ax, c * by - s * ay, c * bz - s * az
        f[2, 0], f[2, 1], f[2, 2] = tx, ty, tz
        f[3, 0], f[3, 1], f[3, 2] = kx * share, ky * share, kz * share


@kernel
def rod_strain(frames, v, a, m):
    """Return curvature about d1 and d2 of the edge after vertex v, and twist, times the vertex's share of length: twice the
    tangent of half the rotation from the frame of the edge before it (that of vertex a, in the image of m), along its axis,
    (3,).
    """
    f1, f2, f3 = turned(frames[a, 0], m), turned(frames[a, 1], m), turned(frames[a, 2], m)
    e = frames[v]
    sx = f1[1] * e[0, 2] - f1[2] * e[0, 1] + f2[1] * e[1, 2] - f2[2] * e[1, 1] + f3[1] * e[2, 2] - f3[2] * e[2, 1]
    sy = f1[2] * e[0, 0] - f1[0] * e[0, 2] + f2[2] * e[1, 0] - f2[0] * e[1, 2] + f3[2] * e[2, 0] - f3[0] * e[2, 2]
    sz = f1[0] * e[0, 1] - f1[1] * e[0, 0] + f2[0] * e[1, 1] - f2[1] * e[1, 0] + f3[0] * e[2, 1] - f3[1] * e[2, 0]
    trace = 0.0
    for k in range(3):
        trace += f1[k] * e[0, k] + f2[k] * e[1, k] + f3[k] * e[2, k]
    over = 2.0 / max(1.0 + trace, 1e-3)
    return (
        over * (sx * e[0, 0] + sy * e[0, 1] + sz * e[0, 2]),
        over * (sx * e[1, 0] + sy * e[1, 1] + sz * e[1, 2]),
        over * (sx * e[2, 0] + sy * e[2, 1] + sz * e[2, 2]),
    )


@kernel
def rotated(frame, u, w1, w2, w3):
    """Return the derivative of the strain u (3,), weighted by w, by the rotation of its frame (4, 3) in space: the transpose
    of I + u u^T / 4 + [u] / 2, applied to w, in space. For the frame before it the negative."""
    along = 0.25 * (u[0] * w1 + u[1] * w2 + u[2] * w3)
    a1 = w1 + along * u[0] + 0.5 * (w2 * u[2] - w3 * u[1])
    a2 = w2 + along * u[1] + 0.5 * (w3 * u[0] - w1 * u[2])
    a3 = w3 + along * u[2] + 0.5 * (w1 * u[1] - w2 * u[0])
    return (
        a1 * frame[0, 0] + a2 * frame[1, 0] + a3 * frame[2, 0],
        a1 * frame[0, 1] + a2 * frame[1, 1] + a3 * frame[2, 1],
        a1 * frame[0, 2] + a2 * frame[1, 2] + a3 * frame[2, 2],
    )


@kernel
def over_edge(frame, length, rx, ry, rz):
    """A row r over the rotation of an edge's frame (4, 3), as one over the edge [1/m], and over its turn about itself."""
    t, drift = frame[2], frame[3]
    about = rx * t[0] + ry * t[1] + rz * t[2]
    return (
        (ry * t[2] - rz * t[1] - about * drift[0]) / length,
        (rz * t[0] - rx * t[2] - about * drift[1]) / length,
        (rx * t[1] - ry * t[0] - about * drift[2]) / length,
        about,
    )


def transported(edges: np.ndarray) -> np.ndarray:
    """d1 of each edge (n, 3) of one period of a yarn, transported along it without turning about it, and turned evenly
    so that it closes, (n, 3)."""
    t = edges / np.linalg.norm(edges, axis=1)[:, None]
    first = np.cross(t[0], np.eye(3)[np.argmin(np.abs(t[0]))])
    directors = [first / np.linalg.norm(first)]
    for here, there in zip(t, np.roll(t, -1, axis=0), strict=True):
        axis, d = np.cross(here, there), directors[-1]
        directors.append((here @ there) * d + np.cross(axis, d) + (axis @ d) / (1.0 + here @ there) * axis)
    last = directors.pop()
    turn = np.arctan2(t[0] @ np.cross(last, directors[0]), last @ directors[0]) * np.arange(len(t)) / len(t)
    d = np.array(directors)
    return d * np.cos(turn)[:, None] + np.cross(t, d) * np.sin(turn)[:, None]
