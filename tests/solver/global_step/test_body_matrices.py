"""The kernels of bodies in clusters, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from solver.global_step.body_balance import SPRING, TWIST, gaps_and_slips, settle
from solver.global_step.body_clusters import BodyClusters
from solver.global_step.body_matrices import couplings_of, factorise_clusters, follow, own_blocks, pulls

#: Vertices; bodies, of which two clusters are made, and those that a sheet touches; pairs of bodies that springs join.
VERTICES, BODIES, TOUCHED, PAIRS = 5, 6, np.array([1, 3, 5]), np.array([[0, 1], [1, 2], [0, 3], [4, 5]])


def world(seed=0):
    """Clusters of bodies with springs to vertices, between bodies and to the ground, all of which push and hold."""
    random = np.random.default_rng(seed)
    clusters = BodyClusters(TOUCHED, PAIRS, BODIES)
    ends = clusters.place[np.concatenate([np.repeat(TOUCHED, 3)[:, None], np.full((9, 1), -1)], 1)]
    ends[:, 1] = -1
    ground = np.stack([clusters.place[np.array([2, 4])], np.full(2, -1)], 1)
    ends = np.concatenate([ends, clusters.place[PAIRS], ground])
    corners, weights = random.integers(0, VERTICES, (len(ends), 4)), random.uniform(0.1, 1, (len(ends), 4))
    weights[9:] = 0
    order = np.argsort(ends[:, 0], kind="stable")
    ends, corners, weights = ends[order], corners[order].astype(np.int32), weights[order]
    rows = random.normal(size=(len(ends), SPRING.width))
    normal = rows[:, SPRING.normal : SPRING.normal + 3]
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    rows[ends[:, 1] < 0, SPRING.other : SPRING.other + 4] = 0
    rows[:, SPRING.stiffness] = random.uniform(1, 9, len(ends))
    rows[:, SPRING.bound] = random.uniform(0.1, 1, len(ends))
    root = random.normal(size=(BODIES, TWIST, TWIST))
    stiffness = root @ root.transpose(0, 2, 1) + np.eye(TWIST)
    first = np.searchsorted(clusters.cluster[ends[:, 0]], np.arange(len(clusters.first)))
    chosen = random.uniform(1, 9, len(ends)), random.uniform(0, 1, len(ends))
    return clusters, first, rows, ends, corners, weights, stiffness, random.normal(size=TWIST * BODIES), chosen, random


def motions(rows, ends):
    """Return the displacement of each spring's point by the twists of all bodies, (c, 3, 6 m)."""
    found = np.zeros((len(rows), 3, TWIST * BODIES))
    for c, both in enumerate(ends):
        for end, start in zip(both, (SPRING.side, SPRING.other), strict=True):
            if end >= 0:
                weight, *arm = rows[c, start : start + 4]
                turn = np.cross(np.eye(3), arm).T  # of a unit turn about each axis, which goes across the arm
                found[c, :, TWIST * end : TWIST * end + TWIST] += np.concatenate([weight * np.eye(3), turn], 1)
    return found


def dense(stiffness, rows, ends, chosen):
    """The bodies' matrix with springs as chosen, (6 m, 6 m), and each spring's stiffness, (c, 3, 3)."""
    n, (normal, friction) = rows[:, :3], chosen
    tensors = (normal - friction)[:, None, None] * n[:, :, None] * n[:, None] + friction[:, None, None] * np.eye(3)
    matrix, sides = np.zeros((TWIST * BODIES,) * 2), motions(rows, ends)
    for body in range(BODIES):
        matrix[TWIST * body :][:TWIST, TWIST * body :][:, :TWIST] = stiffness[body]
    return matrix + np.einsum("cia,cij,cjb->ab", sides, tensors, sides), tensors


def test_what_bodies_take_from_the_sheet_is_that_of_the_dense_inverse():
    """1e-12 of numbers of order one: double precision."""
    clusters, first, rows, ends, corners, weights, stiffness, _, chosen, _ = world()
    factors, reach = np.zeros(clusters.begins[-1]), clusters.reach(ends)
    springs = clusters.first, first
    factorise_clusters(*springs, rows, ends, reach, stiffness, *chosen, clusters.begins, factors)
    of_vertices = clusters.touched, rows, ends, corners, weights
    starts, vertices, numbers = couplings_of(VERTICES, *springs, *of_vertices, clusters.begins, factors, *chosen)
    taken = np.zeros((3 * VERTICES,) * 2)
    for k in range(len(starts) - 1):
        own = slice(starts[k], starts[k + 1])
        assert len(set(vertices[own])) == len(vertices[own])
        column = np.zeros((VERTICES, 3, TWIST))
        column[vertices[own]] = numbers[own]
        taken += column.reshape(-1, TWIST) @ column.reshape(-1, TWIST).T
    matrix, tensors = dense(stiffness, rows, ends, chosen)
    points = np.zeros((len(rows), 3, 3 * VERTICES))
    for c in range(len(rows)):
        for corner, weight in zip(corners[c], weights[c], strict=True):
            points[c, :, 3 * corner : 3 * corner + 3] += weight * np.eye(3)
    coupled = np.einsum("civ,cij,cja->va", points, tensors, motions(rows, ends))
    assert len(starts) == 1 + len(TOUCHED)
    assert taken == pytest.approx(coupled @ np.linalg.inv(matrix) @ coupled.T, abs=1e-12)


def test_bodies_follow_the_forces_that_springs_leave():
    """1e-12: double precision. After the motion that the factors give nothing is left of the forces."""
    clusters, first, rows, ends, _, _, stiffness, load, chosen, random = world(1)
    point, twist, factors = random.normal(size=(len(rows), 3)), np.zeros(TWIST * BODIES), np.zeros(clusters.begins[-1])
    reach, push, pull = clusters.reach(ends), np.zeros(TWIST * BODIES), np.zeros((len(rows), 3))
    factorise_clusters(clusters.first, first, rows, ends, reach, stiffness, *chosen, clusters.begins, factors)
    for _ in range(2):
        pulls(rows, ends, point, twist, *chosen, stiffness, load, np.empty((2, 3)), push, pull)
        follow(clusters.first, clusters.begins, factors, reach, push, twist)
    assert push == pytest.approx(0, abs=1e-12)
    matrix, _ = dense(stiffness, rows, ends, chosen)
    blocks = own_blocks(rows, ends, *chosen, stiffness)
    for body in range(BODIES):
        own = slice(TWIST * body, TWIST * body + TWIST)
        assert blocks[body] == pytest.approx(matrix[own, own], abs=1e-12)


def test_clusters_settle_where_inertia_and_springs_with_friction_balance():
    """1e-6 of forces of order one: the last Newton step changes the potential by 1e-10 of it. Where friction slides it is at
    its bound, and gaps that are open do not push."""
    clusters, first, rows, ends, _, _, stiffness, load, _, random = world(2)
    point, twist = random.normal(size=(len(rows), 3)), np.zeros(TWIST * BODIES)
    energy = settle(clusters.first, first, rows, ends, point, clusters.reach(ends), stiffness, load, twist)
    gap, slip = np.zeros((2, len(rows)))
    gaps_and_slips(rows, ends, point, twist, np.empty((2, 3)), gap, slip)
    kappa, bound = rows[:, SPRING.stiffness], rows[:, SPRING.bound]
    friction, push, pull = np.minimum(kappa, bound / slip), np.zeros(TWIST * BODIES), np.zeros((len(rows), 3))
    pulls(rows, ends, point, twist, np.where(gap < 0, kappa, 0), friction, stiffness, load, np.empty((2, 3)), push, pull)
    assert push == pytest.approx(0, abs=1e-6)
    assert 0 < (gap < 0).sum() < len(gap)
    assert (kappa * slip > bound).any()
    held = np.where(kappa * slip <= bound, 0.5 * kappa * slip**2, bound * (slip - 0.5 * bound / kappa))
    each = zip(twist.reshape(-1, TWIST), stiffness, load.reshape(-1, TWIST), strict=True)
    inert = sum(0.5 * q @ k @ q - q @ f for q, k, f in each)
    assert energy == pytest.approx(inert + held.sum() + 0.5 * (kappa * np.minimum(gap, 0) ** 2).sum(), rel=1e-9)
