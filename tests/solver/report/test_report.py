"""Report of a frame."""

import numpy as np
import pytest

from solver import Material, Pins, Plane, Scene, Simulation, SoftBody, load_material
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube, grid


def spinning(**settings):
    """A free cube of 1 m and 1000 kg that moves at 2 m/s and turns at 3 rad/s about the vertical through its middle."""
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices + [10, 0, 0], tetrahedra, Material.solid(1000, 1e6, 0.3))
    body.velocities = np.cross([0, 0, 3.0], vertices - 0.5) + [2.0, 0, 0]
    return Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(dtype="float64", **settings))


def test_momentum_and_energy_are_those_of_a_rigid_body():
    """1e-6 of 2000 kg m/s for the momentum, which the iterations keep to their residual; 1e-3 of 1000 kg m^2/s for the
    angular momentum and 1e-3 for the energy, of which backward Euler loses some in a frame."""
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
    sim = Simulation(Scene([body]), plain_settings(dtype="float64", substeps=4))
    before = 1000 * 9.81 * 0.5  # the middle is half a metre up
    report = sim.advance_frame().report
    lost = 1000 * 9.81**2 / 96**2 * 4 / 2
    assert report.energy == pytest.approx(before - lost, rel=1e-9)


def test_stretch_is_that_of_the_edges_that_are_too_long():
    """1e-6: float32. A sheet pulled to 1.2 along x and pressed to 0.5 along y stretches by 20 % at the edges along x, a
    third of its edges; diagonals get shorter, and count as 0, as do the edges along y."""
    n = 4
    vertices, triangles = grid(n, n, 1.0, 1.0)
    sheet = plain_cloth("sheet", vertices * [1.2, 0.5, 1], triangles, load_material("cotton_poplin"), rest_vertices=vertices)
    sheet.pins = Pins(np.arange(len(vertices)))
    report = Simulation(Scene([sheet], gravity=(0, 0, 0)), plain_settings()).advance_frame().report
    assert report.max_stretch == pytest.approx(0.2, abs=1e-6)
    assert report.mean_stretch == pytest.approx(0.2 * n * (n + 1) / (n * (3 * n + 2)), abs=1e-6)


def test_the_volume_is_that_of_the_body_that_changed_most():
    """1e-6: float32. One cube is held at 0.7 of its volume, one at 1.1, and one at rest."""
    vertices, tetrahedra = cube(2, 0.4)
    bodies = [
        SoftBody(f"cube {k}", (vertices + [2 * k, 0, 0]) * [1, 1, share], tetrahedra, Material.solid(1000, 1e5, 0.3))
        for k, share in enumerate((1.1, 0.7, 1.0))
    ]
    for k, body in enumerate(bodies):
        body.rest_vertices, body.pins = vertices + [2 * k, 0, 0], Pins(np.arange(len(vertices)))
    report = Simulation(Scene(bodies, gravity=(0, 0, 0)), plain_settings()).advance_frame().report
    assert report.volume_change == pytest.approx(-0.3, abs=1e-6)


def test_residual_and_error_go_to_zero_with_the_sweeps():
    """The residual is below 1e-2 after 20 sweeps, the error below a tenth of a millimetre: the cube falls 17 mm a frame."""
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices, tetrahedra, Material.solid(1000, 1e5, 0.3), pins=Pins([0, 1, 2, 3]))
    found = []
    for iterations in (2, 6, 20):
        sim = Simulation(Scene([body]), plain_settings(dtype="float64", method="pbng", iterations=iterations, substeps=1))
        sim.advance_frame()
        report = sim.advance_frame().report
        found.append((report.residual, report.error))
    assert (np.diff(np.array(found), axis=0) < 0).all()
    assert found[2][0] < 1e-2 and found[2][1] < 1e-4


@pytest.mark.parametrize("method", ["gpbd", "pbng", "newton"])
def test_every_method_sweeps_on_to_a_tolerance(method):
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices, tetrahedra, Material.solid(1000, 1e5, 0.3), pins=Pins([0, 1, 2, 3]))
    settings = plain_settings(dtype="float64", method=method, iterations=1, tolerance=1e-3)
    sim = Simulation(Scene([body]), settings)
    for _ in range(3):
        report = sim.advance_frame().report
        assert report.converged and report.residual <= 1e-3
    assert report.iterations > settings.substeps


def falling(body, method, **settings):
    """Two metres up in single precision, with a tolerance."""
    return Simulation(Scene([body]), plain_settings(method=method, iterations=2, tolerance=1e-4, threads=1, **settings))


def jelly(young):
    vertices, tetrahedra = cube(2, 0.4)
    return SoftBody("jelly", vertices + [1.0, 0.3, 2.0], tetrahedra, Material.solid(1000, young, 0.45))


@pytest.mark.slow  # compilation
@pytest.mark.parametrize("method", ["gpbd", "pbng"])
def test_nothing_is_swept_on_for_where_nothing_but_rounding_is_left(method):
    """Free fall: no force but float32's rounding of a ten-millionth of a metre, which in a poplin is three hundred times
    that of its inertia. Each substep does the set sweeps and counts as converged; the residual is none."""
    flat, triangles = grid(6, 6, 0.6, 0.6)
    sheet = plain_cloth("sheet", flat + [1.0, 0.3, 2.0], triangles, load_material("cotton_poplin"), rest_vertices=flat)
    sim = falling(sheet if method == "gpbd" else jelly(1e6), method)
    for _ in range(4):
        report = sim.advance_frame().report
        assert report.converged and report.iterations == 2 * sim.settings.substeps
        assert report.residual == 0 and report.error < 1e-6


def test_a_force_beyond_rounding_is_swept_for_in_single_precision():
    """The same jelly, softer and turning: the force at its prediction is a thousand times the rounding's."""
    body = jelly(1e4)
    body.velocities = np.cross([0, 0, 6.0], body.vertices - body.vertices.mean(0))
    sim = falling(body, "pbng")
    sim.advance_frame()
    report = sim.advance_frame().report
    assert report.converged and report.residual <= 1e-4
    assert report.iterations > 2 * sim.settings.substeps


def test_little_gravity_ends_early_where_its_forces_drown_in_rounding():
    """A jelly that hangs under a hundred-millionth of the earth's gravity: it stretches by less than a float32 can say.
    Under all of it the same jelly needs more sweeps than are set."""
    used = {}
    for share in (1.0, 1e-8):
        body = jelly(1e6)
        body.pins = Pins(np.flatnonzero(body.vertices[:, 2] > 2.399))
        scene = Scene([body], gravity=(0, 0, -9.81 * share))
        sim = Simulation(scene, plain_settings(method="pbng", iterations=2, tolerance=1e-2, threads=1))
        for _ in range(3):
            report = sim.advance_frame().report
        used[share] = report.iterations
        assert report.converged
    assert used[1e-8] == 2 * sim.settings.substeps < used[1.0]


def test_contacts_push_is_what_a_landing_body_is_compared_with():
    """A jelly at ease that lies down: at the prediction nothing is strained, so its own force is no yardstick in the first
    substep. Each one gets to the tolerance, as the report measures it, in a tenth of the most sweeps that it may use."""
    vertices, tetrahedra = cube(2, 0.4)
    body = SoftBody("jelly", vertices + [0, 0, 0.005], tetrahedra, Material.solid(1000, 1e5, 0.3), thickness=0.005)
    settings = plain_settings(fps=192, substeps=1, dtype="float64", iterations=2, tolerance=1e-3, threads=1)
    sim = Simulation(Scene([body], [Plane("ground")]), settings)
    for _ in range(48):
        report = sim.advance_frame().report
        assert report.contacts > 0 and report.converged and 0 < report.residual <= 1e-3
        assert report.iterations < 5 * 2 * settings.substeps


def test_a_tolerance_that_is_out_of_reach_is_told_and_the_frame_kept():
    """Without re-projection the sweeps stop short of backward Euler: after fifty times the iterations the frame is there,
    and says that it did not get there."""
    vertices, tetrahedra = cube(3)
    body = SoftBody("cube", vertices, tetrahedra, Material.solid(1000, 1e4, 0.4), pins=Pins([0, 1, 2, 3]))
    settings = plain_settings(dtype="float64", substeps=1, iterations=1, tolerance=1e-6, reprojection=0.0, threads=1)
    sim = Simulation(Scene([body]), settings)
    for number in range(2, 5):
        frame = sim.advance_frame()
        assert frame.number == number and np.isfinite(frame.positions["cube"]).all()
        assert not frame.report.converged and frame.report.residual > 1e-6
        assert frame.report.iterations == 50
