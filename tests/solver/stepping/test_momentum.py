"""Rounding makes no velocity: single precision keeps what double precision keeps."""

import numpy as np
import pytest

from solver import Material, Rigid, Scene, Settings, Simulation, SoftBody
from tests.scenes.materials import FABRIC
from tests.scenes.meshes import ball
from tests.scenes.meshes import sheet as square
from tests.scenes.momentum import conserved
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.solver.global_step.nets import net, springs
from tests.validation.meshes import cube

FRAMES = 80


def thrown(body, spin=2.0):
    """The body flying at about 1 m/s, and spinning."""
    x = body.vertices - body.vertices.mean(0)
    body.velocities = np.cross([0.3, 0.2, spin], x) + [1.0, 0.3, 0.2]
    return body


def block():
    return thrown(SoftBody("block", *cube(3), Material.solid(1000, 1e5, 0.45)))


def sheet():
    return thrown(net(8, springs(500.0)))


def far_apart(distance):
    """Two cubes of 1 m as one body."""
    x, tetrahedra = cube(1)
    both = np.concatenate([x, x + [distance, 0, 0]]), np.concatenate([tetrahedra, tetrahedra + len(x)])
    return SoftBody("cubes", *both, Material.solid(1000, 1e5, 0.3))


def momenta(sim):
    """Linear momentum [kg m/s], and angular momentum about the centre of mass [kg m^2/s], (3,) each, in double precision."""
    n, m = sim.model.n_vertices, sim.model.mass
    x, v = sim.state.x[:n, :3].astype(float), sim.state.v[:n].astype(float)
    return m @ v, m @ np.cross(x - m @ x / m.sum(), v)


def flown(body, frames=FRAMES, **settings):
    """Both momenta at the start and after some frames without gravity."""
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(threads=1, **settings))
    before = momenta(sim)
    for _ in range(frames):
        sim.advance_frame()
    return before, momenta(sim)


SWEEPS = {"global_iterations": 0, "substeps": 8, "iterations": 10}
FEW_SWEEPS = {"global_iterations": 0, "substeps": 24, "iterations": 4}
GLOBAL_STEP = {"global_iterations": 4, "substeps": 10, "iterations": 3}


@pytest.mark.each_value
@pytest.mark.slow  # frames, and their kernels
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
@pytest.mark.parametrize(("make", "settings"), [(block, SWEEPS), (block, FEW_SWEEPS), (sheet, SWEEPS), (sheet, GLOBAL_STEP)])
def test_a_free_body_keeps_its_linear_momentum_in_single_precision(make, settings, integrator):
    """1e-5 over 80 frames, while it flies 3 m; 4e-7 measured at most over 200. With velocities from differences of
    positions a block had gained or lost 0.6 to 0.9 % in these."""
    (before, _), (after, _) = flown(make(), integrator=integrator, **settings)
    assert np.linalg.norm(after - before) < 1e-5 * np.linalg.norm(before)


@pytest.mark.slow  # frames, and their kernels
@pytest.mark.parametrize("make", [block, sheet])
def test_a_free_body_keeps_its_spin_in_single_precision(make):
    """1 % over 80 frames of BDF2, 24 substeps; 1.2e-5 measured over 200, which is the integrator's. Backward Euler loses
    11 % in 200."""
    (_, before), (_, after) = flown(make(), integrator="bdf2", **FEW_SWEEPS)
    assert np.linalg.norm(after - before) < 1e-2 * np.linalg.norm(before)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_free_fall_is_that_of_double_precision(integrator):
    """A cube falls for .5 s in substeps of 2 ms, 4 m beside the middle of its scene, where numbers are 5e-7 m apart.
    2e-5 m and 2e-5 m/s of 1.2 m and 4.9 m/s: sums v + h g round; differences of positions are off by 1e-4 m/s and more."""
    found = []
    for dtype in ("float32", "float64"):
        sim = Simulation(
            Scene([far_apart(8.0)]), plain_settings(fps=4, substeps=125, iterations=1, dtype=dtype, integrator=integrator)
        )
        for _ in range(2):
            sim.advance_frame()
        n = sim.model.n_vertices
        found.append((sim.state.x[:n, :3] - sim.model.x_start, sim.state.v[:n].astype(float)))
    (x, v), (exact_x, exact_v) = found
    assert np.abs(x - exact_x).max() < 2e-5
    assert np.abs(v - exact_v).max() < 2e-5


def test_what_moves_less_than_a_rounding_in_a_substep_still_moves():
    """A cube 6 m from the middle of its scene, where numbers are 5e-7 m apart, drifts by 1e-7 m a substep for a second. One
    rounding, that of its start; without remainders it stays where it was."""
    body, speed = far_apart(12.0), 1e-7 * 24 * 8
    body.velocities = np.full(body.vertices.shape, speed)
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(iterations=1))
    for _ in range(24):
        sim.advance_frame()
    moved = sim.state.x[: sim.model.n_vertices, :3] - sim.model.x_start
    assert np.abs(moved - speed).max() < np.spacing(np.float32(6))


@pytest.mark.slow  # compilation
def test_a_ball_that_hits_a_sheet_in_flight_gives_it_what_it_loses():
    """1e-12 of the ball's momentum, which is rounding of 192 substeps by the defaults; 1e-15 measured. Vertices of the
    sheet change their order from substep to substep, as the ball touches them.

    The sum of m v too, to 5e-3: it differs by h / 2 times forces, while the sheet swings. 0.1 to 3.4e-3 are measured where
    only rounding differs, which says how a flat sheet that is struck buckles.
    """
    x, triangles = square(14, 0.5, (0, 0, 0))
    points, faces = ball(2, 0.06, (0, 0, 0.1))
    bodies = [
        plain_cloth("sheet", x, triangles, Material.fabric(**FABRIC)),
        Rigid("ball", points, faces, density=300.0, velocity=(0, 0, -2)),
    ]
    sim = Simulation(Scene(bodies, gravity=(0, 0, 0)), Settings(threads=1, dtype="float64"))
    before, touched = sim.state.rigid.mass @ sim.state.rigid.velocity, 0
    for _ in range(8):
        report = sim.advance_frame().report
        touched += report.contacts
        assert report.clamped == 0
    assert touched > 10
    assert abs(conserved(sim) - before).max() < 1e-12 * np.linalg.norm(before)
    assert abs(report.momentum - before).max() < 5e-3 * np.linalg.norm(before)
    assert sim.state.v[: len(x), 2].mean() < -0.5
