"""Newton's method in scenes; `tests/validation` measures it against reference data."""

import numpy as np
import pytest

from solver import Material, Pins, Plane, Scene, SceneError, Simulation, SoftBody
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube, grid

pytestmark = pytest.mark.slow  # compilation


NEWTON = {"method": "newton", "dtype": "float64"}


def jelly(n=3, energy="stable_neo_hookean", **material):
    vertices, tetrahedra = cube(n, 0.3)
    solid = Material.solid(1000, 2e4, 0.4, energy, **material)
    return SoftBody("jelly", vertices, tetrahedra, solid, pins=Pins(np.flatnonzero(vertices[:, 0] < 1e-9)))


@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_every_substep_is_solved_to_rounding(damping):
    """1e-9: ten times the goal of the iterations, which end at 1e-10, or where rounding ends the descent; with damping or
    without. 7e-11 measured."""
    sim = Simulation(Scene([jelly(damping=damping)]), plain_settings(iterations=30, substeps=2, **NEWTON))
    for _ in range(6):
        frame = sim.advance_frame()
        assert frame.report.residual < 1e-9
    assert frame.report.iterations < 2 * 12  # quadratic: a handful each


def test_a_solid_that_was_turned_inside_out_finds_its_rest():
    """1e-9 m: the Hessian there is not positive; the positive one and the line search lead back to the shape at rest, where
    a residual of 1e-10 stands for less than that (2e-12 m measured). One face is held: no other pose is without force."""
    body = jelly(2)
    rest = body.vertices.copy()
    free = rest[:, 0] > 1e-9
    body.rest_vertices = rest
    body.vertices = np.where(free[:, None], rest + np.random.default_rng(0).normal(0, 0.1, rest.shape), rest)
    sim = Simulation(
        Scene([body], gravity=(0, 0, 0)), plain_settings(iterations=200, quasi_static=True, substeps=1, **NEWTON)
    )
    frame = sim.advance_frame()
    assert frame.report.residual < 1e-9
    assert np.abs(sim.state.x[: len(rest), :3] + sim.model.origin - rest).max() < 1e-9


def test_soft_pins_and_springs_are_part_of_the_system():
    """1e-9, ten times the goal of the iterations: a net of springs with soft pins, two energies; a chain in a line has no
    stiffness across itself."""
    vertices, triangles = grid(4, 4, 1.0, 1.0)
    net = Material("net", "fabric", 0.2, {"spring": {"stiffness": 50.0, "damping": 0.0}})
    cloth = plain_cloth("net", vertices, triangles, net, pins=Pins([0, 4], [1.0, 0.5]))
    sim = Simulation(Scene([cloth]), plain_settings(iterations=60, substeps=2, **NEWTON))
    for _ in range(5):
        frame = sim.advance_frame()
        assert frame.report.residual < 1e-9


def test_it_works_with_contact():
    """The cube ends on the floor, within a millimetre of the distance that it keeps."""
    vertices, tetrahedra = cube(2, 0.2)
    body = SoftBody("cube", vertices + [0, 0, 0.02], tetrahedra, Material.solid(1000, 1e5, 0.3, damping=0.02))
    sim = Simulation(Scene([body], [Plane("floor")]), plain_settings(method="newton", iterations=4))
    for _ in range(16):
        frame = sim.advance_frame()
    low = frame.positions["cube"][:, 2].min()
    assert low == pytest.approx(float(sim.model.vertex_distance[0]), abs=1e-3)
    assert frame.report.contacts >= 4  # of nine vertices, some of which may be just lifting off


def test_the_bits_do_not_depend_on_the_threads():
    sims = [Simulation(Scene([jelly(11)]), plain_settings(method="newton", threads=k, iterations=2)) for k in (1, 2)]
    assert sims[0]._threads == 1 and sims[1]._threads == 2
    a, b = (sim.advance_frame().positions["jelly"] for sim in sims)
    assert (a == b).all()


def test_an_energy_without_a_hessian_is_refused(monkeypatch):
    from solver.energies import stable_neo_hookean

    monkeypatch.delattr(stable_neo_hookean, "hessian_times")
    with pytest.raises(SceneError, match="stable_neo_hookean', which does not exist for method 'newton'"):
        Simulation(Scene([jelly()]), plain_settings(**NEWTON))
