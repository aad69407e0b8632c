"""The energy of a fabric's table over its six strains, with slopes and second derivatives; `scene/fabric_table.py` defines
it. Bending has no eigenvectors and no angles: means and exact divided differences of the bending splines between the
principal curvatures stay finite where these meet, and keep their digits in single precision.

A table is one row of numbers (`packed`): the damping's share tau / h, reference stiffnesses of the six strains, the twist,
the heights of both directions, the axes of the five curves and the places of their nodes, the same of the nine patches, and
the nodes: value and slope of curves; value, slopes by both and by both together of patches, the second axis outermost.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import element, f32
from ..device.simd.table import look_up
from ..mathlib import hermite
from ..mathlib.hermite import AXIS
from ..scene.fabric_table import PAIRS, Curve, FabricTable, Patch

Array = np.ndarray

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
QUARTER = f32(0.25)
FOUR = f32(4)
TINY = f32(1e-30)

#: Places in a row: reference stiffnesses, twist, heights, curves (axis, place of nodes), patches (two axes, place, nodes in
#: a row).
STIFFNESS, TWIST, HEIGHTS, CURVES, CURVE = 1, 7, 8, 10, AXIS + 1
PATCHES, PATCH = CURVES + 5 * CURVE, 2 * AXIS + 2
NODES = PATCHES + len(PAIRS) * PATCH
#: Strains of the reference stiffnesses, a secant; of curvature [1/m].
REFERENCE = (0.05, 0.1, 0.05, 30.0, 30.0)
#: A stiffness is at least this share of the largest of its kind.
LEAST = 1e-3


def packed(table: FabricTable, share: float) -> np.ndarray:
    """The row of a table, (numbers,). share: tau / h."""
    header = np.zeros(NODES)
    header[0], header[STIFFNESS : STIFFNESS + 6], header[TWIST] = share, reference_stiffness(table), table.twist
    header[HEIGHTS], header[HEIGHTS + 1] = table.height_u, table.height_v
    nodes: list[np.ndarray] = []
    place = NODES
    curves = table.curves if table.straight else (*table.curves[:3], *map(_bounded, table.curves[3:]))
    for k, curve in enumerate(curves):
        at = CURVES + k * CURVE
        header[at : at + AXIS], header[at + AXIS] = hermite.axis_numbers(curve.knots), place
        nodes.append(np.stack([curve.values, curve.slopes], 1).ravel())
        place += len(nodes[-1])
    for k, pair in enumerate(PAIRS):
        patch = table.patches.get(pair, _NOTHING)
        patch = patch if table.straight else _levelled(patch)
        at = PATCHES + k * PATCH
        header[at : at + AXIS] = hermite.axis_numbers(patch.u)
        header[at + AXIS : at + 2 * AXIS] = hermite.axis_numbers(patch.v)
        header[at + 2 * AXIS : at + PATCH] = place, len(patch.u)
        nodes.append(np.moveaxis(patch.nodes, 0, -1).ravel())
        place += len(nodes[-1])
    return np.concatenate([header, *nodes])


_NOTHING = Patch(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.zeros((4, 2, 2)))


def _bounded(curve: Curve) -> Curve:
    """A bending curve with a knot more on each side, in whose cell a slope that drives outwards comes to 0."""
    knots = _longer(curve.knots)
    first, last = curve.slopes[[0, -1]]
    slopes = np.array([min(first, 0.0), *curve.slopes, max(last, 0.0)])
    steps, means = np.diff(knots), 0.5 * (slopes[1:] + slopes[:-1])
    low, high = curve.values[0] - steps[0] * means[0], curve.values[-1] + steps[-1] * means[-1]
    return Curve(knots, np.array([low, *curve.values, high]), slopes)


def _levelled(patch: Patch) -> Patch:
    """A patch with a knot more on each side, in whose cell its slope across the border comes to 0."""
    p, by_u, by_v, by_both = patch.nodes
    u, v = _longer(patch.u), _longer(patch.v)
    p, by_u = _ended(p, by_u, u, 1)
    by_v, by_both = _ended(by_v, by_both, u, 1)
    p, by_v = _ended(p, by_v, v, 0)
    by_u, by_both = _ended(by_u, by_both, v, 0)
    return Patch(u, v, np.stack([p, by_u, by_v, by_both]))


def _longer(knots: Array) -> Array:
    return np.array([2 * knots[0] - knots[1], *knots, 2 * knots[-1] - knots[-2]])


def _ended(values: Array, slopes: Array, knots: Array, axis: int) -> tuple[Array, Array]:
    """Return both with a row more on each side: the slope falls to 0 linearly. knots: with those of the new rows."""
    values, slopes = np.moveaxis(values, axis, 0), np.moveaxis(slopes, axis, 0)
    low = values[0] - 0.5 * (knots[1] - knots[0]) * slopes[0]
    high = values[-1] + 0.5 * (knots[-1] - knots[-2]) * slopes[-1]
    nothing = np.zeros_like(slopes[:1])
    return (
        np.moveaxis(np.concatenate([low[None], values, high[None]]), 0, axis),
        np.moveaxis(np.concatenate([nothing, slopes, nothing]), 0, axis),
    )


def reference_stiffness(table: FabricTable) -> np.ndarray:
    """Return the mean secant stiffness of pull and push at `REFERENCE` along sx, sa, sy [N/m] and IIxx, IIxy, IIyy [N m],
    (6,). Positive: for damping and the global step's constant matrix."""
    secants = []
    for curve, reference in zip(table.curves, REFERENCE, strict=True):
        e = min(reference, curve.knots[-1], -curve.knots[0] if curve.knots[0] < 0 else np.inf)
        both = _value(curve, e) + _value(curve, -e)
        secants.append(both / e**2)
    stretch, bend = np.array(secants[:3]), np.array(secants[3:])
    stretch, bend = (np.maximum(part, LEAST * max(part.max(), 1e-12)) for part in (stretch, bend))
    return np.array([*stretch, bend[0], bend.sum() + table.twist, bend[1]])


def curl_moment(table: FabricTable) -> float:
    """Return the largest bending moment of the table in the direction of its curvature, or at zero curvature [N]; 0 for a
    fabric that lies flat."""
    moments = [0.0]
    for curve in table.curves[3:]:
        flat = curve.slopes[np.argmin(np.abs(curve.knots))]
        moments += [abs(float(flat)), float(np.where(curve.knots >= 0, -curve.slopes, curve.slopes).max())]
    return max(moments)


def _value(curve, x: float) -> float:
    """A curve at one strain within its data."""
    knots = curve.knots
    x = float(np.clip(x, knots[0], knots[-1]))
    j = int(np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(knots) - 2))
    w = knots[j + 1] - knots[j]
    u, v = (x - knots[j]) / w, 1 - (x - knots[j]) / w
    p, m = curve.values[j : j + 2], w * curve.slopes[j : j + 2]
    return float(v * v * (1 + 2 * u) * p[0] + u * u * (1 + 2 * v) * p[1] + u * v * v * m[0] - u * u * v * m[1])


@element
def _axis(k, at):
    """Return the numbers of an axis at a place of the row."""
    return (
        look_up(k, at, 0), look_up(k, at, 1), look_up(k, at, 2), look_up(k, at, 3),
        look_up(k, at, 4), look_up(k, at, 5), look_up(k, at, 6), look_up(k, at, 7),
    )  # fmt: skip


@element
def _two(k, place, offset):
    return look_up(k, place, offset), look_up(k, place, offset + 1)


@element
def _curve(k, at, x):
    """f, f', f'' of the curve at a place of the row."""
    number, b, d, s = hermite.basis(_axis(k, at), x)
    node = look_up(k, at, AXIS) + TWO * number
    (p, m), (q, n) = _two(k, node, 0), _two(k, node, 2)
    return hermite.weighed(b, p, q, m, n), hermite.weighed(d, p, q, m, n), hermite.weighed(s, p, q, m, n)


@element
def _line(k, node, nu, u):
    """The patch along a line of nodes: value and slope across, each with its first and second derivative along it."""
    at = node + FOUR * u[0]
    (p, pu), (m, mu) = _two(k, at, 0), _two(k, at, 2)
    (q, qu), (n, nn) = _two(k, at, 4), _two(k, at, 6)
    return (
        (hermite.weighed(u[1], p, q, pu, qu), hermite.weighed(u[1], m, n, mu, nn)),
        (hermite.weighed(u[2], p, q, pu, qu), hermite.weighed(u[2], m, n, mu, nn)),
        (hermite.weighed(u[3], p, q, pu, qu), hermite.weighed(u[3], m, n, mu, nn)),
    )


@element
def _patch(k, at, x, y):
    """g, g_x, g_y, g_xx, g_xy, g_yy of the patch at a place of the row."""
    u, v = hermite.basis(_axis(k, at), x), hermite.basis(_axis(k, at + f32(AXIS)), y)
    nu = look_up(k, at, 2 * AXIS + 1)
    node = look_up(k, at, 2 * AXIS) + FOUR * nu * v[0]
    low, high = _line(k, node, nu, u), _line(k, node + FOUR * nu, nu, u)
    return (
        hermite.weighed(v[1], low[0][0], high[0][0], low[0][1], high[0][1]),
        hermite.weighed(v[1], low[1][0], high[1][0], low[1][1], high[1][1]),
        hermite.weighed(v[2], low[0][0], high[0][0], low[0][1], high[0][1]),
        hermite.weighed(v[1], low[2][0], high[2][0], low[2][1], high[2][1]),
        hermite.weighed(v[2], low[1][0], high[1][0], low[1][1], high[1][1]),
        hermite.weighed(v[3], low[0][0], high[0][0], low[0][1], high[0][1]),
    )


@element
def _bending_curve(k, at, l1, l2, r):
    """`hermite.differences` of the curve at a place of the row."""
    axis = _axis(k, at)
    one, two = hermite.cell(axis, l1), hermite.cell(axis, l2)
    nodes = look_up(k, at, AXIS)
    a, b = _of_cell(k, nodes, one), _of_cell(k, nodes, two)
    return hermite.differences(a, b, one, two, hermite.between(one, two, r), r)


@element
def _of_cell(k, nodes, where):
    low, high = _two(k, nodes + TWO * where[1], 0), _two(k, nodes + TWO * where[2], 0)
    return hermite.polynomial(where, low[0], high[0], low[1], high[1])


@element
def _bending_patch(k, at, x, l1, l2, r):
    """Return of the patch at a place of the row, along its second axis: `hermite.differences`, then those of its derivative
    by x, then of its second derivative."""
    u, axis = hermite.basis(_axis(k, at), x), _axis(k, at + f32(AXIS))
    one, two = hermite.cell(axis, l1), hermite.cell(axis, l2)
    gap = hermite.between(one, two, r)
    nodes, nu = look_up(k, at, 2 * AXIS), look_up(k, at, 2 * AXIS + 1)
    low1, high1 = _line(k, nodes + FOUR * nu * one[1], nu, u), _line(k, nodes + FOUR * nu * one[2], nu, u)
    low2, high2 = _line(k, nodes + FOUR * nu * two[1], nu, u), _line(k, nodes + FOUR * nu * two[2], nu, u)
    return (
        _differences(low1[0], high1[0], low2[0], high2[0], one, two, gap, r),
        _differences(low1[1], high1[1], low2[1], high2[1], one, two, gap, r),
        _differences(low1[2], high1[2], low2[2], high2[2], one, two, gap, r),
    )


@element
def _differences(low1, high1, low2, high2, one, two, gap, r):
    a = hermite.polynomial(one, low1[0], high1[0], low1[1], high1[1])
    b = hermite.polynomial(two, low2[0], high2[0], low2[1], high2[1])
    return hermite.differences(a, b, one, two, gap, r)


@element
def _sum(a, b, c, d):
    return (
        a[0] + b[0] + c[0] + d[0], a[1] + b[1] + c[1] + d[1], a[2] + b[2] + c[2] + d[2],
        a[3] + b[3] + c[3] + d[3], a[4] + b[4] + c[4] + d[4], a[5] + b[5] + c[5] + d[5],
        a[6] + b[6] + c[6] + d[6], a[7] + b[7] + c[7] + d[7], a[8] + b[8] + c[8] + d[8],
    )  # fmt: skip


@element
def _bending(k, curve, first, s, l1, l2, r):
    """The bending spline of one axis: its differences, then of its derivatives by sx, sa, sy (each with its second one).

    curve, first: places of its curve and of its first patch.
    """
    f = _bending_curve(k, curve, l1, l2, r)
    g0 = _bending_patch(k, first, s[0], l1, l2, r)
    g1 = _bending_patch(k, first + f32(PATCH), s[1], l1, l2, r)
    g2 = _bending_patch(k, first + f32(2 * PATCH), s[2], l1, l2, r)
    return _sum(f, g0[0], g1[0], g2[0]), (g0[1], g1[1], g2[1]), (g0[2], g1[2], g2[2])


@element
def _slopes(f, sg, c, s, r):
    """First derivatives by m, d, h of [P]_xx (sg = 1) or [P]_yy (sg = -1). f: `hermite.differences`. (c, s) = (d, h) / r."""
    mean, half = HALF * (f[1] + f[4]), HALF * (f[1] - f[4])
    by_m = mean + sg * c * half
    by_r = half + sg * c * (mean - f[6])
    return by_m, by_r * c + sg * f[6], by_r * s


@element
def _value_of(f, sg, c):
    return HALF * (f[0] + f[3]) + sg * c * HALF * (f[0] - f[3])


@element
def _curvatures(f, sg, c, s):
    """Second derivatives mm, md, mh, dd, dh, hh."""
    mean, half = HALF * (f[2] + f[5]), HALF * (f[2] - f[5])
    D1, Q = f[7], f[8]
    mm = mean + sg * c * half
    mr = half + sg * c * (mean - D1)
    rr = mean + sg * c * (half - TWO * Q)
    by_r = D1 + sg * c * Q  # E_r / r
    return (
        mm, mr * c + sg * D1, mr * s,
        rr * c * c + by_r * s * s + TWO * sg * Q * c, (rr - by_r) * c * s + sg * Q * s, rr * s * s + by_r * c * c,
    )  # fmt: skip


@element
def _in_axes(m, d, h):
    """Return derivatives by IIxx, IIxy, IIyy from those by m, d, h."""
    return HALF * (m + d), h, HALF * (m - d)


@element
def response(k, s):
    """psi less its constant [J/m^2], its six slopes, and its second derivatives, 21 upper entries by rows, of the strains s.

    k: the row of a table.
    """
    hx, hy = look_up(k, ZERO, HEIGHTS), look_up(k, ZERO, HEIGHTS + 1)
    psi, f, H = _at_heights(k, (s[0] - hx * s[3], s[1], s[2] - hy * s[5], s[3], s[4], s[5]))
    return (
        psi,
        (f[0], f[1], f[2], f[3] - hx * f[0], f[4], f[5] - hy * f[2]),
        (
            H[0], H[1], H[2], H[3] - hx * H[0], H[4], H[5] - hy * H[2],
            H[6], H[7], H[8] - hx * H[1], H[9], H[10] - hy * H[7],
            H[11], H[12] - hx * H[2], H[13], H[14] - hy * H[11],
            H[15] - hx * (TWO * H[3] - hx * H[0]), H[16] - hx * H[4], H[17] - hx * H[5] - hy * (H[12] - hx * H[2]),
            H[18], H[19] - hy * H[13],
            H[20] - hy * (TWO * H[14] - hy * H[11]),
        ),
    )  # fmt: skip


@element
def _principal(s):
    """Mean m and half the difference r of the principal curvatures, m + r and m - r, and (d, h) / r with half the difference
    d of IIxx and IIyy, and h = IIxy; (1, 0) where they are one."""
    d, h = HALF * (s[3] - s[5]), s[4]
    square = d * d + h * h
    apart = square > TINY  # vectorised, the root of a subnormal number is not a number
    r = math.sqrt(max(square, TINY))
    inverse = ONE / r
    return (
        HALF * (s[3] + s[5]),
        r if apart else ZERO,
        d * inverse if apart else ONE,
        h * inverse if apart else ZERO,
    )


@element
def _at_heights(k, s):
    """The same of the stretches at the heights of both directions, and of the other strains."""
    m, r, c, sn = _principal(s)
    l1, l2 = m + r, m - r
    f0, f1 = _curve(k, f32(CURVES), s[0]), _curve(k, f32(CURVES + CURVE), s[1])
    f2 = _curve(k, f32(CURVES + 2 * CURVE), s[2])
    g01 = _patch(k, f32(PATCHES), s[0], s[1])
    g02 = _patch(k, f32(PATCHES + PATCH), s[0], s[2])
    g12 = _patch(k, f32(PATCHES + 2 * PATCH), s[1], s[2])
    X, Xs, Xss = _bending(k, f32(CURVES + 3 * CURVE), f32(PATCHES + 3 * PATCH), s, l1, l2, r)
    Y, Ys, Yss = _bending(k, f32(CURVES + 4 * CURVE), f32(PATCHES + 6 * PATCH), s, l1, l2, r)
    twist = look_up(k, ZERO, TWIST)
    psi = f0[0] + f1[0] + f2[0] + g01[0] + g02[0] + g12[0] + _value_of(X, ONE, c) + _value_of(Y, -ONE, c)
    psi += HALF * twist * s[4] * s[4]
    by_x, by_y = _slopes(X, ONE, c, sn, r), _slopes(Y, -ONE, c, sn, r)
    bend = _in_axes(by_x[0] + by_y[0], by_x[1] + by_y[1], by_x[2] + by_y[2])
    slopes = (
        f0[1] + g01[1] + g02[1] + _value_of(Xs[0], ONE, c) + _value_of(Ys[0], -ONE, c),
        f1[1] + g01[2] + g12[1] + _value_of(Xs[1], ONE, c) + _value_of(Ys[1], -ONE, c),
        f2[1] + g02[2] + g12[2] + _value_of(Xs[2], ONE, c) + _value_of(Ys[2], -ONE, c),
        bend[0],
        bend[1] + twist * s[4],
        bend[2],
    )
    t0, t1, t2 = _mixed(Xs[0], Ys[0], c, sn, r), _mixed(Xs[1], Ys[1], c, sn, r), _mixed(Xs[2], Ys[2], c, sn, r)
    a, b = _curvatures(X, ONE, c, sn), _curvatures(Y, -ONE, c, sn)
    mm, md, mh, dd, dh, hh = a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]
    return (
        psi,
        slopes,
        (
            f0[2] + g01[3] + g02[3] + _value_of(Xss[0], ONE, c) + _value_of(Yss[0], -ONE, c),
            g01[4], g02[4], t0[0], t0[1], t0[2],
            f1[2] + g01[5] + g12[3] + _value_of(Xss[1], ONE, c) + _value_of(Yss[1], -ONE, c),
            g12[4], t1[0], t1[1], t1[2],
            f2[2] + g02[5] + g12[5] + _value_of(Xss[2], ONE, c) + _value_of(Yss[2], -ONE, c),
            t2[0], t2[1], t2[2],
            QUARTER * (mm + TWO * md + dd), HALF * (mh + dh), QUARTER * (mm - dd),
            hh + twist, HALF * (mh - dh),
            QUARTER * (mm - TWO * md + dd),
        ),
    )  # fmt: skip


@element
def _mixed(x, y, c, s, r):
    """Return the derivatives by IIxx, IIxy, IIyy of psi's slope by an in-plane strain. x, y: differences of it for both
    splines."""
    a, b = _slopes(x, ONE, c, s, r), _slopes(y, -ONE, c, s, r)
    return _in_axes(a[0] + b[0], a[1] + b[1], a[2] + b[2])
