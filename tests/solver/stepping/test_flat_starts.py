"""Sheets that start exactly flat and are compressed."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.stepping.flat_starts import disturb_flat_sheets
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import grid, sheet, turn
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings

pytestmark = pytest.mark.slow  # compilation

DRAFT = {"substeps": 10, "iterations": 3, "global_iterations": 4}
PRODUCTION = {"substeps": 24, "iterations": 4, "global_iterations": 4}
SWEEPS = {"substeps": 10, "iterations": 10}
SPEED = 0.3  # m/s, of both edges together
FABRIC_OF_SHEETS = solver.Material.fabric(**FABRIC)


def pressed(n: int, threads: int = 1, **settings) -> solver.Simulation:
    """A sheet of 1 m in the plane z = 0, held at two edges that move towards each other, without gravity."""
    x, t = grid(n)
    pins = np.flatnonzero((x[:, 0] < 1e-9) | (x[:, 0] > 1 - 1e-9))
    way = np.where(x[pins, 0] > 0.5, -0.5 * SPEED, 0.5 * SPEED)[:, None] * np.array([1.0, 0, 0])
    cloth = plain_cloth("sheet", x, t, FABRIC_OF_SHEETS, pins=solver.Pins(pins, targets=lambda time: x[pins] + time * way))
    return solver.Simulation(solver.Scene([cloth], gravity=(0, 0, 0)), plain_settings(threads=threads, **settings))


@pytest.mark.parametrize(
    ("n", "settings"),
    [
        (20, DRAFT),
        (20, PRODUCTION),
        (20, SWEEPS),
        pytest.param(60, DRAFT, marks=pytest.mark.long),
        pytest.param(60, SWEEPS, marks=pytest.mark.long),
    ],
)
def test_a_sheet_pressed_between_two_edges_buckles_instead_of_crushing(n, settings):
    """It keeps its length where it can bend: after six frames, and 75 mm less between its edges, the mean edge has given 1 %
    at most, where crushing in the plane takes 5 %. No edge loses a tenth of its length on the way, the first frame included,
    in which nothing has buckled yet and sweeps alone leave the shortening to the edges' neighbours."""
    simulation = pressed(n, **settings)
    model = simulation.model
    for _ in range(6):
        x = simulation.advance_frame().positions["sheet"].astype(float)
        ratio = np.linalg.norm(x[model.edges[:, 0]] - x[model.edges[:, 1]], axis=1) / model.edge_lengths
        assert ratio.min() > 0.9
    assert np.abs(x[:, 2]).max() > 0.02
    assert ratio.mean() > 0.99


def test_buckling_has_the_same_bits_with_any_number_of_threads():
    one, two = pressed(60, 1, **DRAFT), pressed(60, 2, **DRAFT)
    for _ in range(2):
        a, b = one.advance_frame(), two.advance_frame()
    assert np.abs(a.positions["sheet"][:, 2]).max() > 0
    np.testing.assert_array_equal(a.positions["sheet"], b.positions["sheet"])


def test_what_is_stretched_or_lies_is_not_disturbed():
    """A hung sheet, narrower than at rest where its weight stretches it, stays exactly in its plane, and one that has fallen
    flat on the ground is as high everywhere."""
    x, t = grid(12)
    soft = solver.Material.fabric(density=0.3, young=300.0, shear=112.5, poisson=1 / 3, bending=1e-5)
    top = solver.Pins(np.flatnonzero(x[:, 1] > 1 - 1e-9))
    hung = plain_cloth("hung", x[:, [0, 2, 1]], t, soft, pins=top)
    fallen = plain_cloth("fallen", x + [3, 0, 0.004], t, FABRIC_OF_SHEETS)
    scene = solver.Scene([hung, fallen], [solver.Plane("ground", touches=["fallen"])])
    simulation = solver.Simulation(scene, plain_settings(threads=1, **DRAFT))
    for _ in range(12):
        frame = simulation.advance_frame()
    y = frame.positions["hung"].reshape(13, 13, 3)
    assert np.ptp(y[:, 6, 0]) < 0.999  # narrower half way down
    assert np.ptp(y[:, :, 1]) == 0
    assert np.ptp(frame.positions["fallen"][:, 2]) == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_disturbance_is_small_along_the_normal_and_leaves_pins_alone(dtype):
    """A sheet in a slanted plane that starts 1 % too small. At most a ten-thousandth of the edge and 32 units of rounding of
    the coordinates' size; off the normal nothing but rounding, a unit of the coordinates."""
    slant = turn(0.7, (1, 2, 0.5))
    x, t = sheet(10, 1.0, (0, 0, 0), 0.7, (1, 2, 0.5))
    for rest, moved in ((1.01 * x, True), (x, False)):
        cloth = plain_cloth("sheet", x, t, FABRIC_OF_SHEETS, pins=solver.Pins([0, 1]), rest_vertices=rest)
        simulation = solver.Simulation(solver.Scene([cloth]), plain_settings(dtype=dtype))
        state = simulation.state
        state.x0[:] = state.x
        disturb_flat_sheets(simulation.model.flat_sheets, state)
        by = (state.x - state.x0)[: len(x), :3].astype(float) @ slant
        unit = float(np.finfo(dtype).eps)
        assert (np.abs(by[:, 2]).max() > 1e-6) == moved
        assert np.abs(by[:, 2]).max() <= 1e-4 * 0.117 + 33 * unit
        assert np.abs(by[:, :2]).max() <= unit
        assert (by[:2] == 0).all()


def test_the_disturbance_follows_from_the_sheet_alone():
    """Whatever else is in the scene, and in whatever order. A curved sheet and a line have none."""
    x, t = grid(6)
    bent = np.c_[x[:, :2], 0.01 * x[:, 0] ** 2]
    one, two = plain_cloth("one", x, t, FABRIC_OF_SHEETS), plain_cloth("two", bent + [0, 0, 1], t, FABRIC_OF_SHEETS)
    for bodies in ([one, two], [two, one]):
        sheets = solver.Simulation(solver.Scene(bodies)).model.flat_sheets
        assert len(sheets.anchors) == 1 and len(sheets.rows) == len(x)
        alone = solver.Simulation(solver.Scene([one])).model.flat_sheets
        np.testing.assert_array_equal(sheets.shape, alone.shape)
        assert np.abs(sheets.shape).max() == 1
