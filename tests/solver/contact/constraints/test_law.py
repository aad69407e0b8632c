"""The law of a contact in single precision: Signorini's condition, Coulomb's cone, and the kept distance."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.constraints import law
from tests.solver.mathlib.lanes import run

RNG = np.random.default_rng(3)
COUNT = 200
#: Sizes of numbers: denormal, usual, large.
SIZES = [1e-42, 1e-6, 1.0, 1e12]


def numbers(size, *shape):
    return (size * RNG.normal(size=(COUNT, *shape))).astype(np.float32)


def unit_vectors():
    n = RNG.normal(size=(COUNT, 3))
    return (n / np.linalg.norm(n, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("size", SIZES)
def test_a_contact_pushes_or_is_open(size):
    before, gap, mass = abs(numbers(size)), numbers(size), np.full(COUNT, 0.5, np.float32)
    after = np.array(run(law.normal_force, before, gap, mass))
    assert (after >= 0).all()
    still_closed = after > 0
    assert after[still_closed] == pytest.approx((before - gap * mass)[still_closed], rel=1e-6)
    assert (before - gap * mass)[~still_closed].max() <= 0


@pytest.mark.parametrize("size", SIZES)
def test_friction_lies_in_the_cone_and_is_the_nearest_there(size):
    """1e-5: a root, a division and a product in single precision."""
    force, most = numbers(size, 3), abs(numbers(size))
    inside = np.array(run(law.within_cone, force, most))
    length = np.linalg.norm(force.astype(float), axis=1)
    assert np.isfinite(inside).all()
    if size < 1e-30:  # below the least square that has a root: nothing is let slide with more than it has
        assert (np.abs(inside) <= np.abs(force)).all()
        return
    nearest = force * np.minimum(1.0, most / length)[:, None]
    assert np.abs(inside - nearest).max() <= 1e-5 * length.max()


def test_friction_acts_across_the_normal_against_the_slip():
    """5e-6: sums of three products in single precision."""
    n, slip, none = unit_vectors(), numbers(1.0, 3), np.zeros((COUNT, 3), np.float32)
    mass, most = np.full(COUNT, 2.0, np.float32), np.full(COUNT, 1e6, np.float32)
    force = np.array(run(law.friction_force, none, slip, n, mass, most))
    assert np.abs((force * n).sum(1)).max() < 5e-6 * np.abs(force).max()
    assert ((force * slip).sum(1) <= 0).all()
    across = slip - (slip * n).sum(1)[:, None] * n
    assert np.abs(force + 2 * across).max() < 5e-6 * np.abs(force).max()


def test_a_contact_that_starts_too_close_recovers_by_its_allowance_at_most():
    distance, start = np.full(COUNT, 0.002, np.float32), RNG.uniform(-0.01, 0.004, COUNT).astype(np.float32)
    allowance = np.full(COUNT, 5e-4, np.float32)
    target = np.array(run(law.target_distance, distance, start, allowance))
    assert (target <= distance).all()
    assert (target - start <= allowance + 1e-9).all() and (target >= np.minimum(start, distance)).all()
    assert (target[start > distance] == distance[start > distance]).all()


def test_restitution_of_zero_leaves_the_speed_of_the_prediction():
    speed, predicted = numbers(1.0), numbers(1.0)
    left = speed - np.array(run(law.separation_to_remove, speed, predicted))
    assert left == pytest.approx(np.maximum(predicted, 0), abs=1e-6)
