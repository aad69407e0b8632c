"""Ropes that part under their load: the force at the break, its place, and both halves."""

import numpy as np
import pytest

from solver import FrameInputs, Map, Material, Pins, Rope, Scene, Settings, Simulation
from solver.scene import Tearing
from tests.covering_set import long

RADIUS, YOUNG, DENSITY = 0.005, 1e8, 1000.0
AREA = np.pi * RADIUS**2


def split_line(n, length, direction=(1.0, 0.0, 0.0)):
    """Positions of segments with vertices of their own, edges, and the point that each vertex is a copy of."""
    x = np.linspace(0, length, n + 1)[:, None] * np.array(direction)
    points = np.stack([np.arange(n), np.arange(1, n + 1)], 1).ravel()
    return x[points], np.arange(2 * n).reshape(n, 2), points


def rope(n, strength, direction=(1.0, 0, 0), pins=True, bending=1e6, **more):
    x, edges, points = split_line(n, 1.0, direction)
    held = Pins([0, 1, 2 * n - 2, 2 * n - 1]) if pins else Pins([0, 1])
    material = Material.rope(DENSITY, YOUNG, bending, bending, damping=0.002)
    return Rope("rope", x, edges, RADIUS, material, held, tearing=Tearing(strength, points=points), **more)


def pulled(n, strength, **settings):
    """Force at the break [N] of a rope that is drawn apart by 1e-4 of its length in a frame, and the simulation."""
    body = rope(n, strength)
    run = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0, **settings))
    targets = body.vertices[body.pins.indices].copy()
    for _ in range(60):
        targets[2:, 0] += 1e-4
        before = YOUNG * AREA * (targets[3, 0] - 1.0) / (1.0 - 2.0 / n)
        frame = run.advance_frame(FrameInputs(pins={"rope": targets}))
        if frame.report.torn_edges:
            return before, run
    raise AssertionError("it never parts")


@pytest.mark.parametrize("n", [10, 40, *long(160)])
def test_a_rope_parts_at_its_strength(n):
    """5 %: a frame's pull is 3 % of the strength of 30 N at the coarsest. It parts once."""
    force, run = pulled(n, 30.0)
    assert force == pytest.approx(30.0, rel=0.05)
    assert run.state.broken.sum() == 1


def test_a_hung_rope_parts_at_its_top():
    """It bears half of its own weight: it parts next to its pin, the rest falls freely, and no energy comes from it."""
    weight = 9.81 * AREA * DENSITY
    body = rope(30, 0.5 * weight, (0, 0, -1.0), pins=False, self_contact=True)
    run = Simulation(Scene([body]), Settings(substeps=10))
    heights = []
    for _ in range(12):
        frame = run.advance_frame()
        heights.append(frame.positions["rope"][-1, 2])
    assert run.state.broken.sum() >= 1 and np.flatnonzero(run.state.broken)[0] < 3
    assert heights[-1] < -1.4
    falls = 2 * heights[-2] - heights[-1] - heights[-3]
    assert falls * 24**2 == pytest.approx(9.81, rel=0.05)


def test_parting_does_not_raise_the_energy():
    """Kinetic energy after it parts is at most the stored energy, (30 N)^2 L / (2 E A): the ends of both halves touch."""
    _, run = pulled(40, 30.0)
    stored = 30.0**2 * 1.0 / (2 * YOUNG * AREA)
    for _ in range(10):
        run.advance_frame()
        model, state = run.model, run.state
        kinetic = 0.5 * (model.mass[:, None] * state.v[: model.n_vertices, :3] ** 2).sum()
        assert kinetic <= 1.05 * stored
    frame = run.advance_frame()
    gap = np.flatnonzero(run.state.broken)[0]
    assert frame.positions["rope"][2 * gap + 2, 0] - frame.positions["rope"][2 * gap + 1, 0] > 1e-4


def test_a_parted_rope_is_resumed_bit_for_bit():
    """And on another number of segments that have parted since."""
    _, run = pulled(20, 30.0)
    kept = run.snapshot()
    again = Simulation(Scene([rope(20, 30.0)], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0))
    again.restore(kept)
    for _ in range(3):
        one, other = run.advance_frame(), again.advance_frame()
    assert np.array_equal(one.positions["rope"], other.positions["rope"]) and other.report.torn_edges == 1


def test_a_whole_rope_of_copies_moves_as_one_without():
    """1e-5 m after half a second: the order of elements is another."""
    body = rope(20, 1e6, pins=False)
    run = Simulation(Scene([body]), Settings(substeps=10))
    n = 20
    plain = Rope("rope", np.linspace(0, 1, n + 1)[:, None] * [1.0, 0, 0], np.stack([np.arange(n), np.arange(1, n + 1)], 1),
                 RADIUS, body.material, Pins([0, 1]))  # fmt: skip
    other = Simulation(Scene([plain]), Settings(substeps=10))
    for _ in range(12):
        one, two = run.advance_frame().positions["rope"], other.advance_frame().positions["rope"]
    assert np.abs(one[1::2] - two[1:]).max() < 1e-5 and np.abs(one[0::2] - two[:-1]).max() < 1e-5


def test_a_broken_joint_bends_freely():
    """A horizontal rope that parts in its middle hangs from both ends."""
    body = rope(20, 3.0, bending=1e7)
    run = Simulation(Scene([body]), Settings(substeps=10))
    targets = body.vertices[body.pins.indices].copy()
    for k in range(40):
        if k < 5:
            targets[2:, 0] += 5e-4
        frame = run.advance_frame(FrameInputs(pins={"rope": targets}))
    assert run.state.broken.any() and frame.positions["rope"][:, 2].min() < -0.2


def test_a_weak_place_parts_first():
    """A painted tenth of the strength at one vertex, in the middle of a rope under even tension."""
    n, weights = 40, np.ones(80)
    weights[[31, 32]] = 0.0
    body = rope(n, 300.0, maps={"tear_strength": Map(weights, 0.1, 1.0)})
    run = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0))
    targets = body.vertices[body.pins.indices].copy()
    for _ in range(60):
        targets[2:, 0] += 1e-4
        if run.advance_frame(FrameInputs(pins={"rope": targets})).report.torn_edges:
            break
    assert run.state.broken.nonzero()[0].tolist() == [15]


def test_a_keyed_strength_lets_a_rope_part():
    """A rope that rots: nothing else changes from frame 3 on."""
    body = rope(20, 1e6, (0, 0, -1.0), pins=False)
    run = Simulation(Scene([body]), Settings(substeps=10))
    torn = [run.advance_frame(FrameInputs(values={"rope": {"tear_strength": s}})).report.torn_edges for s in (1e6, 1e6, 0.1)]
    assert torn[:2] == [0, 0] and torn[2] > 0


def test_a_net_keeps_its_branches():
    """A cross of four strings is drawn at its ends: a string parts, its middle does not."""
    arms, n = np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]]), 10
    x, points = [], []
    for arm, direction in enumerate(arms):
        ends = np.stack([np.arange(n), np.arange(1, n + 1)], 1).ravel()
        x.append(ends[:, None] / n * direction)
        points.append(np.where(ends == 0, 0, arm * n + ends))
    x, points = np.concatenate(x), np.concatenate(points)
    edges = np.arange(len(x)).reshape(-1, 2)
    held = np.flatnonzero(np.linalg.norm(x, axis=1) > 1 - 1e-6)
    material = Material.rope(DENSITY, YOUNG, 1e6, 1e6, damping=0.002)
    body = Rope("rope", x, edges, RADIUS, material, Pins(held), tearing=Tearing(30.0, points=points))
    run = Simulation(Scene([body], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0))
    targets = body.vertices[held].copy()
    for _ in range(60):
        targets += 1e-4 * arms
        end = run.advance_frame(FrameInputs(pins={"rope": targets}))
        if end.report.torn_edges:
            break
    assert end.report.torn_edges
    middle = end.positions["rope"][points == 0]
    assert np.abs(middle - middle[0]).max() == 0


def test_segments_that_share_vertices_cannot_part():
    from solver.errors import SceneError

    x, edges = np.linspace(0, 1, 5)[:, None] * [1.0, 0, 0], np.stack([np.arange(4), np.arange(1, 5)], 1)
    shared = Rope("rope", x, edges, RADIUS, Material.rope(DENSITY, YOUNG), tearing=Tearing(30.0))
    with pytest.raises(SceneError, match="3 of its vertices are of two segments"):
        Simulation(Scene([shared]))


def test_threads_change_no_bit_of_a_rope_that_parts():
    """800 segments are enough for two threads."""
    ends = []
    for threads in (1, 2):
        run = Simulation(Scene([rope(800, 0.3, (0, 0, -1.0), pins=False)]), Settings(substeps=4, threads=threads))
        for _ in range(3):
            end = run.advance_frame()
        ends.append(end.positions["rope"])
    assert end.report.torn_edges and np.array_equal(*ends)
