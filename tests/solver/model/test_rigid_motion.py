"""Free motion of rigid bodies, and what the mesh says about mass and inertia."""

from __future__ import annotations

import numpy as np
import pytest

from solver.model.rigid_motion import RigidMotion, RigidShape, matrix, quaternion, rotation_between, turned
from solver.topology.mass_properties import mass_properties
from tests.scenes.meshes import brick, turn

INERTIA = np.array([0.05, 0.1, 0.13])
OMEGA = np.array([0.05, 8.0, 0.02])  # about the middle axis, where a free body tumbles


def tumble(steps: int, time: float = 2.0) -> RigidMotion:
    shape = RigidShape(0, 1, 2.0, INERTIA, np.zeros((1, 3)), np.zeros(3), np.eye(3), np.array([0.1, 0, 0]), OMEGA)
    motion = RigidMotion([shape], time / steps, "float64")
    for _ in range(steps):
        motion.begin(np.zeros(3), 1.0, time / steps)
    return motion


def euler(time: float = 2.0, steps: int = 20000) -> np.ndarray:
    """The turn by Euler's equations in the body's frame, with Runge and Kutta's fourth-order rule."""

    def rate(y):
        w, r = y[:3], y[3:].reshape(3, 3)
        cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([np.cross(INERTIA * w, w) / INERTIA, (r @ cross).ravel()])

    y, h = np.concatenate([OMEGA, np.eye(3).ravel()]), time / steps
    for _ in range(steps):
        a = rate(y)
        b = rate(y + h / 2 * a)
        c = rate(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y[3:].reshape(3, 3)


def test_a_free_body_tumbles_as_eulers_equations_say_to_second_order():
    """0.1 degrees after 2.5 turns at 384 steps, and a quarter of the error, to a tenth, with half the step; angular
    momentum to rounding, 1e-15, and energy to 1e-4."""
    exact = euler()
    errors = []
    for steps in (384, 768):
        motion = tumble(steps)
        errors.append(np.arccos((np.trace(matrix(motion.turn[0]) @ exact.T) - 1) / 2))
        assert abs(motion.spin[0] - INERTIA * OMEGA).max() < 1e-15
        assert motion.kinetic_energy() == pytest.approx(0.01 + 0.5 * (INERTIA * OMEGA**2).sum(), rel=1e-4)
    assert errors[0] < np.radians(0.1)
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_a_thrown_body_falls_as_gravity_says():
    """1e-12 m: backward Euler falls g h^2 n (n + 1) / 2 in n substeps, to float64's rounding."""
    shape = RigidShape(0, 1, 2.0, INERTIA, np.zeros((1, 3)), np.zeros(3), np.eye(3), np.array([3.0, 0, 4.0]), np.zeros(3))
    motion, h, n = RigidMotion([shape], 0.01, "float64"), 0.01, 50
    for _ in range(n):
        motion.begin(np.array([0, 0, -9.81]), 1.0, h)
    assert motion.centre[0] == pytest.approx([3.0 * n * h, 0, 4.0 * n * h - 9.81 * h * h * n * (n + 1) / 2], abs=1e-12)


def test_mass_and_inertia_of_a_turned_box_are_those_of_a_box():
    """Exact integrals: 1e-12, and 1e-11 for the inertia."""
    x, t = brick((0.3, 0.2, 0.1))
    found = mass_properties("box", x @ turn(1.0, (1, 2, 3)).T + [3, 2, 1], t[:, ::-1])
    assert found.volume == pytest.approx(0.006, rel=1e-12)
    np.testing.assert_allclose(found.centre, [3, 2, 1], rtol=1e-12)
    np.testing.assert_allclose(found.inertia, 0.006 / 12 * np.array([0.05, 0.1, 0.13]), rtol=1e-11)
    assert np.linalg.det(found.axes) == pytest.approx(1)


def test_turns_there_and_back():
    """Rounding of float64, 1e-12 and 1e-14; ways of less than half a turn, of which the short way is the same."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        one, way = quaternion(turn(rng.uniform(0, 6), rng.normal(size=3))), rng.uniform(-1.7, 1.7, 3)
        other = turned(one[None], way[None])[0]
        np.testing.assert_allclose(rotation_between(one, other), way, atol=1e-12)
        np.testing.assert_allclose(matrix(quaternion(matrix(one))), matrix(one), atol=1e-14)
