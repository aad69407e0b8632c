"""Shape-matched bodies: rigid motions, frequency and damping, momentum, resolution, and what cannot be one."""

import numpy as np
import pytest

import solver
from tests.scenes.meshes import ball, rectangle

FREE = {"gravity": (0, 0, 0)}
FINE = solver.Settings(substeps=20, iterations=4)


def jelly(level=2, frequency=3.0, **fields):
    v, u = ball(level, 0.2, (0, 0, 0.5))
    numbers = {"damping_ratio": 0.0, "linear": 0.0, **fields.pop("material", {})}
    material = solver.Material.shape(2.0, frequency, **numbers)
    return solver.ShapeMatched("jelly", v, u, material, **fields)


def turned(points, angle=2.5):
    """Return points turned about a skew axis through their mean, and moved."""
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    cross = np.cross(np.eye(3), axis)
    R = np.eye(3) - np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return (points - points.mean(0)) @ R.T + [3.0, -1.0, 2.0]


@pytest.mark.parametrize("flexibility", [0.0, 0.5, 1.0])
def test_a_rest_shape_that_is_moved_and_turned_has_no_forces(flexibility):
    """Rounding of single precision, 1e-7 of 4 m, moves it less than a thousandth of its size."""
    body = jelly(flexibility=flexibility, material={"linear": 0.3})
    body.rest_vertices = turned(body.vertices)
    simulation = solver.Simulation(solver.Scene([body], **FREE), FINE)
    for _ in range(5):
        x = simulation.advance_frame().positions["jelly"]
    assert np.abs(x - body.vertices).max() < 5e-6


@pytest.mark.parametrize(("frequency", "ratio"), [(2.0, 0.0), (5.0, 0.0), (3.0, 0.1), (3.0, 0.3)])
def test_a_body_breathes_at_its_frequency_and_with_its_damping(frequency, ratio):
    """Uniform scaling about the centre is a mode of one cluster: s'' = -(2 pi f)^2 (s - 1 + 2 zeta s' / (2 pi f))."""
    body = jelly(frequency=frequency, material={"damping_ratio": ratio}, flexibility=0.0)
    centre = body.vertices.mean(0)
    body.rest_vertices, body.vertices = body.vertices, centre + 1.02 * (body.vertices - centre)
    settings = solver.Settings(fps=24, substeps=40, iterations=4)
    simulation = solver.Simulation(solver.Scene([body], **FREE), settings)
    radii = [0.02]
    for _ in range(24):
        x = simulation.advance_frame().positions["jelly"]
        radii.append(np.linalg.norm(x - x.mean(0), axis=1).mean() / 0.2 - 1)
    t, omega = np.arange(25) / 24, 2 * np.pi * frequency
    swing = omega * np.sqrt(1 - ratio**2)
    theory = 0.02 * np.exp(-ratio * omega * t) * (np.cos(swing * t) + ratio * omega / swing * np.sin(swing * t))
    assert np.abs(radii - theory).max() < 0.01 * 0.02 * (1 + omega * t[-1] * 0.05)


def test_momentum_and_angular_momentum_are_kept():
    """Goals of rigid fits are internal forces: A R^T is symmetric. A spin of 2 rad/s for a second."""
    body = jelly(flexibility=0.7)
    arm = body.vertices - body.vertices.mean(0)
    body.velocities = np.cross([0.5, 1.0, 2.0], arm) + [1.0, 0.0, 0.0]
    simulation = solver.Simulation(solver.Scene([body], **FREE), FINE)
    mass = simulation.model.mass[:, None]

    def momenta():
        x, v = simulation.state.x[: len(mass), :3].astype(float), simulation.state.v[: len(mass)].astype(float)
        centre = (mass * x).sum(0) / mass.sum()
        return (mass * v).sum(0), (mass * np.cross(x - centre, v)).sum(0)

    linear, angular = momenta()
    for _ in range(24):
        simulation.advance_frame()
    after, spin = momenta()
    assert np.abs(after - linear).max() < 1e-4 * np.linalg.norm(linear)
    assert np.linalg.norm(spin - angular) < 0.01 * np.linalg.norm(angular)


def heights(level, flexibility):
    body = jelly(level, 5.0, flexibility=flexibility, material={"damping_ratio": 0.1, "linear": 0.2})
    scene = solver.Scene([body], [solver.Plane("ground")])
    simulation = solver.Simulation(scene, solver.Settings.quality("draft"))
    return np.array([simulation.advance_frame().positions["jelly"][:, 2].mean() for _ in range(24)])


@pytest.mark.parametrize("flexibility", [0.0, 0.5])
def test_a_finer_mesh_falls_and_bounces_alike(flexibility):
    """162 and 642 vertices: clusters are of places in space, masses of areas. 5 % of the ball's height of 0.4 m."""
    assert np.abs(heights(2, flexibility) - heights(3, flexibility)).max() < 0.05 * 0.4


def test_a_flat_open_mesh_in_two_pieces_stays_one_body():
    x, t = rectangle((6, 6), (0.3, 0.3))
    other = x + [0.4, 0, 0]
    v, u = np.concatenate([x, other]) + [0, 0, 0.5], np.concatenate([t, t + len(x)])
    body = solver.ShapeMatched("tiles", v, u, solver.Material.shape(2.0, 6.0), flexibility=0.0)
    simulation = solver.Simulation(solver.Scene([body], [solver.Plane("ground")]), solver.Settings.quality("draft"))
    for _ in range(48):
        moved = simulation.advance_frame().positions["tiles"]
    gap = moved[len(x) :].mean(0) - moved[: len(x)].mean(0)
    assert np.linalg.norm(gap) == pytest.approx(0.4, rel=0.02) and np.ptp(moved[:, 2]) < 0.02


def test_pins_hold_it_and_the_rest_swings():
    body = jelly(frequency=3.0)
    top = np.flatnonzero(body.vertices[:, 2] > 0.6)
    body.pins = solver.Pins(top)
    body.pins.check("jelly", body.vertices)
    simulation = solver.Simulation(solver.Scene([body]), solver.Settings.quality("draft"))
    lows = [simulation.advance_frame().positions["jelly"][:, 2].min() for _ in range(24)]
    x = simulation.state.x[: len(body.vertices), :3] + simulation.model.origin
    assert np.abs(x[top] - body.vertices[top]).max() < 1e-6
    sag = 9.81 / (2 * np.pi * 3.0) ** 2  # of a vertex that hangs from the pins; it swings to twice that
    assert 1.2 * sag < 0.3 - min(lows) < 3 * sag


def test_same_bits_on_any_number_of_threads_and_after_a_resume():
    def run(threads, parts):
        body = jelly(3, 5.0)
        scene = solver.Scene([body], [solver.Plane("ground")])
        settings = solver.Settings(substeps=6, iterations=3, threads=threads)
        simulation, frames = solver.Simulation(scene, settings), 0
        for count in parts:
            if frames:
                snapshot = simulation.snapshot()
                simulation = solver.Simulation(scene, settings)
                simulation.restore(snapshot)
            for _ in range(count):
                x = simulation.advance_frame().positions["jelly"]
            frames += count
        return x.tobytes()

    assert run(1, [12]) == run(2, [12]) == run(1, [7, 5])


def test_a_line_is_refused():
    v, u = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), np.array([[0, 1, 2]])
    body = solver.ShapeMatched("wire", v, u, solver.Material.shape(1.0, 3.0))
    with pytest.raises(solver.GpbdError, match="wire"):
        solver.Simulation(solver.Scene([body]), FINE)


@pytest.mark.parametrize(
    ("fields", "words"), [({"flexibility": 1.5}, "flexibility"), ({"cluster_size": -1.0}, "cluster_size")]
)
def test_numbers_out_of_range_are_refused(fields, words):
    with pytest.raises(solver.SceneError, match=words):
        jelly(**fields)
