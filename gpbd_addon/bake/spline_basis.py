"""Splines as Blender evaluates them: weights of their control points, and the control points that fit a shape best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray

#: Share of the motion of control points that goes to their neighbors in the fit, far below that of any vertex [1].
SHARED = 1e-10
#: Weight of both ends of an open rope beside that of its other vertices: they stay at their pins.
END_WEIGHT = 1e4


@dataclass(frozen=True)
class Spline:
    """One spline of a curve. entries: control points, of a Bezier one its left handle, itself and its right handle, (n, 3).
    weights: of a NURBS, (n,). resolution: evaluated points of each segment."""

    kind: str
    entries: Array
    weights: Array
    is_cyclic: bool
    resolution: int
    order: int = 4
    at_ends: bool = False
    as_bezier: bool = False


def basis(spline: Spline) -> Array:
    """Weights of the control points at each evaluated point, (m, n); the last row is the first one's of a cyclic spline."""
    if spline.kind == "BEZIER":
        rows = _bezier(spline)
    elif spline.kind == "NURBS" and _is_valid(spline):
        rows = _nurbs(spline)
    else:
        rows = np.eye(len(spline.entries))
    return np.concatenate([rows, rows[:1]]) if spline.is_cyclic else rows


def even_basis(spline: Spline, count: int) -> Array:
    """Weights of the control points at points of equal distances along the spline, (count, n)."""
    rows = basis(spline)
    steps = np.linalg.norm(np.diff(rows @ spline.entries, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    wanted = np.linspace(0.0, along[-1], count, endpoint=not spline.is_cyclic)
    at = np.clip(np.searchsorted(along, wanted, side="right") - 1, 0, max(len(steps) - 1, 0))
    share = np.clip((wanted - along[at]) / np.maximum(steps[at], 1e-30), 0.0, 1.0)[:, None]
    return (1.0 - share) * rows[at] + share * rows[at + 1]


def fit(weights: Array, is_cyclic: bool) -> Array:
    """Return the matrix from motions of the points of `weights`, (count, n), to those of control points, (n, count).

    Least squares; neighbouring control points move alike where the points leave them free.
    """
    n = weights.shape[1]
    importance = np.ones(len(weights))
    if not is_cyclic:
        importance[[0, -1]] = END_WEIGHT
    weighted = (weights * importance[:, None]).T
    normal = weighted @ weights
    differences = np.diff(np.eye(n), axis=0)
    normal += SHARED * np.trace(normal) / n * (differences.T @ differences)
    return np.linalg.solve(normal, weighted)


def _bezier(spline: Spline) -> Array:
    count = len(spline.entries) // 3
    segments = count if spline.is_cyclic else count - 1
    t = np.arange(spline.resolution) / spline.resolution
    shares = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], 1)
    rows = np.zeros((segments * spline.resolution + (not spline.is_cyclic), 3 * count))
    for segment in range(segments):
        following = (segment + 1) % count
        at = [3 * segment + 1, 3 * segment + 2, 3 * following, 3 * following + 1]
        rows[segment * spline.resolution : (segment + 1) * spline.resolution, at] = shares
    if not spline.is_cyclic:
        rows[-1, -2] = 1.0
    return rows


def _is_valid(spline: Spline) -> bool:
    """Return whether Blender evaluates a NURBS; else it shows its control points."""
    n, order = len(spline.entries), spline.order
    if n < order or (spline.as_bezier and not spline.at_ends and n <= order):
        return False
    return not (spline.as_bezier and spline.is_cyclic and n % (order - 1))


def _knots(spline: Spline) -> Array:
    """Source: Blender, `curve_nurbs.cc`, `calculate_knots`."""
    n, order, is_cyclic = len(spline.entries), spline.order, spline.is_cyclic
    inner = order - 1 if spline.as_bezier else 1
    head = order - is_cyclic if spline.at_ends else min(2, inner) if spline.as_bezier else 1
    tail = 2 * order - 1 if is_cyclic else order if spline.at_ends else 0
    knots = np.zeros(n + order + (order - 1 if is_cyclic else 0))
    current, left = 0.0, head
    offset = int(spline.at_ends and is_cyclic)
    current += offset
    for k in range(offset, len(knots) - tail):
        knots[k] = current
        left -= 1
        if left == 0:
            current, left = current + 1.0, inner
    first = len(knots) - tail
    for k in range(tail):
        knots[first + k] = current + knots[k] - knots[0]
    return knots


def _nurbs(spline: Spline) -> Array:
    """Source: Piegl, Tiller 1997, "The NURBS book", algorithm A2.2, with the parameters of Blender."""
    n, degree, knots = len(spline.entries), spline.order - 1, _knots(spline)
    start, end = knots[degree], knots[n + degree] if spline.is_cyclic else knots[n]
    count = spline.resolution * (n if spline.is_cyclic else n - 1)
    rows = np.zeros((count, n))
    last = (n + degree if spline.is_cyclic else n) - 1
    for row, u in zip(rows, np.linspace(start, end, count, endpoint=not spline.is_cyclic), strict=True):
        span = min(max(int(np.searchsorted(knots, u, side="right")) - 1, degree), last)
        shares = np.zeros(degree + 1)
        shares[0] = 1.0
        for k in range(1, degree + 1):
            saved = 0.0
            for j in range(k):
                right, left = knots[span + j + 1] - u, u - knots[span + 1 + j - k]
                part = shares[j] / (right + left) if right + left > 0 else 0.0
                shares[j], saved = saved + right * part, left * part
            shares[k] = saved
        np.add.at(row, (span - degree + np.arange(degree + 1)) % n, shares)
    rows *= spline.weights
    return rows / rows.sum(1, keepdims=True)
