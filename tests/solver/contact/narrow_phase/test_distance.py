"""Closest points of triangles and segments against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.narrow_phase.distance import (
    blend,
    closest_of_segments,
    closest_of_triangle,
    closest_on_triangle,
    length,
    row,
    triangle_normal,
)
from solver.device.cpu import kernel
from solver.mathlib.vec3 import sub
from tests.solver.contact.closest import distances


@kernel
def closest_all(p, a, b, c, out):
    one = p.dtype.type(1)
    for i in range(len(p)):
        weights, region = closest_on_triangle(row(p, i), row(a, i), row(b, i), row(c, i), one)
        out[i, 0] = length(sub(row(p, i), blend(weights, row(a, i), row(b, i), row(c, i))))
        out[i, 1] = min(weights[0], min(weights[1], weights[2]))
        out[i, 2] = region


@kernel
def closest_any(p, a, b, c, out):
    one = p.dtype.type(1)
    for i in range(len(p)):
        weights, _ = closest_of_triangle(row(p, i), row(a, i), row(b, i), row(c, i), one)
        out[i, 0] = length(sub(row(p, i), blend(weights, row(a, i), row(b, i), row(c, i))))


@kernel
def segments_all(a, b, c, d, out):
    one = a.dtype.type(1)
    for i in range(len(a)):
        s, t = closest_of_segments(row(a, i), row(b, i), row(c, i), row(d, i), one)
        out[i, 0], out[i, 1] = s, t


@kernel
def normals_all(a, b, c, out):
    for i in range(len(a)):
        n, valid = triangle_normal(row(a, i), row(b, i), row(c, i), a.dtype.type(1))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = n[0], n[1], n[2], valid


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-6), (np.float64, 1e-12)])
def test_the_closest_point_is_as_close_as_the_best_of_face_and_edges(dtype, tolerance):
    """Points within 1 m of triangles of every shape: 2e-6 m in float32, which is seventeen units of its rounding at 1 m, and
    1e-12 m in float64. No weight is below -1e-5."""
    rng = np.random.default_rng(1)
    t = rng.normal(size=(3000, 3, 3)) * 0.3
    t[:1000, 2] = t[:1000, 0] + (t[:1000, 1] - t[:1000, 0]) * 0.4 + 0.01 * t[:1000, 2]  # needles
    p = rng.normal(size=(3000, 3)) * 0.4
    out = np.zeros((3000, 3), dtype)
    closest_all(*(k.astype(dtype) for k in (p, t[:, 0].copy(), t[:, 1].copy(), t[:, 2].copy())), out)
    exact = np.array([distances(p[i : i + 1], t[i : i + 1])[0, 0] for i in range(3000)])
    assert out[:, 0] == pytest.approx(exact, abs=tolerance)
    assert out[:, 1].min() >= -1e-5
    assert set(out[:, 2]) == {0, 1, 2, 3, 4, 5, 6}


def segments(rng, n):
    """Pairs of segments of every kind: any, parallel, nearly so, in a line, crossing, without length."""
    a, b, c, d = rng.normal(size=(4, n, 3)) * 0.3
    k = n // 6
    d[:k] = c[:k] + (b - a)[:k] * rng.uniform(-2, 2, (k, 1))
    d[k : 2 * k] = c[k : 2 * k] + (b - a)[k : 2 * k] + rng.normal(size=(k, 3)) * 10 ** rng.uniform(-7, -2, (k, 1))
    line = slice(2 * k, 3 * k)
    c[line], d[line] = (a + rng.uniform(-1, 2, (n, 1)) * (b - a))[line], (a + rng.uniform(-1, 2, (n, 1)) * (b - a))[line]
    cut = slice(3 * k, 4 * k)
    c[cut] = (2 * (a + rng.uniform(0, 1, (n, 1)) * (b - a)) - d)[cut]
    b[4 * k : 5 * k] = a[4 * k : 5 * k]
    return a, b, c, d


def nearest_of_segments(a, b, c, d):
    """Distances (n,) in float64: the best of the four ends and of the crossing of the lines."""
    end = [
        distances_from_segment(a, c, d), distances_from_segment(b, c, d), distances_from_segment(c, a, b),
        distances_from_segment(d, a, b),
    ]  # fmt: skip
    u, v, w = b - a, d - c, a - c
    uu, vv, uv, uw, vw = ((p * q).sum(1) for p, q in ((u, u), (v, v), (u, v), (u, w), (v, w)))
    det = uu * vv - uv * uv
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (uv * vw - uw * vv) / det, (uu * vw - uv * uw) / det
        inner = np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1)
    inner[~((det > 1e-9 * uu * vv) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))] = np.inf
    return np.minimum(inner, np.min(end, axis=0))


def distances_from_segment(p, a, b):
    e = b - a
    s = np.clip(((p - a) * e).sum(1) / np.maximum((e * e).sum(1), 1e-300), 0, 1)
    return np.linalg.norm(p - a - s[:, None] * e, axis=1)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-5), (np.float64, 1e-7)])
def test_two_segments_are_as_close_as_their_best_points(dtype, tolerance):
    """float32: where the sine is 0.03, rounding of 1e-7 moves the points by 1e-4, and the distance by less than 2e-5.

    float64: near-parallel lines are taken by their ends, which is off by the square of the angle left.
    """
    a, b, c, d = (k.astype(dtype) for k in segments(np.random.default_rng(2), 6000))
    out = np.zeros((6000, 2), dtype)
    segments_all(a, b, c, d, out)
    assert out.min() >= 0
    assert out.max() <= 1
    a, b, c, d = (k.astype(float) for k in (a, b, c, d))
    s, t = out[:, :1].astype(float), out[:, 1:].astype(float)
    found = np.linalg.norm(a + s * (b - a) - c - t * (d - c), axis=1)
    exact = nearest_of_segments(a, b, c, d)
    assert (found - exact).max() < tolerance
    assert (found - exact).min() > -1e-9


def test_triangles_without_area_are_as_close_as_their_sides():
    """Points, needles and proper triangles in float32, within 1 m: 2e-6 m, seventeen units of rounding."""
    rng = np.random.default_rng(4)
    t = rng.normal(size=(900, 3, 3)) * 0.3
    t[:300, 1:] = t[:300, :1]
    t[300:600, 2] = t[300:600, 0] + (t[300:600, 1] - t[300:600, 0]) * rng.uniform(-1, 2, (300, 1))
    p = rng.normal(size=(900, 3)) * 0.4
    p, t = p.astype(np.float32), t.astype(np.float32)
    out = np.zeros((900, 3), np.float32)
    closest_any(p, t[:, 0].copy(), t[:, 1].copy(), t[:, 2].copy(), out)
    p, t = p.astype(float), t.astype(float)
    sides = [distances_from_segment(p, t[:, k], t[:, (k + 1) % 3]) for k in range(3)]
    assert out[:600, 0] == pytest.approx(np.min(sides, axis=0)[:600], abs=2e-6)
    exact = [distances(p[i : i + 1], t[i : i + 1])[0, 0] for i in range(600, 900)]
    assert out[600:, 0] == pytest.approx(np.array(exact), abs=2e-6)


def test_needles_and_points_have_no_normal():
    a = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0], [0, 0, 0]], np.float32)
    b = np.array([[1, 0, 0], [1, 1, 1], [1, 0, 0], [1e-4, 0, 0]], np.float32)
    c = np.array([[0, 2, 0], [1, 1, 1], [3, 0, 0], [0, 1e-4, 0]], np.float32)
    out = np.zeros((4, 4), np.float32)
    normals_all(a, b, c, out)
    assert out[:, 3].tolist() == [1, 0, 0, 1]
    assert out[0, :3].tolist() == pytest.approx([0, 0, 1], abs=1.2e-7)  # a digit: roots of AVX-512 are refined ones
