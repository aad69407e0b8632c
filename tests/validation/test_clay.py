"""Solids that flow: one element against the theory of von Mises, and a bar that is stretched and let go."""

import numpy as np
import pytest

from solver import FrameInputs, Material, Pins, Scene, Settings, Simulation, SoftBody
from solver.methods.batch import flow
from tests.solver.energies.test_energy_contract import Lone
from tests.validation.meshes import cube

YOUNG, YIELD = 1e6, 3e4
CLAY = {"young": YOUNG, "poisson": 0.45, "yield_stress": YIELD, "hardening": 0.0, "creep": 0.0}


def stresses(paths, **changes):
    """Von Mises stress [Pa] and accumulated plastic strain of a lone element led along deformation gradients."""
    lone = Lone("plastic_neo_hookean", **CLAY | changes)
    lone.memory[:] = 0
    volume = np.linalg.det(lone.rest[1:] - lone.rest[0]) / 6
    found = []
    for F in paths:
        x = lone.rest @ np.asarray(F).T
        lone.x[: lone.count, :3] = x
        flow(lone.batch, lone.memory, lone.x)
        kirchhoff = lone.energy_and_gradient(x)[1].T @ x / volume
        deviator = kirchhoff - np.trace(kirchhoff) / 3 * np.eye(3)
        found.append((np.sqrt(1.5) * np.linalg.norm(deviator), lone.memory[0, -16]))
    plastic = np.eye(3) + lone.memory[0, 7 * 16 : 16 * 16 : 16].reshape(3, 3)
    return *np.array(found).T, plastic


def pulled(stretches):
    return [np.diag([s, s**-0.5, s**-0.5]) for s in stretches]


@pytest.mark.parametrize("hardening", [0.0, 5e4])
@pytest.mark.parametrize("end", [1.5, 0.6])
def test_a_bar_flows_at_its_yield_and_hardens(end, hardening):
    """Stretched or pressed at constant volume in 400 steps: below the yield the stress is 3 mu times the strain, to 3 %, as
    the strain is finite; then s_y + H a, to 0.5 %. The plastic strain is all but the elastic one, to 1 %; the plastic
    deformation keeps the volume, to 1e-9."""
    stretch = np.geomspace(1.0, end, 401)
    stress, plastic, inverse = stresses(pulled(stretch), hardening=hardening)
    modulus = 3 * YOUNG / (2 * (1 + 0.45))
    early = 4
    assert stress[early] == pytest.approx(modulus * abs(np.log(stretch[early])), rel=0.03)
    late = plastic > 0.05
    assert stress[late] == pytest.approx(YIELD + hardening * plastic[late], rel=0.005)
    assert plastic[-1] == pytest.approx(abs(np.log(end)) - stress[-1] / modulus, rel=0.01)
    assert np.linalg.det(inverse) == pytest.approx(1.0, abs=1e-9)


def test_shear_flows_at_the_same_stress_and_back_again():
    """Sheared by 1 and back: von Mises' stress stays at the yield, to 1 %: each step turns the principal axes."""
    there = np.linspace(0, 1, 301)
    paths = [np.array([[1, s, 0], [0, 1, 0], [0, 0, 1.0]]) for s in (*there, *there[::-1])]
    stress, plastic, _ = stresses(paths)
    assert stress[250:300] == pytest.approx(np.full(50, YIELD), rel=0.01)
    assert stress[560:] == pytest.approx(np.full(42, YIELD), rel=0.01)
    assert plastic[-1] > 1.9 * plastic[300] > 0


def test_a_held_shape_creeps_at_its_rate():
    """Below the yield the deviatoric stress falls as exp(-c t); 1 %: the strain of 1 % is not quite small."""
    steps, rate = 100, 2.0
    stress, _, _ = stresses(pulled([1.01] * steps), creep=rate)
    assert stress[-1] / stress[0] == pytest.approx(np.exp(-rate * (steps - 1) / 200), rel=0.01)


def bar(**changes):
    """A bar of 0.3 m and 27 cells between two led ends, stretched by 30 % in 10 frames and let go at 12."""
    material = Material("clay", "solid", 1700.0, {"plastic_neo_hookean": CLAY | {"damping": 0.01} | changes})
    x, tetrahedra = cube(3, 0.1)
    x = x * [3, 1, 1]
    ends = np.flatnonzero((x[:, 0] < x[:, 0].min() + 1e-6) | (x[:, 0] > x[:, 0].max() - 1e-6))
    middle = x[:, 0].mean()

    def path(time):
        there = x[ends].copy()
        there[:, 0] = middle + (there[:, 0] - middle) * (1 + 0.3 * min(1.0, 2.4 * time))
        return there

    body = SoftBody("bar", x, tetrahedra, material, pins=Pins(ends, 1.0, path), self_contact=False)
    simulation = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(threads=1, damping=3.0))
    for frame in range(2, 37):
        free = {"bar": {"pin_weight": np.zeros(len(ends))}} if frame > 12 else {}
        done = simulation.advance_frame(FrameInputs(values=free))
    left, right = (done.positions["bar"][side].mean(0) for side in (x[:, 0] < 1e-6, x[:, 0] > 0.3 - 1e-6))
    return np.linalg.norm(right - left) / 0.3, done.report


def test_a_bar_that_is_stretched_springs_back_by_its_yield_over_its_modulus():
    """ln 1.3 less s_y / E, 1.26 times its length; 2 %: its ends keep their width. Its volume stays, to 1 %."""
    length, report = bar()
    assert length == pytest.approx(1.3 * np.exp(-YIELD / YOUNG), rel=0.02)
    assert abs(report.volume_change) < 0.01
    assert report.plastic_strain > 0.2


def test_a_bar_that_never_yields_comes_back():
    length, report = bar(yield_stress=1e9)
    assert length == pytest.approx(1.0, abs=0.005)
    assert report.plastic_strain == 0
