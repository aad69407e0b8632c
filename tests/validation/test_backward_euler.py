"""Solids against trajectories of backward Euler, solved by Newton to 1e-9 in float64 (tests/data)."""

import pytest

from tests.validation.reference import relative_error


@pytest.mark.parametrize(
    ("scene", "iterations", "limit"),
    [
        ("stretch_nu0.45_dt0.01", 10, 1.5e-3),  # measured 9.5e-4
        ("stretch_nu0.45_dt0.01", 30, 1.1e-4),  # 7.3e-5
        ("twist_nu0.45_dt0.01", 10, 4e-3),  # 2.4e-3, and 2.8e-3 on another processor
        ("twist_nu0.45_dt0.01", 100, 8e-6),  # 3.7e-6, and 1.9e-6
        ("twist_nu0.45_dt0.001", 10, 5e-5),  # 3.3e-5
        ("twist_nu0.4995_dt0.001", 10, 2e-3),  # 1.3e-3
    ],
)
def test_a_block_follows_backward_euler(scene, iterations, limit):
    """Limits: what is left after that many sweeps, measured, with half as much again, and twice as much where float32's
    rounding is most of it (100 sweeps). A wrong energy is off by 1e-1."""
    assert relative_error(scene, iterations=iterations) < limit


def test_without_reprojection_the_method_stalls():
    """The published method ends at a wrong answer, however long it sweeps: 5.5e-3 and 3.7e-6 are measured, 1500 times as far
    off. Limit: a third of that ratio, whose small number is rounding."""
    name = "twist_nu0.45_dt0.01"
    assert relative_error(name, iterations=100, reprojection=0.0) > 500 * relative_error(name, iterations=100)


@pytest.mark.parametrize("scene", ["stretch_nu0.45_dt0.01", "twist_nu0.45_dt0.01", "twist_nu0.4995_dt0.001"])
def test_newtons_method_is_the_reference(scene):
    """1e-9: two solvers that share no code, each at a relative residual of 1e-9 or less in every step; 2e-11 measured."""
    assert relative_error(scene, method="newton", dtype="float64", iterations=30) < 1e-9


def test_newtons_method_in_single_precision_ends_at_rounding():
    """2e-7 of the displacement, three roundings of float32 at its size; 3e-8 measured after 40 steps."""
    assert relative_error("twist_nu0.45_dt0.01", method="newton", iterations=10) < 2e-7


@pytest.mark.parametrize(("iterations", "limit"), [(10, 1.2e-2), (100, 1e-6)])
def test_pbng_converges_to_backward_euler(iterations, limit):
    """Limits: what is left after that many sweeps, 8.0e-3 and 4.3e-7 measured, with half as much again, and twice as much
    where it is rounding."""
    assert relative_error("twist_nu0.45_dt0.01", method="pbng", iterations=iterations) < limit
