"""Bodies tied to one another."""

import numpy as np
import pytest

from solver import Cloth, Material, Pins, Rigid, Scene, SceneError, Settings, Simulation, SoftBody, Tie
from solver.topology.nearest_triangle import nearest_triangles
from tests.scenes.meshes import rectangle
from tests.scenes.plain_settings import plain_settings
from tests.scenes.spheres import icosphere
from tests.validation.meshes import cube


def two_blocks(cells=(3, 2), gap=0.0, stiffness=1e8, **settings):
    """A pinned block of 1 m and one below it, of other cells, tied to it."""
    upper, above = cube(cells[0])
    lower, below = cube(cells[1])
    material = Material.solid(10, 1000, 0.3)
    bodies = [
        SoftBody("upper", upper, above, material, pins=Pins(np.flatnonzero(upper[:, 2] > 0.999))),
        SoftBody("lower", lower - [0, 0, 1 + gap], below, material),
    ]
    scene = Scene(bodies, ties=[Tie("lower", "upper", 0.01 + gap, stiffness)])
    return Simulation(scene, plain_settings(**settings))


def gaps(sim):
    """Distances of the lower block's top vertices from the upper block [m]."""
    part = sim.model.parts[1]
    top = part.start + np.flatnonzero(part.body.vertices[:, 2] > part.body.vertices[:, 2].max() - 1e-9)
    x = sim.state.x[:, :3].astype(float)
    upper = sim.model.surface[(sim.model.surface < part.start).all(1)]
    return nearest_triangles(x[top], x, upper, np.inf)[1]


STATIC = {"fps": 1, "substeps": 1, "quasi_static": True, "dtype": "float64"}


def test_the_lower_block_hangs_on_the_upper_one_with_its_whole_weight():
    """1e-6 of the weight: Newton's method stops at a residual of 1e-10, of which the report may show 1e-8. At rest the ties
    carry the weight of the lower block."""
    sim = two_blocks(method="newton", iterations=30, **STATIC)
    frame = sim.advance_frame()
    assert frame.report.residual < 1e-8
    number = next(k for k, batch in enumerate(sim.model.batches) if batch.energy.NAME == "weak_constraint")
    from solver.methods.batch import add_gradient

    force = np.zeros_like(sim.state.x)
    add_gradient(sim.model.batches[number], sim.state.strains_at_start[number], sim.state.x, force)
    lower = sim.model.parts[1]
    weight = 9.81 * sim.model.mass[lower.start : lower.stop].sum()
    assert -force[lower.start : lower.stop, 2].sum() == pytest.approx(weight, rel=1e-6)
    # Ties of 1e8 N/m^3 that carry a weight of 98 N on one square metre are a micrometre long; the limit is ten.
    assert gaps(sim).max() < 1e-5


def test_pbng_finds_the_same_rest_as_newton():
    """1 % of the displacement after 400 sweeps: the rest of the slowest motion, that of the lower block as a whole."""
    reference = two_blocks(stiffness=1e4, method="newton", iterations=30, **STATIC)
    reference.advance_frame()
    sim = two_blocks(stiffness=1e4, method="pbng", iterations=400, relaxation=1.7, **STATIC)
    sim.advance_frame()
    n = sim.model.n_vertices
    moved = np.linalg.norm(reference.state.x[:n, :3] - sim.model.x_start)
    assert np.linalg.norm((sim.state.x - reference.state.x)[:n, :3]) < 0.01 * moved
    assert gaps(sim).max() < 2 * 98.1 / 1e4  # the weight of 98.1 N on a square metre


@pytest.mark.parametrize("method", ["gpbd", "pbng", "newton"])
def test_tied_blocks_stay_together_while_they_move(method):
    """1 mm: the ties stretch by a tenth of it; the rest is unfinished sweeps. A falling block would be 1.2 m away."""
    sim = two_blocks(method=method, iterations=20 if method != "newton" else 5, stiffness=1e6, substeps=8)
    for _ in range(12):
        sim.advance_frame()
    assert gaps(sim).max() < 1e-3


def test_a_tie_closes_the_gap_that_it_was_made_with():
    """1e-4 of the gap of 0.2 m, against the stiffness of the block, and 10 um for ties that carry its weight."""
    sim = two_blocks(gap=0.2, method="newton", iterations=60, **STATIC)
    assert gaps(sim).min() > 0.19
    sim.advance_frame()
    assert gaps(sim).max() < 1e-4 * 0.2 + 1e-5


def test_a_tie_without_neighbours_is_refused_with_the_distance_that_there_is():
    bodies = [SoftBody(name, cube(1)[0] + [shift, 0, 0], cube(1)[1], Material.solid(1000, 1e5, 0.3), pins=Pins([0]))
              for name, shift in (("a", 0.0), ("b", 3.0))]  # fmt: skip
    with pytest.raises(SceneError, match=r"no surface vertex is within 0.1 m; the nearest is at 2 m"):
        Simulation(Scene(bodies, ties=[Tie("a", "b", 0.1)]))


def test_a_tie_names_bodies_of_the_scene():
    body = SoftBody("a", *cube(1), Material.solid(1000, 1e5, 0.3))
    with pytest.raises(SceneError, match="no body 'b'"):
        Scene([body], ties=[Tie("a", "b", 0.1)])


def test_a_body_that_hangs_on_nothing_has_no_rest():
    body = SoftBody("loose", *cube(1), Material.solid(1000, 1e5, 0.3))
    with pytest.raises(SceneError, match="loose: nothing holds it against gravity"):
        Simulation(Scene([body]), plain_settings(method="newton", quasi_static=True))


def _ball_under_a_cloth(ties):
    x, triangles = rectangle((6, 6), (0.3, 0.3))
    ball, of_ball = icosphere(1, 0.05)
    pins = Pins([0, 6, 42, 48])
    bodies = [Cloth("cloth", x, triangles, Material.fabric(0.3, 800.0, 300.0), pins=pins)]
    bodies.append(Rigid("ball", ball + [0.15, 0.15, -0.055], of_ball, mass=0.2))
    return Scene(bodies, ties=ties)


@pytest.mark.each_value
@pytest.mark.parametrize("body", ["cloth", "ball"])
@pytest.mark.parametrize("changes", [{}, {"global_iterations": 0}])
def test_a_ball_hangs_on_a_cloth_from_either_side(body, changes):
    """A millimetre between both, a hundred times what sweeps leave of a gap; a ball that falls would be 20 cm below."""
    other = {"cloth": "ball", "ball": "cloth"}[body]
    run = Simulation(_ball_under_a_cloth([Tie(body, other, 0.02)]), Settings.quality("draft", **changes))
    ties, rigid = run.model.rigid_ties, run.state.rigid
    assert len(ties) > 0
    for _ in range(5):
        run.advance_frame()
    ends = np.einsum("ka,kai->ki", ties.weights, run.state.x[ties.corners, :3].astype(float))
    assert np.abs(ends + ties.of_bodies(rigid)).max() < 1e-3


def test_ties_to_rigid_bodies_are_found_in_other_positions_too():
    """Rounding: the ball and the cloth lie apart and turned at the start, but are tied as they lie in `tied_at`."""
    scene = _ball_under_a_cloth([Tie("cloth", "ball", 0.02)])
    wanted = Simulation(scene, Settings.quality("draft")).model.rigid_ties
    where = {body.name: body.vertices for body in scene.bodies}
    ball = scene.bodies[1]
    ball.vertices = ball.vertices[:, [1, 2, 0]] + [0, 0, -2.0]
    moved = Scene([scene.bodies[0], ball], ties=scene.ties, tied_at=where)
    model = Simulation(moved, Settings.quality("draft")).model
    inside = np.linalg.norm(model.rigid_ties.point, axis=1), np.linalg.norm(wanted.point, axis=1)
    assert inside[0] == pytest.approx(inside[1], abs=1e-9)
    axes, centre = model.rigid[0].axes, model.rigid[0].centre + model.origin
    at = (axes @ model.rigid_ties.point[0] + centre) - [0, 0, -2.0]
    assert at[[2, 0, 1]] == pytest.approx(where["cloth"][model.rigid_ties.corners[0, 0]], abs=1e-9)


def test_rigid_bodies_are_not_tied_to_each_other():
    ball, triangles = icosphere(1, 0.05)
    bodies = [Rigid(name, ball + [shift, 0, 0], triangles) for name, shift in (("a", 0.0), ("b", 0.101))]
    with pytest.raises(SceneError, match="both are rigid bodies, which ties do not join; wanted a rope"):
        Simulation(Scene(bodies, ties=[Tie("a", "b", 0.1)]))


def test_a_simulation_with_ties_to_rigid_bodies_goes_on_with_the_same_bits():
    scene = _ball_under_a_cloth([Tie("cloth", "ball", 0.02)])
    one, other = (Simulation(scene, Settings.quality("draft", threads=1)) for _ in range(2))
    for _ in range(2):
        one.advance_frame()
    other.restore(one.snapshot())
    ends = [run.advance_frame().positions["ball"] for run in (one, other)]
    assert np.array_equal(*ends)
