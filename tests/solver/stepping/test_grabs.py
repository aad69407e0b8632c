"""Grabs of bodies by hand: springs of stated stiffness, and prescribed vertices."""

import numpy as np
import pytest

from solver import Cloth, FrameInputs, Grab, Pins, Plane, Rigid, Rope, Scene, Settings, Simulation, SoftBody, load_material
from solver.errors import SceneError
from solver.scene import Material
from tests.covering_set import long
from tests.scenes.meshes import grid
from tests.scenes.plain_cloth import plain_cloth
from tests.validation.meshes import cube

COUNT, SIZE = 8, 0.4
STIFF = Material.fabric(0.2, 5000, 500)
UP = np.array([0.0, 0.0, 0.05])
CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) * 0.2
FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7],
    [1, 7, 3],
]  # fmt: skip


def sheet(**more):
    return plain_cloth("sheet", *grid(COUNT, SIZE), STIFF, **more)


def made(*bodies, quality="draft", **settings):
    return Simulation(Scene(list(bodies), air_density=0), Settings.quality(quality, threads=1, **settings))


def weight(simulation):
    return 9.81 * simulation.model.mass[: len(simulation.scene.bodies[0].vertices)].sum()


def test_cloth_hangs_from_a_grab_at_the_distance_that_its_stiffness_says():
    """1 % of weight over stiffness: the residual of the swing, damped by 6 /s. Springs pull all vertices alike, so that
    none stretches another; targets stay where the sheet began."""
    simulation = made(sheet(), damping=6.0)
    x = np.array(simulation.scene.bodies[0].vertices)
    mass = simulation.model.mass[: len(x)]
    grab = Grab(np.arange(len(x)), 40.0 * mass / mass.sum(), damping=0.05)
    for _ in range(60):
        frame = simulation.advance_frame(FrameInputs(grabs={"sheet": grab}))
    sunk = (x - frame.positions["sheet"])[:, 2].mean()
    assert sunk == pytest.approx(weight(simulation) / 40.0, rel=0.01)


@pytest.mark.parametrize("kind", ["cloth", *long("knit"), "soft", "rope", "rigid"])
def test_a_grab_of_one_place_carries_the_weight_of_each_kind_of_body(kind):
    """1 % of weight over stiffness, once it hangs still: 0.1 % is what iterations leave of the step of a block of rubber
    (3 % in Draft)."""
    if kind == "cloth":
        body = sheet()
    elif kind == "knit":
        x, triangles = grid(COUNT, SIZE)
        body = Cloth("sheet", x, triangles, load_material("stockinette"), uv=x[:, :2].copy())
    elif kind == "soft":
        x, tetrahedra = cube(3, 0.2)
        body = SoftBody("sheet", x, tetrahedra, load_material("rubber"))
    elif kind == "rope":
        x = np.linspace([0.0, 0.0, 0.0], [0.5, 0.0, 0.0], 11)
        body = Rope("sheet", x, np.stack([np.arange(10), np.arange(1, 11)], 1), 0.005, load_material("hemp_rope"))
    else:
        body = Rigid("sheet", CORNERS, FACES, mass=3.0)
    simulation = made(body, quality="production", damping=4.0)
    x = np.array(body.vertices)
    near = np.argsort(np.linalg.norm(x - x[0], axis=1), kind="stable")[:3]
    pull = 9.81 * 3.0 if kind == "rigid" else weight(simulation)
    stiffness = pull / 0.05
    grab = Grab(near, stiffness / 3, damping=0.05)
    for _ in range(72):
        frame = simulation.advance_frame(FrameInputs(grabs={"sheet": grab}))
    sunk = (x[near] - frame.positions["sheet"][near])[:, 2].mean()
    assert sunk == pytest.approx(0.05, rel=0.01)


def test_a_grab_that_holds_puts_vertices_where_it_says_and_lets_go():
    """1e-6 m: single precision. Afterwards it falls: 1.5 % of g t^2 / 2 in twelve frames, most of it in the first, which
    released vertices begin with a step of first order."""
    simulation = made(sheet())
    x = np.array(simulation.scene.bodies[0].vertices)
    for step in range(1, 5):
        frame = simulation.advance_frame(FrameInputs(grabs={"sheet": Grab([0, 5, 40], np.inf, UP)}))
        assert np.abs(frame.positions["sheet"][[0, 5, 40]] - x[[0, 5, 40]] - step * UP).max() < 1e-6
    mass = simulation.model.mass / simulation.model.mass.sum()
    start, speed = mass @ frame.positions["sheet"], mass @ simulation.state.v[: len(x), :3]
    for _ in range(12):
        frame = simulation.advance_frame()
    fallen = mass @ frame.positions["sheet"] - start - 0.5 * speed
    assert fallen[2] == pytest.approx(-0.5 * 9.81 * 0.25, rel=0.015)
    assert simulation.model.parts[0].grab is None and not simulation.model.fixed.any()


def test_a_rigid_body_that_is_held_at_three_corners_follows_them():
    """0.1 mm of a turn of 6 degrees and 4 mm up in each frame: it is pulled a million times as hard as it is heavy."""
    simulation, before = made(Rigid("box", CORNERS, FACES, mass=3.0)), CORNERS
    for step in range(1, 13):
        angle = np.radians(6.0) * step
        turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        there = CORNERS @ turn.T + [0, 0, 0.004 * step]
        held = Grab([0, 3, 6], np.inf, (there - before)[[0, 3, 6]])
        frame, before = simulation.advance_frame(FrameInputs(grabs={"box": held})), there
        assert np.abs(frame.positions["box"] - there).max() < 1e-4


def test_a_grab_leaves_pins_alone():
    """Fully pinned vertices stay; another grab of the same frame draws the rest."""
    simulation = made(sheet(pins=Pins(np.arange(COUNT + 1))))
    x = np.array(simulation.scene.bodies[0].vertices)
    low = [0, 1, len(x) - 1]
    for _ in range(12):
        frame = simulation.advance_frame(FrameInputs(grabs={"sheet": Grab(low, 50.0, 0.1 * UP)}))
    assert np.abs(frame.positions["sheet"][: COUNT + 1] - x[: COUNT + 1]).max() < 1e-6
    assert frame.positions["sheet"][-1, 2] > x[-1, 2] - 0.05


def test_going_on_from_a_snapshot_within_a_grab_gives_the_same_bits():
    def inputs(frame):
        if not 3 <= frame < 9:
            return FrameInputs()
        near = [0, 1, 9] if frame < 6 else [0, 1, 9, 40]
        stiffness = np.where(np.arange(len(near)) == 0, np.inf, 20.0)
        return FrameInputs(grabs={"sheet": Grab(near, stiffness, 0.1 * UP, 0.02)})

    def simulation():
        return Simulation(
            Scene([sheet()], [Plane("ground", (0, 0, -0.05), (0, 0, 1))]), Settings.quality("draft", threads=1)
        )

    one = simulation()
    found, kept = [], {}
    for frame in range(12):
        found.append(one.advance_frame(inputs(frame)).positions["sheet"])
        kept[frame] = one.snapshot()
    for begin in (2, 4, 5, 8):
        other = simulation()
        other.restore(kept[begin])
        for frame in range(begin + 1, 12):
            assert other.advance_frame(inputs(frame)).positions["sheet"].tobytes() == found[frame].tobytes()


def test_settings_may_change_within_a_grab():
    """Positions are taken over; the grab begins again where the vertices are."""
    one = made(sheet())
    x = np.array(one.scene.bodies[0].vertices)
    given = FrameInputs(grabs={"sheet": Grab([0, 1], [np.inf, 30.0], UP)})
    one.advance_frame(given)
    other = made(sheet(), quality="production")
    other.restore(one.snapshot(), changed=True)
    before = one.state.x[: len(x), :3].copy()
    frame = other.advance_frame(given)
    assert np.abs(frame.positions["sheet"][0] - x[0] - 2 * UP).max() < 1e-6
    assert np.abs(frame.positions["sheet"] - before - other.model.origin).max() < 0.1


@pytest.mark.parametrize(
    ("grab", "told"),
    [
        (lambda: Grab([0, 0], 1.0), "listed twice"),
        (lambda: Grab([0], 0.0), "stiffness"),
        (lambda: Grab([0], 1.0, np.zeros((2, 3))), "moved"),
        (lambda: made(sheet()).advance_frame(FrameInputs(grabs={"other": Grab([0], 1.0)})), "other"),
        (lambda: made(sheet()).advance_frame(FrameInputs(grabs={"sheet": Grab([999], 1.0)})), "999"),
    ],
)
def test_what_does_not_fit_is_told(grab, told):
    with pytest.raises(SceneError, match=told):
        grab()
