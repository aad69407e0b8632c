"""A patch, a triangle of a sheet and its three neighbours: stretches, shear and second fundamental form, and their slopes.

    sx = |Fu| - 1,   sa = Fu.Fv / (|Fu| |Fv|),   sy = |Fv| - 1,   II = sum_e k_e C t_e t_e^T,   k_e = -theta_e h_e

Fu, Fv: derivatives of the position along warp and weft. theta_e: fold angle at edge e, 0 at the sheet's end and at rest;
h_e: height of the triangle over the edge, as deformed; t_e: gradient, at rest, of the barycentric coordinate of the corner
opposite. k > 0 where the sheet is hollow on the side of its normal. The six measures of a patch are sx, sa, sy, k_0, k_1,
k_2. Without the constant C this is the discrete shape operator, exact for quadratic surfaces on grids that are cut one way,
where C is 1. With alternating cuts, it measures a twist as bending of equal size, so a sheet is too stiff in twist. II of
the quadratic surface through the six corners is exact on any mesh, but with one number a triangle, ripples from vertex to
vertex cost too little, and bending is too soft. C interpolates between both by `SHARE`, with the least errors
(docs/reference/physics/energies.md).

`rest` of a patch: shape gradients of the second and third corner along warp and weft [1/m] (4), area times share [m^2],
1 for each edge with a neighbour and 0 for others (3), rest angles (3), what k_0, k_1, k_2 add to IIxx, to IIxy and to IIyy
[1/m^2] (9): edge i lies opposite corner i.
Source: Grinspun, Gingold, Reisman, Zorin 2006, "Computing discrete shape operators on general meshes", linearised;
the surface through six corners: Flores, Onate 2005, "Improvements in the membrane behaviour of the three node
rotation-free BST shell triangle", Computer Methods in Applied Mechanics and Engineering 194. The share: measured.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3
from .hinge import fold, fold_rates

ONE = f32(1)
TWO = f32(2)
TINY = f32(1e-30)
#: Numbers of `rest` that this file reads.
REST = 20
SHARE = 0.6
#: II of a patch whose corners nearly lie on a conic section, which many quadratic surfaces go through, tends to that of the
#: shape operator: weight of the difference from it over that of the error of II.
NEARNESS = 0.003
#: Least ratio of twice the area of a neighbour to the square of their edge: filling elements have none.
FLAT = 1e-6


def rest(x: np.ndarray, elements: np.ndarray, axes: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """See above, (n, 20). x: rest positions [m], (n_vertices, 3). elements: (n, 6), -1 where the sheet ends. axes: unit
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
    weights = _curvature_weights(x, elements, gradients, frame)
    return np.column_stack([gradients.reshape(-1, 4), area * fraction, inside, angles, weights.reshape(-1, 9)])


def flat_slopes(x: np.ndarray, elements: np.ndarray) -> np.ndarray:
    """Return the slopes of k_0, k_1, k_2 [1] by the six corners' motion along the normal of a flat sheet, (n, 3, 6).

    x: rest positions [m]. elements: (n, 6), -1 where the sheet ends; there k has those of a neighbour that mirrors it.
    """
    slopes, every = np.zeros((len(elements), 3, 6)), np.arange(len(elements))
    for i in range(3):
        first, second = (i + 1) % 3, (i + 2) % 3
        a, edge = x[elements[:, first]], x[elements[:, second]] - x[elements[:, first]]
        length = np.linalg.norm(edge, axis=1)
        flap = np.where(elements[:, 3 + i] >= 0, elements[:, 3 + i], elements[:, i])
        height = np.linalg.norm(np.cross(edge, x[elements[:, i]] - a), axis=1) / length
        for corner, tip in ((i, x[elements[:, i]] - a), (3 + i, x[flap] - a)):
            area = np.maximum(np.linalg.norm(np.cross(edge, tip), axis=1), FLAT * length**2)
            steep = height * length / area
            foot = (tip * edge).sum(1) / length**2
            slopes[every, i, corner] += steep
            slopes[every, i, first] -= (1 - foot) * steep
            slopes[every, i, second] -= foot * steep
    return slopes


def _curvature_weights(x: np.ndarray, elements: np.ndarray, gradients: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Return the contributions of k_0, k_1, k_2 to IIxx, IIxy, IIyy, (n, 3, 3). gradients: of the second and third corner,
    (n, 2, 2). frame: their places from the first, as columns, (n, 2, 2)."""
    t = np.concatenate([-gradients.sum(1, keepdims=True), gradients], 1)
    operator_weights = np.stack([t[:, :, 0] ** 2, t[:, :, 0] * t[:, :, 1], t[:, :, 1] ** 2], 1)
    plane = _unfolded(x, elements, frame)
    u, v = plane[:, :, 0], plane[:, :, 1]
    surfaces = np.stack([0.5 * u * u, u * v, 0.5 * v * v], 2)  # heights of those with IIxx, IIxy, IIyy of 1
    curvatures = operator_weights @ (flat_slopes(x, elements) @ surfaces)
    return np.where(
        (elements[:, 3:] >= 0).all(1)[:, None, None], _correction(curvatures) @ operator_weights, operator_weights
    )


def _correction(curvature: np.ndarray) -> np.ndarray:
    """Return C, (n, 3, 3): `SHARE` of the matrix with C found as near to 1 as `NEARNESS` allows. curvature: (IIxx, IIxy,
    IIyy) of three surfaces, each with one of them 1, as columns."""
    size = np.array([1.0, np.sqrt(2.0), 1.0])  # a tensor's norm, which does not turn with the axes
    B = curvature * size[:, None] / size
    near, turned = NEARNESS * np.eye(3), B.transpose(0, 2, 1)
    C = (1 - SHARE) * np.eye(3) + SHARE * (turned + near) @ np.linalg.inv(B @ turned + near)
    return C / size[:, None] * size


def _unfolded(x: np.ndarray, elements: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """The six corners in the triangle's plane, its neighbours unfolded into it, from its first corner, (n, 6, 2)."""
    plane = np.zeros((len(elements), 6, 2))
    plane[:, 1], plane[:, 2] = frame[:, :, 0], frame[:, :, 1]
    for i in range(3):
        first, second = (i + 1) % 3, (i + 2) % 3
        a, edge = x[elements[:, first]], x[elements[:, second]] - x[elements[:, first]]
        tip = x[np.where(elements[:, 3 + i] >= 0, elements[:, 3 + i], elements[:, i])] - a
        square = (edge * edge).sum(1, keepdims=True)
        foot = (tip * edge).sum(1, keepdims=True) / square
        height = np.linalg.norm(tip - foot * edge, axis=1, keepdims=True)
        base = plane[:, second] - plane[:, first]
        out = np.stack([base[:, 1], -base[:, 0]], 1) / np.sqrt(square)
        out *= np.where(((plane[:, i] - plane[:, first]) * out).sum(1, keepdims=True) > 0, -1, 1)
        plane[:, 3 + i] = plane[:, first] + foot * base + height * out
    return plane


@element
def _edge(xa, xb, xc, xd, n, i, keep, angle):
    """Return k of the edge a b, with its slopes at a, b, the own corner c and the neighbour's corner d; n: own normal of
    length 1 / i."""
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
def _edge_rates(xa, xb, xc, xd, da, db, dc, dd, n, i, keep, angle):
    """Return the directional derivative of `_edge` for a motion of its corners by da .. dd."""
    theta, ga, gb, gc, gd = fold(xa, xb, xc, xd, n, i)
    turn, ra, rb, rc, rd = fold_rates(xa, xb, xc, xd, da, db, dc, dd)
    e, de = vec3.sub(xb, xa), vec3.sub(db, da)
    c, dc0 = vec3.sub(xc, xa), vec3.sub(dc, da)
    square = vec3.dot(e, e) + TINY
    height = ONE / (i * math.sqrt(square))
    foot = vec3.dot(c, e) / square
    foot_rate = (vec3.dot(dc0, e) + vec3.dot(c, de) - TWO * foot * vec3.dot(e, de)) / square
    inverse = ONE / (height + TINY)
    away = vec3.scale(inverse, vec3.add_scaled(c, -foot, e))
    moved = vec3.add_scaled(vec3.add_scaled(dc0, -foot_rate, e), -foot, de)
    growth = vec3.dot(away, moved)
    away_rate = vec3.scale(inverse, vec3.add_scaled(moved, -growth, away))
    s, t = -keep * (theta - angle), -keep * height
    ds, dt = -keep * turn, -keep * growth
    return (
        ds * height + s * growth,
        _slope_rate(t, dt, ga, ra, -s * (ONE - foot), -ds * (ONE - foot) + s * foot_rate, away, away_rate),
        _slope_rate(t, dt, gb, rb, -s * foot, -ds * foot - s * foot_rate, away, away_rate),
        _slope_rate(t, dt, gc, rc, s, ds, away, away_rate),
        vec3.combine(dt, gd, t, rd),
    )


@element
def _slope_rate(t, dt, g, dg, s, ds, away, away_rate):
    """Rate of t g + s away."""
    return vec3.add(vec3.combine(dt, g, t, dg), vec3.combine(ds, away, s, away_rate))


@element
def _unit_rate(u, inverse, move):
    """Rate of a unit vector u whose vector, of length 1 / inverse, moves; and of that length."""
    growth = vec3.dot(u, move)
    return vec3.scale(inverse, vec3.add_scaled(move, -growth, u)), growth


@element
def rates(corners, directions, g):
    """Return the directional derivative of `measures`, the measures and their slopes, for a motion of the corners."""
    x0, x1, x2, y0, y1, y2 = corners
    d0, d1, d2, c0, c1, c2 = directions
    e1, e2 = vec3.sub(x1, x0), vec3.sub(x2, x0)
    m1, m2 = vec3.sub(d1, d0), vec3.sub(d2, d0)
    fu, fv = vec3.combine(g[0], e1, g[2], e2), vec3.combine(g[1], e1, g[3], e2)
    iu, iv = ONE / math.sqrt(vec3.dot(fu, fu) + TINY), ONE / math.sqrt(vec3.dot(fv, fv) + TINY)
    u, v = vec3.scale(iu, fu), vec3.scale(iv, fv)
    du, lu = _unit_rate(u, iu, vec3.combine(g[0], m1, g[2], m2))
    dv, lv = _unit_rate(v, iv, vec3.combine(g[1], m1, g[3], m2))
    shear, slide = vec3.dot(u, v), vec3.dot(du, v) + vec3.dot(u, dv)
    p, q = vec3.add_scaled(v, -shear, u), vec3.add_scaled(u, -shear, v)
    dp = vec3.add_scaled(vec3.add_scaled(dv, -slide, u), -shear, du)
    dq = vec3.add_scaled(vec3.add_scaled(du, -slide, v), -shear, dv)
    dp, dq = vec3.combine(iu, dp, -iu * iu * lu, p), vec3.combine(iv, dq, -iv * iv * lv, q)
    h0, h1 = -(g[0] + g[2]), -(g[1] + g[3])
    n = vec3.cross(e1, e2)
    i = ONE / math.sqrt(vec3.dot(n, n) + TINY)
    k0 = _edge_rates(x1, x2, x0, y0, d1, d2, d0, c0, n, i, g[5], g[8])
    k1 = _edge_rates(x2, x0, x1, y1, d2, d0, d1, c1, n, i, g[6], g[9])
    k2 = _edge_rates(x0, x1, x2, y2, d0, d1, d2, c2, n, i, g[7], g[10])
    along_u = (vec3.scale(h0, du), vec3.scale(g[0], du), vec3.scale(g[2], du))
    along_v = (vec3.scale(h1, dv), vec3.scale(g[1], dv), vec3.scale(g[3], dv))
    across = (vec3.combine(h0, dp, h1, dq), vec3.combine(g[0], dp, g[1], dq), vec3.combine(g[2], dp, g[3], dq))
    bend0 = (k0[3], k0[1], k0[2], k0[4])
    bend1 = (k1[2], k1[3], k1[1], k1[4])
    bend2 = (k2[1], k2[2], k2[3], k2[4])
    return (lu, slide, lv, k0[0], k1[0], k2[0]), (along_u, across, along_v), (bend0, bend1, bend2)


@element
def curvature_weights(g):
    """(IIxx, IIxy, IIyy) of k_0, k_1, k_2 = 1."""
    return (g[11], g[12], g[13]), (g[14], g[15], g[16]), (g[17], g[18], g[19])


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
    """Return derivatives by the measures from those by the strains: T^T on the last three."""
    return (
        f[0], f[1], f[2],
        T[0][0] * f[3] + T[1][0] * f[4] + T[2][0] * f[5],
        T[0][1] * f[3] + T[1][1] * f[4] + T[2][1] * f[5],
        T[0][2] * f[3] + T[1][2] * f[4] + T[2][2] * f[5],
    )  # fmt: skip
