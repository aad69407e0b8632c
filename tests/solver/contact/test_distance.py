"""Closest points and crossings against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.distance import blend, closest_on_triangle, crossing, length, row, triangle_normal
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
def crossing_all(p, q, a, b, out):
    one = p.dtype.type(1)
    for i in range(len(p)):
        hit, time, side, weights = crossing(
            row(p, i), row(q, i), row(a[i], 0), row(a[i], 1), row(a[i], 2), row(b[i], 0), row(b[i], 1), row(b[i], 2), one
        )
        out[i, 0], out[i, 1], out[i, 2] = hit, time, side
        out[i, 3], out[i, 4], out[i, 5] = weights[0], weights[1], weights[2]


@kernel
def normals_all(a, b, c, out):
    for i in range(len(a)):
        n, valid = triangle_normal(row(a, i), row(b, i), row(c, i), a.dtype.type(1))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = n[0], n[1], n[2], valid


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-6), (np.float64, 1e-12)])
def test_the_closest_point_is_as_close_as_the_best_of_face_and_edges(dtype, tolerance):
    """Points within 1 m of triangles of every shape: ten units of rounding, at 1 m."""
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


def test_a_crossing_is_a_change_of_side_within_the_triangle():
    """Against 4,000 samples: a hit exactly where the signed volume changes sign inside (borders of 1e-3 left out)."""
    rng = np.random.default_rng(2)
    n = 400
    a = rng.normal(size=(n, 3, 3))
    b = a + 0.5 * rng.normal(size=(n, 3, 3))
    p, q = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    out = np.zeros((n, 6))
    crossing_all(p, q, a, b, out)
    time = np.linspace(0, 1, 4001)[:, None]
    checked = 0
    for i in range(n):
        x = p[i] + time * (q[i] - p[i])
        t = a[i] + time[:, :, None] * (b[i] - a[i])
        e, f, d = t[:, 1] - t[:, 0], t[:, 2] - t[:, 0], x - t[:, 0]
        normal = np.cross(e, f)
        volume, square = (d * normal).sum(1), (normal * normal).sum(1)
        v, w = (np.cross(d, f) * normal).sum(1) / square, (np.cross(e, d) * normal).sum(1) / square
        change = np.flatnonzero((volume[1:] >= 0) != (volume[:-1] >= 0))
        inner = np.minimum(np.minimum(v, w), 1 - v - w)[change]
        if len(change) != 1 or abs(inner).min() < 1e-3:
            assert len(change) != 0 or not out[i, 0]
            continue
        checked += 1
        assert bool(out[i, 0]) == (inner[0] > 0)
        if out[i, 0]:
            assert out[i, 1] == pytest.approx(time[change[0], 0], abs=5e-4)
            assert out[i, 2] == (1 if volume[0] >= 0 else -1)
            assert out[i, 3:].sum() == pytest.approx(1)
    assert checked > 100
    assert 10 < out[:, 0].sum() < n


def test_no_vertex_slips_between_two_triangles_that_share_an_edge():
    """Paths straight through the shared edge, in float32, with every tilt: at least one of the two stops them."""
    rng = np.random.default_rng(5)
    n = 5000
    ends = rng.normal(size=(n, 2, 3)).astype(np.float32)
    left, right = rng.normal(size=(2, n, 3)).astype(np.float32)
    s = rng.uniform(0.01, 0.99, (n, 1)).astype(np.float32)
    on_edge = (1 - s) * ends[:, 0] + s * ends[:, 1]
    one, two = np.stack([ends[:, 0], ends[:, 1], left], 1), np.stack([ends[:, 1], ends[:, 0], right], 1)
    bisector = left - on_edge
    bisector /= np.linalg.norm(bisector, axis=1, keepdims=True)
    other = right - on_edge
    bisector = bisector + other / np.linalg.norm(other, axis=1, keepdims=True)  # from the fold into its opening
    p, q = (on_edge + bisector).astype(np.float32), (on_edge - bisector).astype(np.float32)
    hits = np.zeros((2, n, 6), np.float32)
    crossing_all(p, q, one, one, hits[0])
    crossing_all(p, q, two, two, hits[1])
    assert (hits[0, :, 0] + hits[1, :, 0] > 0).all()


def test_needles_and_points_have_no_normal():
    a = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0], [0, 0, 0]], np.float32)
    b = np.array([[1, 0, 0], [1, 1, 1], [1, 0, 0], [1e-4, 0, 0]], np.float32)
    c = np.array([[0, 2, 0], [1, 1, 1], [3, 0, 0], [0, 1e-4, 0]], np.float32)
    out = np.zeros((4, 4), np.float32)
    normals_all(a, b, c, out)
    assert out[:, 3].tolist() == [1, 0, 0, 1]
    assert out[0, :3].tolist() == [0, 0, 1]
