"""Vertex blocks in scenes; `tests/validation` measures them against reference data."""

import numpy as np
import pytest

from solver import Material, Pins, Plane, Scene, SceneError, Settings, Simulation, SoftBody
from solver.methods import incident_elements
from solver.methods.incident_elements import make_incident_elements, make_packs
from tests.covering_set import long
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube, grid

pytestmark = pytest.mark.slow  # compilation


def jelly(n=3, name="jelly", shift=0.0, young=2e4, **material):
    vertices, tetrahedra = cube(n, 0.3)
    pins = Pins(np.flatnonzero(vertices[:, 0] < 1e-9), np.where(np.arange((n + 1) ** 2) < 3, 0.5, 1.0))
    return SoftBody(name, vertices + [0, shift, 0], tetrahedra, Material.solid(1000, young, 0.4, **material), pins=pins)


@pytest.mark.parametrize("chunk", [16, incident_elements.CHUNK])
def test_every_moving_vertex_visits_each_of_its_elements_once(monkeypatch, chunk):
    """Two bodies of two materials, with soft pins: every corner of every element of both energies, but where fixed.

    Vertices that move at once share no element, in one chunk or many.
    """
    monkeypatch.setattr(incident_elements, "CHUNK", chunk)
    model = Simulation(Scene([jelly(3), jelly(2, "other", 1.0, 1e5)]), plain_settings(method="pbng")).model
    packs = make_packs(model)
    assert sorted(packs.vertices[packs.vertices < model.n_vertices]) == list(np.flatnonzero(~model.fixed))
    for batch in model.batches:
        incident = make_incident_elements(model, batch, packs)
        corners = batch.energy.CORNERS
        rows, lanes = np.nonzero(incident.corner < corners)
        pack = np.searchsorted(incident.rows, rows, side="right") - 1
        vertex = packs.vertices[pack, lanes]
        index = incident.index.reshape(-1, corners, 16)
        assert (index[rows, incident.corner[rows, lanes], lanes] == vertex).all()
        elements = batch.index.reshape(batch.packs, corners, 16)
        source = incident.source[rows, lanes]
        assert (elements[source // 16, :, source % 16] == index[rows, :, lanes]).all()
        assert (batch.material[source // 16] == incident.material[rows]).all()
        moving = np.append(~model.fixed, np.zeros(4, bool))
        assert len(rows) == moving[elements].sum()
        assert len(np.unique(np.column_stack([source, vertex]), axis=0)) == len(rows)
        colour = np.searchsorted(packs.colours, pack, side="right")
        assert len(np.unique(np.column_stack([source, colour]), axis=0)) == len(rows)
    assert (len(packs.colours) > 20) == (chunk == 16)


@pytest.mark.parametrize("damping", [*long(0.0), 0.02])
def test_it_follows_newtons_method(damping):
    """6e-5 of the displacement after 40 sweeps a substep, with two materials, soft pins and damping, and 1.6e-5 without
    damping: twice the 3e-5 and 8e-6 that are measured."""
    scene = Scene([jelly(damping=damping), jelly(2, "other", 1.0, 1e5, damping=damping)])
    x = []
    for settings in ({"method": "newton", "dtype": "float64"}, {"method": "pbng"}):
        sim = Simulation(scene, plain_settings(iterations=40, **settings))
        for _ in range(3):
            sim.advance_frame()
        x.append(sim.state.x[: sim.model.n_vertices, :3].astype(float))
    assert np.linalg.norm(x[1] - x[0]) < (6e-5 if damping else 1.6e-5) * np.linalg.norm(x[0] - sim.model.x_start)


def test_an_energy_without_a_block_goes_by_its_hessian():
    """1e-12 of the displacement, rounding: both are converged. A net of springs, whose blocks are made of three
    products with the Hessian."""
    vertices, triangles = grid(4, 4, 1.0, 1.0)
    net = Material("net", "fabric", 0.2, {"spring": {"stiffness": 50.0, "damping": 0.0}})
    cloth = plain_cloth("net", vertices, triangles, net, pins=Pins([0, 4], [1.0, 0.5]))
    x = []
    for method in ("newton", "pbng"):
        sim = Simulation(Scene([cloth]), plain_settings(method=method, iterations=80, dtype="float64"))
        for _ in range(3):
            sim.advance_frame()
        x.append(sim.state.x[:25, :3].copy())
    assert np.linalg.norm(x[1] - x[0]) < 1e-12 * np.linalg.norm(x[0] - sim.model.x_start)


def test_it_works_with_contact():
    """The cube ends on the floor, within a millimetre of the distance that it keeps."""
    vertices, tetrahedra = cube(2, 0.2)
    body = SoftBody("cube", vertices + [0, 0, 0.02], tetrahedra, Material.solid(1000, 1e5, 0.3, damping=0.02))
    sim = Simulation(Scene([body], [Plane("floor")]), plain_settings(method="pbng"))
    for _ in range(16):
        frame = sim.advance_frame()
    low = frame.positions["cube"][:, 2].min()
    assert low == pytest.approx(float(sim.model.vertex_distance[0]), abs=1e-3)
    assert frame.report.contacts >= 4  # of nine vertices, some of which may be just lifting off


@pytest.mark.parametrize("how", [{}, {"chebyshev": 0.9}])
def test_the_bits_do_not_depend_on_the_threads(how):
    sims = [Simulation(Scene([jelly(11)]), plain_settings(method="pbng", threads=k, iterations=5, **how)) for k in (1, 2)]
    assert sims[0]._threads == 1 and sims[1]._threads == 2
    a, b = (sim.advance_frame().positions["jelly"] for sim in sims)
    assert (a == b).all()


def test_a_vertex_that_nothing_holds_stays_in_a_quasi_static_solve():
    """A loose vertex has no stiffness to divide gravity by."""
    body = jelly(2)
    body.vertices = np.vstack([body.vertices, [1.0, 1.0, 1.0]])
    sim = Simulation(Scene([body]), plain_settings(method="pbng", quasi_static=True, substeps=1))
    frame = sim.advance_frame()
    assert frame.positions["jelly"][-1].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"quasi_static": True}, "quasi_static is True; wanted False with method 'gpbd', or one of newton, pbng"),
        ({"method": "pbng", "relaxation": 2.0}, "relaxation is 2; wanted more than 0, less than 2"),
        ({"method": "pbng", "chebyshev": 1.0}, "chebyshev is 1; wanted 0 to 0.99"),
        ({"method": "pbng", "chebyshev": 0.9, "relaxation": 1.5}, "chebyshev is 0.9; wanted 0 with a relaxation of 1.5"),
        ({"method": "newton", "global_iterations": 8}, "global_iterations is 8; wanted 0 with method 'newton'"),
        ({"integrator": "bdf3"}, "integrator is 'bdf3'; wanted one of bdf1, bdf2"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(wrong, message):
    with pytest.raises(SceneError, match=message):
        Settings(**wrong)


@pytest.mark.long
def test_a_sheet_of_all_its_energies_follows_newtons_method():
    """1e-9 of the displacement, where 80 sweeps leave 1e-11, measured, which is rounding: a hanging sheet with stretch,
    bending and damping, whose energies have no block of their own."""
    vertices, triangles = grid(5, 5, 1.0, 1.0)
    fabric = Material.fabric(0.2, 500, 200, bending=1e-4, damping=1e-3)
    sheet = plain_cloth("sheet", vertices, triangles, fabric, pins=Pins([0, 5]))
    x = []
    for method, iterations in (("newton", 20), ("pbng", 80)):
        sim = Simulation(Scene([sheet]), plain_settings(method=method, iterations=iterations, dtype="float64"))
        for _ in range(3):
            sim.advance_frame()
        x.append(sim.state.x[: len(vertices), :3].copy())
    assert np.linalg.norm(x[1] - x[0]) < 1e-9 * np.linalg.norm(x[0] - sim.model.x_start)
