"""What the report of a frame says."""

import numpy as np
import pytest

from solver import Material, Pins, Scene, Settings, Simulation, SoftBody
from tests.validation.meshes import cube


def spinning(**settings):
    """A free cube of 1 m and 1000 kg that moves at 2 m/s and turns at 3 rad/s about the vertical through its middle."""
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices + [10, 0, 0], tetrahedra, Material.solid(1000, 1e6, 0.3))
    body.velocities = np.cross([0, 0, 3.0], vertices - 0.5) + [2.0, 0, 0]
    return Simulation(Scene([body], gravity=(0, 0, 0)), Settings(dtype="float64", **settings))


def test_momentum_and_energy_are_those_of_a_rigid_body():
    """1e-6 for the momentum, which the iterations keep to their residual; 1e-3 for what backward Euler loses in a frame."""
    sim = spinning(method="newton", iterations=20, substeps=32)
    m, x, v = sim.model.mass[:, None], sim.scene.bodies[0].vertices, sim.model.v_start
    report = sim.advance_frame().report
    assert report.momentum == pytest.approx(tuple((m * v).sum(0)), abs=1e-6 * 2000)
    assert report.angular_momentum == pytest.approx(tuple(np.cross(x, m * v).sum(0)), abs=1e-3 * 1000)
    assert report.energy == pytest.approx(0.5 * (m * v * v).sum(), rel=1e-3)
    assert report.gravity_energy == 0


def test_gravity_gives_what_the_fall_takes():
    """1e-9: backward Euler takes m g^2 h^2 n / 2 of the energy of a free fall in n substeps; all else is rounding."""
    body = SoftBody("cube", *cube(2), Material.solid(1000, 1e6, 0.3))
    sim = Simulation(Scene([body]), Settings(dtype="float64", substeps=4))
    before = 1000 * 9.81 * 0.5  # the middle is half a metre up
    report = sim.advance_frame().report
    lost = 1000 * 9.81**2 / 96**2 * 4 / 2
    assert report.energy == pytest.approx(before - lost, rel=1e-9)


def test_both_residuals_go_to_zero_with_the_sweeps():
    """Over the force of the prediction and over that of the substep's start; at the start itself the second would be 1."""
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices, tetrahedra, Material.solid(1000, 1e5, 0.3), pins=Pins([0, 1, 2, 3]))
    found = []
    for iterations in (2, 6, 20):
        sim = Simulation(Scene([body]), Settings(dtype="float64", method="pbng", iterations=iterations, substeps=1))
        sim.advance_frame()
        report = sim.advance_frame().report
        found.append((report.residual, report.residual_of_start))
    assert (np.diff(np.array(found), axis=0) < 0).all()
    assert max(found[2]) < 1e-2
    assert found[0][1] < 1


@pytest.mark.parametrize("method", ["gpbd", "pbng", "newton"])
def test_every_method_sweeps_on_to_a_tolerance(method):
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices, tetrahedra, Material.solid(1000, 1e5, 0.3), pins=Pins([0, 1, 2, 3]))
    settings = Settings(dtype="float64", method=method, iterations=1, tolerance=1e-3)
    sim = Simulation(Scene([body]), settings)
    for _ in range(3):
        report = sim.advance_frame().report
        assert report.converged and report.residual <= 1e-3
    assert report.iterations > settings.substeps
