"""Samples as a table: splines with the yarns' own values and slopes, convex in tension, soft in compression.

A patch of the smallest repeat does not buckle as cloth does, so that its resistance in compression is no property of the
fabric; buckling is the sheet's. Under compression a curve begins with the stiffness that it has in tension, which falls to
zero within one interval; beyond that the sheet resists with a constant force, as a buckled one does. If the other direction
is in tension, contraction has the samples' energy.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..scene.fabric_table import Curve, FabricTable, Patch
from .plan import PAIRS, Plan
from .samples import Sample

#: Largest mixed derivative at rest, over the root of both stiffnesses.
MIXED = 0.8
#: Least share of the curves' energy of both axes for bending about a diagonal.
DIAGONAL = 0.1

#: Samples by axis and strain, and by pair and both strains.
OfAxes = dict[tuple[int, float], Sample]
OfPairs = dict[tuple[str, float, float], Sample]


def fit(plan: Plan, axes: OfAxes, pairs: OfPairs, name: str) -> FabricTable:
    """The table of samples. A sample that is not good, or missing, is continued from the one nearer to the rest."""
    curves = [_curve(plan, axes, k) for k in range(5)]
    patches = {pair: _patch(plan, axes, pairs, pair, curves) for pair in PAIRS}
    return FabricTable(tuple(curves), patches, height_u=plan.heights[0], height_v=plan.heights[1], name=name)


def with_twist(table: FabricTable, bends: list[tuple[float, float]]) -> FabricTable:
    """Add the energy of bending about the diagonals beyond the curves: bends of (curvature, energy) at 45 and -45 degrees.

    At 45 degrees the table has half of each axis's energy at the curvature l, and twist/2 (l/2)^2.
    """
    extra = [8.0 * (psi - 0.5 * (value(table.curves[3], l) + value(table.curves[4], l))) / l**2 for l, psi in bends]
    stiff = sum(_stiffness(curve) for curve in table.curves[3:])
    twist = max(float(np.mean(extra)), (DIAGONAL - 1.0) * stiff)
    return replace(table, twist=twist)


def turned(table: FabricTable) -> FabricTable:
    """The same sheet with warp and wales along the first axis, as materials have it: turned by a right angle about its
    normal, which stays the face's. Shear changes its sign, of which the table is even."""
    swapped = {"0": "2", "1": "1", "2": "0", "3": "4", "4": "3"}
    patches = {}
    for pair, patch in table.patches.items():
        k, l = (swapped[axis] for axis in pair)
        if k < l:
            patches[k + l] = patch
        else:
            g = patch.nodes[[0, 2, 1, 3]].transpose(0, 2, 1)
            patches[l + k] = Patch(patch.v, patch.u, np.ascontiguousarray(g))
    curves = tuple(table.curves[int(swapped[str(k)])] for k in range(5))
    return replace(table, curves=curves, patches=patches, height_u=table.height_v, height_v=table.height_u)


def _stiffness(curve: Curve) -> float:
    """Second derivative at rest, of the even part."""
    step = curve.knots[curve.knots > 0][0]
    return (value(curve, step) + value(curve, -step)) / step**2


def _curve(plan: Plan, axes: OfAxes, k: int) -> Curve:
    knots = plan.curve_knots(k)
    p, m = np.zeros(len(knots)), np.zeros(len(knots))
    origin = int(np.argmin(np.abs(knots)))
    m[origin] = axes[k, 0.0].slopes[k] if k > 2 else 0.0
    for side in (1, -1):
        for i in range(origin + side, len(knots) if side > 0 else -1, side):
            knot_sample = _axis(plan, axes, k, knots[i])
            if knot_sample is None:
                p[i], m[i] = p[i - side] + m[i - side] * (knots[i] - knots[i - side]), m[i - side]
            else:
                p[i], m[i] = knot_sample[0], knot_sample[1][k]
    if k in (0, 2):
        p[origin:], m[origin:] = convex(knots[origin:], p[origin:], m[origin:])
        stiff, w = _tangent(knots, p, m, origin), -knots[0]
        p[0], m[0] = stiff * w**2 / 3.0, -0.5 * stiff * w
    return Curve(knots, p, m)


def _tangent(knots: np.ndarray, p: np.ndarray, m: np.ndarray, origin: int) -> float:
    """Second derivative at 0, from above."""
    w = knots[origin + 1]
    return float(6.0 * p[origin + 1] / w - 4.0 * m[origin] - 2.0 * m[origin + 1]) / w


def _axis(plan: Plan, axes: OfAxes, k: int, strain: float) -> tuple[float, np.ndarray] | None:
    """Energy and slopes on an axis; shear to both sides is averaged, or mirrored."""
    one_side = _good(axes.get((k, round(float(strain), 12))))
    if k != 1 or strain == 0.0:
        return one_side
    return _even(one_side, _good(axes.get((k, round(-float(strain), 12)))), plan.both_sides)


def _good(sampled: Sample | None) -> tuple[float, np.ndarray] | None:
    return (sampled.energy, sampled.slopes) if sampled is not None and sampled.good else None


def _even(
    here: tuple[float, np.ndarray] | None, there: tuple[float, np.ndarray] | None, both: bool
) -> tuple[float, np.ndarray] | None:
    """The even part over shear of energy and slopes; of one side's alone where only one was sampled."""
    mirror = np.array([1.0, -1.0, 1.0, 1.0, 1.0])
    if here is None or there is None:
        energy = here or (there and (there[0], there[1] * mirror))
        return energy or None
    return 0.5 * (here[0] + there[0]), 0.5 * (here[1] + there[1] * mirror)


def _patch(plan: Plan, axes: OfAxes, pairs: OfPairs, pair: str, curves: list[Curve]) -> Patch:
    k, l = int(pair[0]), int(pair[1])
    u, v = plan.patch_knots(k, pair), plan.patch_knots(l, pair)
    g, known = np.zeros((4, len(v), len(u))), np.zeros((len(v), len(u)), bool)
    at_u, at_v = int(np.argmin(np.abs(u))), int(np.argmin(np.abs(v)))
    for j in range(len(v)):
        for i in range(len(u)):
            node_sample = _pair(plan, axes, pairs, pair, u[i], v[j])
            if node_sample is None:
                continue
            known[j, i] = True
            own_u, own_v = _alone(plan, axes, curves, k, u[i], pair), _alone(plan, axes, curves, l, v[j], pair)
            if own_u is None or own_v is None:
                known[j, i] = False
                continue
            g[0, j, i] = node_sample[0] - own_u[0] - own_v[0]
            g[1, j, i] = node_sample[1][k] - own_u[1]
            g[2, j, i] = node_sample[1][l] - own_v[1]
    if pair == "02":  # without tension, the parabolas alone
        g[:, : at_v + 1, : at_u + 1] = 0.0
        known[: at_v + 1, : at_u + 1] = True
        g[1, :at_v, at_u] = g[2, at_v, :at_u] = 0.0
    _continue(g, known, at_u, at_v)
    g[0, at_v], g[0, :, at_u], g[1, at_v], g[2, :, at_u] = 0.0, 0.0, 0.0, 0.0
    if k in (0, 2) and l not in (0, 2):  # more compression changes the other strain's energy no further
        g[1, :, 0] = 0.0
    if l in (0, 2) and k not in (0, 2):
        g[2, 0, :] = 0.0
    g[3] = 0.5 * (np.gradient(g[1], v, axis=0) + np.gradient(g[2], u, axis=1))
    if pair == "02":  # on the side of tension; the other has none
        mixed = 0.5 * (g[1, at_v + 1, at_u] / v[at_v + 1] + g[2, at_v, at_u + 1] / u[at_u + 1])
        g[3, at_v, at_u] = positive(mixed, curves[k], curves[l])
        hold(g, u, v, curves[k], curves[l])
    return Patch(u, v, g)


def positive(mixed: float, x: Curve, y: Curve) -> float:
    """The mixed derivative of both stretches at rest, no larger than leaves the second derivatives positive."""
    both = [_tangent(c.knots, c.values, c.slopes, int(np.argmin(np.abs(c.knots)))) for c in (x, y)]
    most = MIXED * np.sqrt(max(0.0, both[0]) * max(0.0, both[1]))
    return float(np.clip(mixed, -most, most))


def hold(g: np.ndarray, u: np.ndarray, v: np.ndarray, x: Curve, y: Curve) -> None:
    """Stop the extrapolation from decreasing where contraction ends: the slope of the energy there is at least zero."""
    g[1, v > 0.0, 0] = np.minimum(g[1, v > 0.0, 0], -slope(x, u[0]))
    g[2, 0, u > 0.0] = np.minimum(g[2, 0, u > 0.0], -slope(y, v[0]))


def _alone(plan: Plan, axes: OfAxes, curves: list[Curve], k: int, strain: float, pair: str) -> tuple[float, float] | None:
    """Return the axis' part to subtract: in "02" that of the table's curve, else that of the yarns."""
    if strain == 0.0:
        return 0.0, float(axes[k, 0.0].slopes[k]) if k > 2 else 0.0
    if pair == "02":
        return float(value(curves[k], strain)), float(slope(curves[k], strain))
    axis_sample = _axis(plan, axes, k, strain)
    return None if axis_sample is None else (axis_sample[0], float(axis_sample[1][k]))


def _pair(plan: Plan, axes: OfAxes, pairs: OfPairs, pair: str, u: float, v: float) -> tuple[float, np.ndarray] | None:
    k, l = int(pair[0]), int(pair[1])
    if u == 0.0 and v == 0.0:
        return 0.0, axes[k, 0.0].slopes
    if u == 0.0:
        return _axis(plan, axes, l, v)
    if v == 0.0:
        return _axis(plan, axes, k, u)
    a, b = round(float(u), 12), round(float(v), 12)
    one_side = _good(pairs.get((pair, a, b)))
    if 1 not in (k, l):
        return one_side
    return _even(one_side, _good(pairs.get((pair, -a, b) if k == 1 else (pair, a, -b))), plan.both_sides)


def _continue(g: np.ndarray, known: np.ndarray, at_u: int, at_v: int) -> None:
    """Replace a missing sample by the nearest one towards the rest, first along v, then along u."""
    for j in sorted(range(known.shape[0]), key=lambda j: abs(j - at_v)):
        for i in sorted(range(known.shape[1]), key=lambda i: abs(i - at_u)):
            if not known[j, i]:
                inner = (j - int(np.sign(j - at_v)), i) if j != at_v else (j, i - int(np.sign(i - at_u)))
                g[:, j, i] = g[:, inner[0], inner[1]]


def convex(t: np.ndarray, p: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return values and slopes near these whose cubic spline is convex, so that tension never falls; the same where they are
    convex.

    t, p, m: knots, values, slopes, (n,). Slopes become the nearest monotone ones, not below the first one. In an interval
    the spline's own slope then grows throughout if its mean lies between a third of the way from the one end's to the
    other's and two thirds; a deficit of the mean is added to all values beyond.
    Source: Ayer and others 1955, pooling of adjacent violators.
    """
    pools: list[list[float]] = []
    for slope_here in np.maximum(m, m[0]):
        pools.append([float(slope_here), 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            last, before = pools.pop(), pools.pop()
            count = last[1] + before[1]
            pools.append([(last[0] * last[1] + before[0] * before[1]) / count, count])
    grown = np.concatenate([np.full(int(count), mean) for mean, count in pools])
    low, high = (2.0 * grown[:-1] + grown[1:]) / 3.0, (grown[:-1] + 2.0 * grown[1:]) / 3.0
    step = np.diff(t)
    short = np.clip(np.diff(p) / step, low, high) * step - np.diff(p)
    return p + np.concatenate([[0.0], np.cumsum(short)]), grown


def value(curve: Curve, x: float | np.ndarray) -> np.ndarray:
    """The curve at x, as `solver/scene/fabric_table.py` says."""
    return _spline(curve, np.asarray(x, float))[0]


def slope(curve: Curve, x: float | np.ndarray) -> np.ndarray:
    return _spline(curve, np.asarray(x, float))[1]


def _basis(knots: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Interval (n,), and the weights of its two values and two slopes for the value and for the slope at x, (2, 4, n)."""
    inside = np.clip(x, knots[0], knots[-1])
    i = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    w = knots[i + 1] - knots[i]
    s = (inside - knots[i]) / w
    at = np.stack([(1 + 2 * s) * (1 - s) ** 2, s * s * (3 - 2 * s), w * s * (1 - s) ** 2, w * s * s * (s - 1)])
    by = np.stack([6 * s * (s - 1), 6 * s * (1 - s), w * (1 - s) * (1 - 3 * s), w * s * (3 * s - 2)]) / w
    return i, np.stack([at + by * (x - inside), by]), w


def _spline(curve: Curve, x: np.ndarray) -> np.ndarray:
    i, weights, _ = _basis(curve.knots, x)
    nodes = np.stack([curve.values[i], curve.values[i + 1], curve.slopes[i], curve.slopes[i + 1]])
    return (weights * nodes).sum(1)


def energy(table: FabricTable, states: np.ndarray) -> np.ndarray:
    """Energy of states of one curvature along an axis, (n, 5) -> (n,) [J/m^2]; for checks of the table itself."""
    states = states.copy()
    states[:, 0] -= table.height_u * states[:, 3]
    states[:, 2] -= table.height_v * states[:, 4]
    total = sum(value(curve, states[:, k]) for k, curve in enumerate(table.curves))
    for pair, patch in table.patches.items():
        i, wu, _ = _basis(patch.u, states[:, int(pair[0])])
        j, wv, _ = _basis(patch.v, states[:, int(pair[1])])
        for a in range(4):
            for b in range(4):
                total = total + wu[0, a] * wv[0, b] * patch.nodes[a // 2 + 2 * (b // 2), j + b % 2, i + a % 2]
    return np.asarray(total)
