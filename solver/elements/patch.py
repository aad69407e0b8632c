"""A patch, a triangle of a sheet and its three neighbours: stretches, shear and second fundamental form, and their slopes.

    sx = |Fu| - 1,   sa = Fu.Fv / (|Fu| |Fv|),   sy = |Fv| - 1,   II = sum_e k_e t_e t_e^T,   k_e = -theta_e h_e

Fu, Fv: derivatives of the position along warp and weft. theta_e: fold angle at edge e, 0 at the sheet's end and at rest;
h_e: height of the triangle over the edge, as deformed; t_e: gradient, at rest, of the barycentric coordinate of the corner
opposite. Exact for every quadratic surface on grids of right triangles that are cut one way. k > 0 where the sheet is
hollow on the side of its normal. The six measures of a patch are sx, sa, sy, k_0, k_1, k_2.

`rest` of a patch: shape gradients of the second and third corner along warp and weft [1/m] (4), area times share [m^2],
1 for each edge with a neighbour and 0 for others (3), rest angles (3): edge i lies opposite corner i.
Source: Grinspun, Gingold, Reisman, Zorin 2006, "Computing discrete shape operators on general meshes", linearised.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3
from .hinge import fold

ONE = f32(1)
TINY = f32(1e-30)
#: Numbers of `rest` that this file reads.
REST = 11


def rest(x: np.ndarray, elements: np.ndarray, axes: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """See above, (n, 11). x: rest positions [m], (n_vertices, 3). elements: (n, 6), -1 where the sheet ends. axes: unit
    vectors of warp and weft, (n, 2, 3). fraction: share of the stiffness, (n,)."""
    corners = [x[elements[:, i]] for i in range(3)]
    frame = np.einsum("eij,ekj->eik", axes, np.stack([corners[1] - corners[0], corners[2] - corners[0]], 1))
    gradients = np.linalg.inv(frame)  # rows: of the second and third corner
    area = 0.5 * np.abs(np.linalg.det(frame))
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    inside = elements[:, 3:] >= 0
    angles = np.zeros((len(elements), 3))
    for i in range(3):
        a, b = corners[(i + 1) % 3], corners[(i + 2) % 3]
        flap = x[np.where(inside[:, i], elements[:, 3 + i], elements[:, i])]
        n2 = np.cross(flap - a, b - a)
        sine = (np.cross(normal, n2) * (b - a)).sum(1) / np.linalg.norm(b - a, axis=1)
        angles[:, i] = np.where(inside[:, i], np.arctan2(sine, (normal * n2).sum(1)), 0.0)
    return np.column_stack([gradients.reshape(-1, 4), area * fraction, inside, angles])


@element
def _edge(xa, xb, xc, xd, n, i, keep, angle):
    """k of the edge a b, with its slopes at a, b, the own corner c and the neighbour's corner d; n: own normal of length
    1 / i."""
    theta, ga, gb, gc, gd = fold(xa, xb, xc, xd, n, i)
    e = vec3.sub(xb, xa)
    square = vec3.dot(e, e) + TINY
    height = ONE / (i * math.sqrt(square))
    bend = theta - angle
    # The height's slope at c is the unit vector in the plane away from the edge.
    foot = vec3.dot(vec3.sub(xc, xa), e) / square
    away = vec3.scale(ONE / (height + TINY), vec3.add_scaled(vec3.sub(xc, xa), -foot, e))
    s = -keep * bend
    t = -keep * height
    return (
        s * height,
        vec3.combine(t, ga, -s * (ONE - foot), away),
        vec3.combine(t, gb, -s * foot, away),
        vec3.combine(t, gc, s, away),
        vec3.scale(t, gd),
    )


@element
def measures(corners, g):
    """The six measures and their slopes: of sx, sa, sy at three corners each, of k_i at the edge's two ends, the corner
    opposite and the neighbour's. g: `rest`."""
    x0, x1, x2, y0, y1, y2 = corners
    e1, e2 = vec3.sub(x1, x0), vec3.sub(x2, x0)
    fu, fv = vec3.combine(g[0], e1, g[2], e2), vec3.combine(g[1], e1, g[3], e2)
    lu, lv = math.sqrt(vec3.dot(fu, fu) + TINY), math.sqrt(vec3.dot(fv, fv) + TINY)
    iu, iv = ONE / lu, ONE / lv
    u, v = vec3.scale(iu, fu), vec3.scale(iv, fv)
    shear = vec3.dot(u, v)
    p = vec3.combine(iu, v, -shear * iu, u)  # slope of sa by Fu
    q = vec3.combine(iv, u, -shear * iv, v)
    h0, h1 = -(g[0] + g[2]), -(g[1] + g[3])
    n = vec3.cross(e1, e2)
    i = ONE / math.sqrt(vec3.dot(n, n) + TINY)
    k0 = _edge(x1, x2, x0, y0, n, i, g[5], g[8])
    k1 = _edge(x2, x0, x1, y1, n, i, g[6], g[9])
    k2 = _edge(x0, x1, x2, y2, n, i, g[7], g[10])
    values = (lu - ONE, shear, lv - ONE, k0[0], k1[0], k2[0])
    along_u = (vec3.scale(h0, u), vec3.scale(g[0], u), vec3.scale(g[2], u))
    along_v = (vec3.scale(h1, v), vec3.scale(g[1], v), vec3.scale(g[3], v))
    across = (vec3.combine(h0, p, h1, q), vec3.combine(g[0], p, g[1], q), vec3.combine(g[2], p, g[3], q))
    # Slopes of k_i at corners 0, 1, 2, then at its neighbour's.
    bend0 = (k0[3], k0[1], k0[2], k0[4])
    bend1 = (k1[2], k1[3], k1[1], k1[4])
    bend2 = (k2[1], k2[2], k2[3], k2[4])
    return values, (along_u, across, along_v), (bend0, bend1, bend2)


@element
def curvature_weights(g):
    """(IIxx, IIxy, IIyy) of k_0, k_1, k_2 = 1: t_e t_e^T."""
    a0, a1 = -(g[0] + g[2]), -(g[1] + g[3])
    return (
        (a0 * a0, g[0] * g[0], g[2] * g[2]),
        (a0 * a1, g[0] * g[1], g[2] * g[3]),
        (a1 * a1, g[1] * g[1], g[3] * g[3]),
    )


@element
def strains(values, T):
    """(sx, sa, sy, IIxx, IIxy, IIyy) of the measures. T: `curvature_weights`."""
    k = (values[3], values[4], values[5])
    return values[0], values[1], values[2], vec3.dot(T[0], k), vec3.dot(T[1], k), vec3.dot(T[2], k)


@element
def forces(planar, bend, f):
    """Sum of the slopes of the six measures, each times its f, at the six corners. planar, bend: of `measures`."""
    a, b, c = planar
    p, q, r = bend
    return (
        _five(a[0], b[0], c[0], p[0], q[0], r[0], f),
        _five(a[1], b[1], c[1], p[1], q[1], r[1], f),
        _five(a[2], b[2], c[2], p[2], q[2], r[2], f),
        vec3.scale(f[3], p[3]),
        vec3.scale(f[4], q[3]),
        vec3.scale(f[5], r[3]),
    )


@element
def _five(a, b, c, p, q, r, f):
    return vec3.add(vec3.add(vec3.combine(f[0], a, f[1], b), vec3.combine(f[2], c, f[3], p)), vec3.combine(f[4], q, f[5], r))


@element
def mobility(planar, bend, w):
    """G = S W S^T, how far forces along the measures move them: 21 upper entries by rows. w: of the six corners."""
    a, b, c = planar
    p, q, r = bend
    return (
        _with(a, a, w), _with(a, b, w), _with(a, c, w), _with(a, p, w), _with(a, q, w), _with(a, r, w),
        _with(b, b, w), _with(b, c, w), _with(b, p, w), _with(b, q, w), _with(b, r, w),
        _with(c, c, w), _with(c, p, w), _with(c, q, w), _with(c, r, w),
        _with(p, p, w) + w[3] * vec3.dot(p[3], p[3]), _with(p, q, w), _with(p, r, w),
        _with(q, q, w) + w[4] * vec3.dot(q[3], q[3]), _with(q, r, w),
        _with(r, r, w) + w[5] * vec3.dot(r[3], r[3]),
    )  # fmt: skip


@element
def _with(a, b, w):
    return w[0] * vec3.dot(a[0], b[0]) + w[1] * vec3.dot(a[1], b[1]) + w[2] * vec3.dot(a[2], b[2])


@element
def along_measures(f, T):
    """Derivatives by the measures of those by the strains: T^T on the last three."""
    return (
        f[0], f[1], f[2],
        T[0][0] * f[3] + T[1][0] * f[4] + T[2][0] * f[5],
        T[0][1] * f[3] + T[1][1] * f[4] + T[2][1] * f[5],
        T[0][2] * f[3] + T[1][2] * f[4] + T[2][2] * f[5],
    )  # fmt: skip
