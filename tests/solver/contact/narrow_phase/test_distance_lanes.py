"""Closest points of sixteen pairs at once, against float64 and against the code for one pair."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.narrow_phase.distance_lanes import FOUND, measure_lanes, motion_bound_lanes
from solver.contact.narrow_phase.local_minimum import between
from solver.device.cpu import LANES, kernel
from tests.solver.contact.closest import distances
from tests.solver.contact.narrow_phase.test_distance import distances_from_segment, nearest_of_segments, segments

N = 6400


def found_of(vertex: bool, corners: list[np.ndarray], dtype) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the results for n pairs, (FOUND.width, n), and the corners as the lanes have them, in float64."""
    n = len(corners[0])
    x = np.zeros((4 * n, 4), dtype)
    for c in range(4):
        x[c * n : (c + 1) * n, :3] = corners[c]
    lanes, found, parts = np.empty(16 * LANES, dtype), np.empty(FOUND.width * LANES, dtype), []
    for first in range(0, n, LANES):
        index = (np.arange(4)[:, None] * n + first + np.arange(LANES)).astype(np.int32).reshape(1, -1)
        measure_lanes(vertex, x, index, lanes, found)
        parts.append(found.reshape(FOUND.width, LANES).copy())
    return np.concatenate(parts, 1).astype(float), [x[c * n : (c + 1) * n, :3].astype(float) for c in range(4)]


def check(found: np.ndarray, corners: list[np.ndarray], exact: np.ndarray, tolerance: float) -> None:
    """The weights, the vector and the length belong together, and the length is the distance.

    Needles, sine 0.01, have up to a hundred times the rounding of lengths in their weights, and some of it in distances:
    vectors may be off by ten times the tolerance, and distances by five times.
    """
    vector = sum(found[c][:, None] * corners[c] for c in range(4))
    assert np.isfinite(found).all()
    assert abs(vector - found[FOUND.vector : FOUND.vector + 3].T).max() < 10 * tolerance
    assert abs(found[FOUND.length] - exact).max() < 5 * tolerance
    assert abs(np.linalg.norm(found[FOUND.vector : FOUND.vector + 3], axis=0) - found[FOUND.length]).max() < tolerance


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-6), (np.float64, 1e-12)])
def test_points_over_every_region_and_border_are_as_far_as_in_double_precision(dtype, tolerance):
    """Triangles of every shape within 1 m, points anywhere, over corners, over sides, and on them: 2e-6 m in
    float32, which is seventeen units of its rounding, and 1e-12 m in float64, as `check` takes them."""
    rng = np.random.default_rng(1)
    t = rng.normal(size=(N, 3, 3)) * 0.3
    t[:1000, 2] = t[:1000, 0] + (t[:1000, 1] - t[:1000, 0]) * 0.4 + 0.01 * t[:1000, 2]  # needles
    w = rng.dirichlet((1, 1, 1), N)
    w[:800, 0], w[800:1600] = 0, np.eye(3)[rng.integers(0, 3, 800)]
    w /= w.sum(1, keepdims=True)
    normal = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    p = (w[:, :, None] * t).sum(1) + 0.5 * rng.normal(size=(N, 1)) * normal  # over a face, a side or a corner
    p[:300] = (w[:300, :, None] * t[:300]).sum(1)  # touching
    p[3000:] = rng.normal(size=(N - 3000, 3)) * 0.4
    found, corners = found_of(True, [p, t[:, 0], t[:, 1], t[:, 2]], dtype)
    exact = [distances(corners[0][i : i + 1], np.stack([c[i] for c in corners[1:]])[None])[0, 0] for i in range(N)]
    check(found, corners, np.array(exact), tolerance)
    assert set(found[FOUND.region]) == set(range(7))
    assert found[1:4].max() <= 1e-5


def test_triangles_without_area_are_as_close_as_their_sides():
    """Points, and needles of float32 within 1 m: 2e-6 m, seventeen units of rounding, as `check` takes it."""
    rng = np.random.default_rng(4)
    t = rng.normal(size=(640, 3, 3)) * 0.3
    t[:320, 1:] = t[:320, :1]
    t[320:, 2] = t[320:, 0] + (t[320:, 1] - t[320:, 0]) * rng.uniform(-1, 2, (320, 1))
    p = rng.normal(size=(640, 3)) * 0.4
    found, c = found_of(True, [p, t[:, 0], t[:, 1], t[:, 2]], np.float32)
    sides = [distances_from_segment(c[0], c[1 + k], c[1 + (k + 1) % 3]) for k in range(3)]
    check(found, c, np.min(sides, axis=0), 2e-6)
    assert (found[FOUND.region] > 0).all()


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 2e-5), (np.float64, 1e-7)])
def test_edges_of_every_kind_are_as_far_as_in_double_precision(dtype, tolerance):
    """Any, parallel, nearly so, in a line, crossing, and without length.

    float32: where the sine is 0.03, rounding of 1e-7 moves the points by 1e-4, and the distance by less than 2e-5, of
    which `check` allows five.
    float64: near-parallel lines are taken by their ends, which is off by the square of the angle left.
    """
    found, c = found_of(False, list(segments(np.random.default_rng(2), N)), dtype)
    check(found, c, nearest_of_segments(*c), tolerance)
    assert set(found[FOUND.region]) == {0, 1}


@kernel
def alone(x, count, vertex, out):
    for i in range(count):
        w, _, d, region = between(x, x, i, count + i, 2 * count + i, 3 * count + i, vertex, x.dtype.type(0))
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = w[0], w[1], w[2], w[3], d, region


@pytest.mark.parametrize("vertex", [True, False])
def test_sixteen_at_once_are_what_one_alone_is(vertex):
    """Double precision, pairs in general position: the same weights and lengths to 1e-9 and the same regions."""
    corners = list(np.random.default_rng(7).normal(size=(4, N, 3)))
    found, c = found_of(vertex, corners, np.float64)
    x = np.zeros((4 * N, 4))
    x[:, :3] = np.concatenate(c)
    out = np.zeros((N, 6))
    alone(x, N, vertex, out)
    assert pytest.approx(out[:, :4], abs=1e-9) == found[:4].T
    assert found[FOUND.length] == pytest.approx(out[:, 4], abs=1e-9)
    assert (found[FOUND.region] == out[:, 5]).all()


@pytest.mark.parametrize("vertex", [True, False])
def test_no_pair_comes_nearer_than_its_motion_bound_says(vertex):
    """Random pairs and displacements; the bound is one of arithmetic, so the tolerance of 1e-12 is rounding of double
    precision."""
    rng = np.random.default_rng(9)
    corners, moves = rng.normal(size=(4, N, 3)), rng.normal(size=(4, N, 3)) * rng.choice([0.01, 0.3], (1, N, 1))
    moves += rng.normal(size=(1, N, 3))  # what all share brings none nearer
    x = np.zeros((4 * N, 4))
    x[:, :3] = np.concatenate(list(moves))
    lanes, rates = np.empty(16 * LANES), np.empty(N)
    for first in range(0, N, LANES):
        index = (np.arange(4)[:, None] * N + first + np.arange(LANES)).astype(np.int32).reshape(1, -1)
        motion_bound_lanes(vertex, x, index, lanes, rates[first:])
    before, _ = found_of(vertex, list(corners), np.float64)
    after, _ = found_of(vertex, list(corners + moves), np.float64)
    assert (before[FOUND.length] - after[FOUND.length] - rates).max() < 1e-12
    assert np.median(rates) < 2.0
