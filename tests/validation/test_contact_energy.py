"""Contact creates no energy: the sum of kinetic, gravitational and elastic energy, frame by frame.

Backward Euler takes energy away in every substep whose minimum is found, if the energy is convex: inertia and forces
gain less than half of m |dv|^2. Contact without restitution and friction take more. So the sum may only fall, as far as
substeps are solved; the residual of sweeps is strain that the sheet would not have, and is lost again later. It shows at
impacts, and vanishes with shorter substeps: tests below bound the residual at three of them.
"""

from __future__ import annotations

import numpy as np
import pytest

import solver
from tests.scenes.contact import SCENES
from tests.scenes.plain_settings import plain_settings

pytestmark = pytest.mark.slow  # compilation


def energies(name, size, frames, **settings):
    """Energies [1] (kinetic, gravity's, elastic) at the start and after each frame, over the sum at the start, of which all
    is height above the ground; and the simulation at its end."""
    scene, _ = SCENES[name](solver, **size)
    simulation = solver.Simulation(scene, plain_settings(threads=1, **settings))
    model = simulation.model
    start = 9.81 * float(model.mass @ (simulation.state.x[: model.n_vertices, 2] + model.origin[2]))
    found = [(0.0, start, 0.0)]
    for _ in range(frames):
        report = simulation.advance_frame().report
        found.append((report.kinetic_energy, report.gravity_energy, report.elastic_energy))
    return np.array(found) / start, simulation


SIZES = pytest.mark.parametrize("n", [16, *(pytest.param(n, marks=pytest.mark.long) for n in (20, 24))])


@pytest.mark.long
@SIZES
@pytest.mark.parametrize("settings", [{}, {"iterations": 4, "global_iterations": 4}], ids=["sweeps", "global step"])
def test_the_energy_of_a_draping_sheet_falls_in_every_frame_of_short_substeps(n, settings):
    """No tolerance: of 64 substeps a frame backward Euler takes 2.1e-4 of all energy in free fall, 0.5 m (g h)^2 a substep.
    Measured with 16 to 24 quads a side: at least 1.4e-4 in every frame; 35 % are gone at the end."""
    found, _ = energies("drape", {"n": n}, 30, substeps=64, **settings)
    total = found.sum(1)
    assert np.diff(total).max() < 0
    assert total[-1] < 0.7


@SIZES
def test_24_substeps_with_the_global_step_make_little_energy(n):
    """2.5e-3 of the energy at the start, in any frame: twice the most that is measured with 16 to 24 quads a side, 1.2e-3
    with 22, and 1.5e-4 with the others."""
    found, _ = energies("drape", {"n": n}, 30, substeps=24, iterations=4, global_iterations=4)
    total = found.sum(1)
    assert np.diff(total).max() < 2.5e-3
    assert total[-1] < 0.7


@SIZES
def test_strain_that_eight_substeps_of_sweeps_leave_does_not_become_motion(n):
    """Ten sweeps do not carry an impact through the sheet: in the frame that it lands in, the sum rises by 0.6 (16 quads a
    side) to 1.2 (24) of the energy at the start, all of it strain, of which 0.07 to 0.18 are left at the end. What moves,
    kinetic energy and that of gravity, gets at most 3e-2 of it in a frame, measured with 20; twice that is the limit."""
    found, _ = energies("drape", {"n": n}, 30)
    assert np.diff(found[:, :2].sum(1)).max() < 6e-2
    assert found[-1].sum() < 0.85


def test_a_pile_makes_no_energy_and_comes_to_rest():
    """2e-4 of the energy at the start, in any frame, twice what eight substeps of ten sweeps leave, measured (2.5e-6 with 32
    substeps). The pile has landed by frame 14; two seconds later its vertices move by less than 2 mm/s in the mean (0.2 to
    1.3 measured, on different processors)."""
    found, simulation = energies("pile", {"n": 10, "count": 6}, 62)
    assert np.diff(found.sum(1)).max() < 2e-4
    assert found[-1].sum() < 0.1
    v = simulation.state.v[: simulation.model.n_vertices].astype(float)
    assert np.sqrt((v * v).sum(1).mean()) < 2e-3
