"""Closed colliders as containers: objects that start inside stay inside, and the report about them."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from tests.covering_set import long
from tests.scenes.intersections import Intersections, skins
from tests.scenes.materials import FABRIC, SOFT
from tests.scenes.meshes import ball, brick, cube_of_five, sheet, turn
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings

pytestmark = pytest.mark.slow  # compilation

DRAFT = plain_settings(substeps=10, iterations=3, global_iterations=4, threads=1)
SPIN = 4.0  # rad/s


def filled(container: str, **collider) -> solver.Scene:
    """A soft block, a rigid one, one that touches by its visible mesh and a cloth within a container that turns about y; a
    sheet falls on it from outside."""
    v, u = ball(3, 0.3) if container == "sphere" else brick((0.5, 0.5, 0.5))
    x, t = cube_of_five(2)
    soft, fabric = solver.Material.solid(**SOFT), solver.Material.fabric(**FABRIC)
    skin, w = brick((0.09, 0.09, 0.09), (0, 0.11, 0))
    bodies = [
        solver.SoftBody("block", 0.1 * (x - 0.5) + [-0.1, 0, 0], t, soft, self_contact=True),
        solver.SoftBody(
            "jelly", 0.1 * (x - 0.5) + [0, 0.11, 0], t, soft, surface=skin, surface_triangles=w, contact_surface="mesh"
        ),
        solver.Rigid("brick", *brick((0.1, 0.08, 0.06), (0.1, 0, 0))),
        solver.Cloth("cloth", *sheet(8, 0.2, (0, -0.1, 0.08), 0.3, (1, 1, 0)), fabric, self_contact=True),
        solver.Cloth("cover", *sheet(4, 0.3, (0, 0, 0.4)), fabric, self_contact=True),
    ]
    return solver.Scene(bodies, [solver.Collider(container, lambda time: v @ turned(time), u, **collider)])


def turned(time: float) -> np.ndarray:
    return turn(SPIN * time, (0, 1, 0)).T


@pytest.mark.parametrize(("container", "frames"), [("box", 16), *long(("box", 30), ("sphere", 30))])
def test_a_turning_container_keeps_what_starts_in_it(container, frames):
    """Frames of a drum that turns by 0.64 a second: no vertex out of it, and no edge through any triangle by ipctk. No
    tolerance: all keep a distance of at least 1 mm."""
    pytest.importorskip("ipctk", reason="ipctk, which counts intersections, is not installed", exc_type=ImportError)
    scene = filled(container)
    simulation = solver.Simulation(scene, DRAFT)
    stay = [w for w in simulation.warnings if f"starts inside the closed collider {container} and stays inside" in w]
    assert [w.split(":")[0] for w in stay] == ["block", "jelly", "brick", "cloth"]
    counter = Intersections(*skins(scene))
    for _ in range(frames):
        frame = simulation.advance_frame()
        shapes = {**frame.positions, "jelly": frame.surfaces["jelly"]}
        shapes = {name: x.astype(float) for name, x in shapes.items()}
        axes = turned(simulation.state.time)
        for name in ("block", "jelly", "brick", "cloth"):
            x = shapes[name] @ axes.T
            out = np.linalg.norm(x, axis=1) > 0.3 if container == "sphere" else np.abs(x).max(1) > 0.25
            assert not out.any(), name
        assert counter.count([*shapes.values(), scene.colliders[0].vertices(simulation.state.time)]) == 0


def test_pins_and_ties_hold_in_a_container_that_moves():
    """A flag whose pole moves with a box that turns and is shaken by 1.2 m/s, and two tied cubes that tumble in it: pins
    are where they should be to the rounding of single precision, the cubes' faces, 0.5 mm apart at the start, come apart
    by no more than an eighth of an edge when a corner hits a wall (3.2 and 5.6 mm measured), and no vertex is out of the
    box."""
    v, u = brick((0.5, 0.5, 0.5))

    def moving(shape):
        return lambda time: shape @ turned(0.5 * time) + np.array([0.4 * np.sin(3 * time), 0, 0])

    x, t = sheet(8, 0.3, (0, 0.05, 0.1))
    pole, soft = np.flatnonzero(x[:, 0] < -0.1499), solver.Material.solid(**SOFT)
    pins = solver.Pins(pole, targets=moving(x[pole]))
    c, k = cube_of_five(2)
    one = 0.1 * c - [0.1, 0.12, 0.1]
    bodies = [
        solver.Cloth("flag", x, t, solver.Material.fabric(**FABRIC), self_contact=True, pins=pins),
        solver.SoftBody("one", one, k, soft, self_contact=True),
        solver.SoftBody("other", one + [0.1005, 0, 0], k, soft, self_contact=True),
    ]
    scene = solver.Scene(bodies, [solver.Collider("box", moving(v), u)], ties=[solver.Tie("one", "other", 0.002)])
    simulation = solver.Simulation(scene, DRAFT)
    for _ in range(24):
        frame = simulation.advance_frame()
        time, at = simulation.state.time, {name: y.astype(float) for name, y in frame.positions.items()}
        np.testing.assert_allclose(at["flag"][pole], moving(x[pole])(time), atol=1e-6)
        faces = at["one"][c[:, 0] == 1] - at["other"][c[:, 0] == 0]
        assert np.linalg.norm(faces, axis=1).max() < 6.25e-3
        for y in at.values():
            assert np.abs((y - moving(np.zeros(3))(time)) @ turned(0.5 * time).T).max() < 0.25


@pytest.mark.parametrize("side", ["automatic", "inside"])
def test_a_cloth_through_the_wall_of_a_box_comes_apart_from_it(side):
    """Half of a sheet that leans through the top is led out, or in: all of it within 36 frames (0.75 s would do at the
    slowest, 0.1 m of its height at 0.14 m/s), with no intersection by the report. One of six leans measured does not
    come apart in a second (docs/notes/open_questions.md)."""
    v, u = brick((0.5, 0.5, 0.5))
    cloth = plain_cloth("sheet", *sheet(8, 0.2, (0, 0, 0.25), 0.8, (1, 0.22, 0)), solver.Material.fabric(**FABRIC))
    scene = solver.Scene([cloth], [solver.Collider("box", v, u, side=side)], gravity=(0, 0, 0))
    simulation = solver.Simulation(scene, DRAFT)
    for _ in range(36):
        frame = simulation.advance_frame()
    out = np.abs(frame.positions["sheet"]).max(1) > 0.25
    assert not out.any() if side == "inside" else out.all()
    assert frame.report.intersections == 0


def test_a_resumed_simulation_keeps_the_container():
    """The same bits as without stopping: the sides follow from the scene's start, not from where it was resumed."""
    one = solver.Simulation(filled("box"), DRAFT)
    for _ in range(4):
        one.advance_frame()
    kept = one.snapshot()
    other = solver.Simulation(filled("box"), DRAFT)
    other.restore(kept)
    for _ in range(4):
        a, b = one.advance_frame(), other.advance_frame()
    for name in a.positions:
        np.testing.assert_array_equal(a.positions[name], b.positions[name])


def alone(body: object, **collider) -> list[str]:
    v, u = brick((0.5, 0.5, 0.5))
    return solver.Simulation(solver.Scene([body], [solver.Collider("box", v, u, **collider)]), DRAFT).warnings


def test_what_is_told_of_a_start_inside():
    """No report where the user chose the side, except for a rigid body without a path out."""
    fabric = solver.Material.fabric(**FABRIC)
    inside, through = (plain_cloth("sheet", *sheet(4, 0.2, (0, 0, z), 1, (1, 0, 0)), fabric) for z in (0, 0.25))
    rigid = solver.Rigid("brick", *brick((0.1, 0.1, 0.1)))
    assert "sheet: starts inside the closed collider box and stays inside" in alone(inside)[0]
    assert "sheet: 10 of 25 vertices start inside the closed collider box; they are led out. Set" in alone(through)[0]
    mostly = plain_cloth("sheet", *sheet(4, 0.2, (0, 0, 0.2), 1, (1, 0, 0)), fabric)
    assert "they are led out. As most of it is inside, it may not come apart" in alone(mostly)[0]
    for side in ("inside", "outside"):
        assert alone(inside, side=side) == alone(through, side=side) == []
    assert alone(rigid, side="inside") == []
    assert "brick: starts inside the closed collider box, whose side is 'outside'" in alone(rigid, side="outside")[0]


def test_a_side_that_is_none_is_refused():
    with pytest.raises(solver.SceneError, match="box: side is 'in'"):
        solver.Collider("box", *brick((1, 1, 1)), side="in")
