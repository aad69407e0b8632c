"""Energies of fabrics beyond their data, and folds that are tighter than a mesh can show."""

from dataclasses import replace

import numpy as np
import pytest

from solver import Cloth, Material, Pins, Scene, Settings, Simulation
from solver.elements.fabric_energy import curl_moment
from solver.energies.hylc import density
from solver.scene.fabric_table import Curve, Patch
from tests.scenes.linear_table import linear_table
from tests.scenes.textile import halves, quads


def curling(moment):
    """A table that bends by a moment [N] throughout its data, as no fabric should."""
    table = linear_table(100.0, 100.0, 50.0, coupling=0.0)
    curves = list(table.curves)
    for k, sign in ((3, -1), (4, 1)):
        knots = curves[k].knots
        curves[k] = Curve(knots, sign * moment * knots, np.full(len(knots), sign * moment))
    return replace(table, curves=tuple(curves))


def test_a_moment_that_curls_ends_with_the_data():
    """Within a spacing beyond it; 1e-9, rounding."""
    table = curling(2e-3)
    end = table.curves[3].knots[-1]
    s = np.zeros((3, 6))
    s[:, 3] = 0, 3 * end, 30 * end
    psi, gradient = density(table, s)
    assert gradient[0, 3] == pytest.approx(-2e-3) and abs(gradient[1, 3]) < 1e-9
    assert psi[1] == pytest.approx(psi[2])
    assert curl_moment(table) == pytest.approx(2e-3) and curl_moment(linear_table(1, 1, 1, coupling=0.0)) < 1e-9


def test_energies_of_two_strains_level_out_beyond_the_data():
    """A pair whose energy sinks by the product of its strains: with straight lines it would outgrow all others."""
    table = linear_table(100.0, 100.0, 50.0, coupling=0.0)
    u = np.array([-0.1, 0.0, 0.1])
    product = np.stack(
        [-500 * np.outer(u, u), np.outer(-500 * u, [1, 1, 1]), np.outer([1, 1, 1], -500 * u), np.full((3, 3), -500.0)]
    )
    table = replace(table, patches={"02": Patch(u, u, product)})
    far = np.zeros((2, 6))
    far[:, 0] = far[:, 2] = 0.05, 3.0
    assert density(replace(table, straight=True), far)[0][1] < -1000
    near, there = density(table, far)[0]
    assert there > 0
    assert near == pytest.approx(density(replace(table, straight=True), far)[0][0])


def test_forces_of_strains_far_beyond_the_data_stay_as_large_as_at_its_end():
    """At a thousand and a million times the data. 1e-6 of the forces: rounding."""
    table = linear_table(100.0, 80.0, 50.0, coupling=20.0)
    chance = np.random.default_rng(4)
    ends = chance.uniform(0.2, 1, (40, 6)) * chance.choice([-1, 1], (40, 6)) * [0.9, 0.8, 0.9, 160, 80, 160]
    near, far = (density(table, ends * times)[1] for times in (1e3, 1e6))
    assert (np.abs(far - near) <= 1e-6 * np.abs(near).max(0)).all()
    assert np.abs(far[:, [0, 2]]).max() <= 1.0001 * max(table.curves[k].slopes.max() for k in (0, 2))


@pytest.mark.long
def test_a_sheet_that_wants_to_curl_into_its_edges_moves_on_and_stays_whole():
    """It curls by far more than an edge can show: unheld, edges turn inside out, and from then on nothing moves (energies of
    1e-15 J). In half a second it sags by a third of its width, and no edge is longer by a third."""
    x, cells = quads(10, 10, 0.01, 0.01)
    fabric = Material("curl", "fabric", 0.2, {"hylc": {"damping": 0.002}}, table=curling(3e-3), thickness=0.0005)
    held = np.flatnonzero(x[:, 0] < 0.005)
    body = Cloth("sheet", x, halves(cells), fabric, Pins(held), uv=x[:, :2])
    simulation = Simulation(Scene([body]), Settings.quality("draft", threads=1))
    for _ in range(12):
        frame = simulation.advance_frame()
        assert frame.report.kinetic_energy > 1e-9 and frame.report.max_stretch < 0.33
    assert frame.report.intersections == 0
    assert frame.positions["sheet"][:, 2].min() < -0.03
