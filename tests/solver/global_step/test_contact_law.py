"""The law of contact springs: forces against differences of their energy, and single precision against double."""

from __future__ import annotations

import numpy as np
import pytest

from solver.device.cuda.single import single
from solver.global_step import contact_law
from tests.solver.mathlib.lanes import run

RNG = np.random.default_rng(5)
COUNT = 200
PENALTY, ACROSS, MU = 300.0, 40.0, 0.4


def samples():
    """Gaps [m] of both signs, slips (3) [m], and unit normals."""
    gap, slip, n = 1e-3 * RNG.normal(size=COUNT), 1e-3 * RNG.normal(size=(COUNT, 3)), RNG.normal(size=(COUNT, 3))
    return gap, slip, n / np.linalg.norm(n, axis=1, keepdims=True)


def full(value):
    return np.full(COUNT, value)


def test_forces_are_the_slopes_of_the_energy():
    """Central differences of a quadratic function are exact but for rounding: 1e-16 of 1e-4 J over 1e-7 m, 1e-13 N, beside
    0.3 N. A gap nearer than a step to zero is left out."""
    gap, slip, _ = samples()
    step, bound = 1e-7, full(1e9)  # no cone: the friction stiffness is as chosen
    gap = np.where(abs(gap) < step, 1e-3, gap)
    along = np.where(gap < 0, PENALTY, 0.0)
    forces = run(contact_law.spring_force, gap, slip, bound, along, full(ACROSS))

    def energy(gaps, slips):
        return np.array(run(contact_law.spring_energy, gaps, slips, full(PENALTY), full(ACROSS)))

    normal = -(energy(gap + step, slip) - energy(gap - step, slip)) / (2 * step)
    assert np.array([force for force, _ in forces]) == pytest.approx(normal, abs=1e-7)
    closed = gap < 0  # an open contact has none
    for axis in range(3):
        way = step * np.eye(3)[axis]
        slope = -(energy(gap, slip + way) - energy(gap, slip - way)) / (2 * step)
        friction = np.array([friction[axis] for _, friction in forces])
        assert friction[closed] == pytest.approx(slope[closed], abs=1e-7)


def test_friction_slides_at_coulombs_bound():
    gap, slip, _ = samples()
    along, across = np.array(run(contact_law.active_stiffness, gap, slip, full(MU), full(PENALTY), full(PENALTY))).T
    assert (along == np.where(gap < 0, PENALTY, 0)).all() and (across <= PENALTY).all()
    assert (across[gap >= 0] == 0).all()
    forces = run(contact_law.spring_force, gap, slip, full(MU), along, across)
    normal = np.array([force for force, _ in forces])
    friction = np.linalg.norm([friction for _, friction in forces], axis=1)
    assert (friction <= MU * normal * (1 + 1e-12)).all()
    slides = (across > 0) & (across < PENALTY)
    assert slides.sum() > 20 and friction[slides] == pytest.approx(MU * normal[slides])


@pytest.mark.parametrize("share", [1.0, 0.25])
def test_the_rise_is_the_difference_of_energies(share):
    """1e-12 J: rounding of energies of 1e-4 J; the rise itself has none of it."""
    gap, d, n = samples()
    way = 1e-3 * RNG.normal(size=(COUNT, 3))

    def energy(moved):
        along = (n * moved).sum(1)
        slip = moved - along[:, None] * n
        return np.array(run(contact_law.spring_energy, gap + along, slip, full(PENALTY), full(ACROSS)))

    rise = run(contact_law.energy_rise, full(share), gap, d, way, n, full(PENALTY), full(ACROSS))
    assert np.array(rise) == pytest.approx(energy(d + share * way) - energy(d), abs=1e-12)


def test_two_springs_in_series_are_softer_than_each():
    stiffness = np.array(run(contact_law.in_series, full(PENALTY), np.geomspace(1e-6, 1e3, COUNT)))
    assert stiffness == pytest.approx(1 / (1 / PENALTY + np.geomspace(1e-6, 1e3, COUNT)))
    behind = np.array(run(contact_law.behind_spring, np.geomspace(1e-6, 1e9, COUNT), full(PENALTY)))
    assert behind == pytest.approx(1 / (1 / np.geomspace(1e-6, 1e9, COUNT) + 1 / PENALTY))


@pytest.mark.parametrize(
    "name", ["active_stiffness", "spring_force", "spring_energy", "behind_spring", "in_series", "energy_rise"]
)
def test_devices_compute_the_same_in_single_precision(name):
    """1e-5 of the largest: some ten roundings of single precision, where terms cancel."""
    gap, slip, n = samples()
    given = {
        "active_stiffness": (gap, slip, full(MU), full(PENALTY), full(PENALTY)),
        "spring_force": (gap, slip, full(MU), full(PENALTY), full(ACROSS)),
        "spring_energy": (gap, slip, full(PENALTY), full(ACROSS)),
        "behind_spring": (abs(gap), full(PENALTY)),
        "in_series": (full(PENALTY), abs(gap)),
        "energy_rise": (full(0.5), gap, slip, slip[::-1].copy(), n, full(PENALTY), full(ACROSS)),
    }[name]
    law = getattr(contact_law, name)
    wide = run(law, *given)
    narrow = run(single(law), *(array.astype(np.float32) for array in given))
    for one, other in zip(zip(*map(_flat, wide), strict=True), zip(*map(_flat, narrow), strict=True), strict=True):
        assert np.abs(np.array(one) - other).max() <= 1e-5 * np.abs(one).max()


def _flat(value):
    return [number for part in value for number in _flat(part)] if isinstance(value, tuple) else [value]
