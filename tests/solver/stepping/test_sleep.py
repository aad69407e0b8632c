"""Sleeping: bodies at rest are held, moving bodies are not, and touched bodies wake."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from tests.covering_set import long
from tests.scenes.meshes import brick, grid, sheet
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.scenes.resting import cards, dominoes

pytestmark = pytest.mark.slow  # compilation

FAST = {"threads": 1, "substeps": 6, "iterations": 3}


def run(scene, frames, sleep=True, simulation=None, **settings):
    """The simulation after some frames, the positions of every frame, and its reports."""
    simulation = simulation or solver.Simulation(scene, plain_settings(**{**FAST, **settings}, sleep=sleep))
    done = [simulation.advance_frame() for _ in range(frames)]
    return simulation, [np.concatenate(list(frame.positions.values())) for frame in done], [frame.report for frame in done]


def boxes(count=3):
    """Rigid boxes on each other, on the ground."""
    bodies = []
    for k in range(count):
        x, t = brick((0.2, 0.2, 0.1), (0.01 * k, 0, 0.052 + 0.1011 * k))
        bodies.append(solver.Rigid(f"box {k}", x, t))
    return bodies


def unchanged(make, frames, **settings):
    """Return whether a scene moves to the last bit as without sleeping, and nobody ever slept."""
    _, on, reports = run(make(), frames, **settings)
    _, off, _ = run(make(), frames, sleep=False, **settings)
    assert max(report.asleep for report in reports) == 0
    assert all(np.array_equal(a, b) for a, b in zip(on, off, strict=True))


def test_what_rests_on_something_sleeps_without_a_jump_and_stays_to_the_last_bit():
    """Asleep after two windows of half a second and one to land in; where it would be without, without the energy of motion;
    then exactly still."""
    _, x, reports = run(solver.Scene(boxes(), [solver.Plane("ground")]), 40)
    assert reports[-1].asleep == 3
    first = next(k for k, report in enumerate(reports) if report.asleep == 3)
    assert first < 38
    assert all(np.array_equal(x[first], later) for later in x[first:])
    _, awake, others = run(solver.Scene(boxes(), [solver.Plane("ground")]), first + 1, sleep=False)
    assert np.array_equal(x[first], awake[first])
    assert reports[first].kinetic_energy == 0 < others[first].kinetic_energy
    assert reports[-1].energy == reports[first].energy < others[first].energy


def test_dominoes_that_have_fallen_sleep_and_a_push_wakes_them_all():
    """They lean on each other: one island. A collider goes through the row at 0.3 m/s, half a second later."""
    scene, _ = dominoes(solver)
    x, t = brick((0.02, 0.05, 0.05), (-0.08, 0, 0.03))
    pusher = solver.Collider("pusher", lambda s: x + [0.3 * max(0.0, s - 3.0), 0, 0], t)
    scene = solver.Scene(scene.bodies, [*scene.colliders, pusher])
    simulation, _, reports = run(scene, 70)
    assert reports[-1].asleep == 6
    before = simulation.state.x[: simulation.model.n_vertices, 0].copy()
    _, _, reports = run(scene, 18, simulation=simulation)
    assert reports[-1].asleep == 0
    moved = (simulation.state.x[: simulation.model.n_vertices, 0] - before).reshape(6, -1).mean(1)
    assert moved[0] > 0.02


def test_a_body_that_is_thrown_at_a_sleeping_stack_hits_it_as_if_it_were_awake():
    """Momentum along the initial velocity after the impact, on ground without friction: all of it is there, to 1 %
    (contact with the ground takes none). A stack that were held for even a substep would take it all."""
    ground = solver.Plane("ground", friction=0.0)
    x, t = brick((0.1, 0.1, 0.1), (-2.0, 0, 0.0525))
    ball = solver.Rigid("thrown", x, t, velocity=(1.0, 0, 0), friction=0.0)
    bodies = boxes(1)
    bodies[0].friction = 0.0
    simulation, _, reports = run(solver.Scene([*bodies, ball], [ground]), 40)
    assert reports[-1].asleep == 1
    start = reports[-1].momentum[0]
    assert start > 0.5
    _, _, reports = run(None, 14, simulation=simulation)
    assert reports[-1].asleep == 0
    assert simulation.state.rigid.velocity[0, 0] > 0.1
    assert reports[-1].momentum[0] == pytest.approx(start, rel=0.01)


def strip(pins=True):
    x, t = grid(4, 0.3)
    x = np.c_[x[:, 0], x[:, 1], 0 * x[:, 2]]
    return x, t, solver.Pins(np.flatnonzero(x[:, 0] < 1e-9)) if pins else None


FABRIC = {"density": 0.2, "young": 500.0, "shear": 200.0, "bending": 1e-4}


def test_a_pendulum_of_a_tenth_of_a_millimetre_swings_on():
    """To the last bit: nothing touches it, so it never sleeps, however small its swing."""

    def scene():
        x, t, pins = strip()
        hung = np.c_[0 * x[:, 0], x[:, 1], -x[:, 0]] + [1e-4, 0, 0] * (x[:, :1] / 0.3)
        material = solver.Material.fabric(**FABRIC)
        return solver.Scene([plain_cloth("sheet", hung, t, material, pins=pins)], [solver.Plane("ground", (0, 0, -1))])

    unchanged(scene, 32)


def test_what_a_collider_pushes_at_a_millimetre_a_second_is_not_held():
    """To the last bit. A box on the ground, which a wall drives along."""

    def scene():
        x, t = brick((0.02, 0.4, 0.2), (-0.1119, 0, 0.1))
        wall = solver.Collider("wall", lambda s: x + [0.001 * s, 0, 0], t)
        return solver.Scene(boxes(1), [solver.Plane("ground"), wall])

    unchanged(scene, 32)


def test_wind_that_rises_slowly_moves_what_lies_on_the_ground_as_ever():
    """To the last bit: it never sleeps while the wind changes."""

    def scene():
        x, t = sheet(4, 0.3, (0, 0, 0.004))
        cloth = plain_cloth("sheet", x, t, solver.Material.fabric(**FABRIC))
        return solver.Scene([cloth], [solver.Plane("ground")], wind=lambda s: (0.5 * s, 0, 0.2 * s))

    unchanged(scene, 32)


def test_fields_and_answers_that_change_wake_those_whom_they_act_on():
    """A wind that changes wakes all, a body's own gravity the body and its neighbours."""
    far = boxes(1)[0]
    far.name, far.vertices = "far", far.vertices + [5, 0, 0]
    scene = solver.Scene([*boxes(1), far], [solver.Plane("ground")], fields=[solver.Field("fan", "wind", 0.1)])
    simulation, _, reports = run(scene, 40)
    assert reports[-1].asleep == 2
    kept = simulation.snapshot()
    frame = simulation.advance_frame(solver.FrameInputs(responses={"far": solver.Response(gravity=0.5)}))
    assert frame.report.asleep == 1
    simulation.restore(kept)
    frame = simulation.advance_frame(solver.FrameInputs(fields=[solver.Field("fan", "wind", 0.2)]))
    assert frame.report.asleep == 0


@pytest.mark.parametrize("size", [*long(1.0), 10.0])
def test_what_slides_at_two_millimetres_a_second_is_not_held(size):
    """To the last bit: the mean of a window is a millimetre from that of the one before, of a slab of 2 m too, of which and
    of whose distance of 10 mm that is a small share. On ground without friction."""

    def scene():
        x, t = brick((0.2, 0.2, 0.1 / size), (0, 0, 0.052 / size))
        body = solver.Rigid("slab", x * size, t, thickness=0.001 * size)
        body.velocity, body.friction = np.array([0.002, 0, 0]), 0.0
        return solver.Scene([body], [solver.Plane("ground", friction=0.0)])

    unchanged(scene, 32)


def test_gravity_that_changes_wakes_all():
    simulation, _, reports = run(solver.Scene(boxes(), [solver.Plane("ground")]), 40)
    assert reports[-1].asleep == 3
    frame = simulation.advance_frame(solver.FrameInputs(gravity=(0, 0, 1.0)))
    assert frame.report.asleep == 0
    assert frame.report.momentum[2] > 0


def test_a_snapshot_of_sleepers_goes_on_with_the_same_bits():
    """Taken with some asleep, and restored to another simulation; then gravity wakes them in both."""
    scene = solver.Scene(boxes(), [solver.Plane("ground")])
    one, _, reports = run(scene, 40)
    assert reports[-1].asleep == 3
    other = solver.Simulation(scene, one.settings)
    other.restore(one.snapshot())
    tilted = solver.FrameInputs(gravity=(2.0, 0, -9.0))
    for given in (None, tilted, tilted):
        a, b = one.advance_frame(given), other.advance_frame(given)
        assert a.report.asleep == b.report.asleep == (3 if given is None else 0)
        assert all(np.array_equal(a.positions[name], b.positions[name]) for name in a.positions)


def test_sleep_is_refused_for_methods_that_do_not_sweep_elements():
    with pytest.raises(solver.SceneError, match="sleep"):
        solver.Settings(method="newton", sleep=True)


@pytest.mark.long
def test_a_house_of_cards_stands_sleeps_and_falls_when_it_is_hit():
    """Stands: no card's mean has sunk by more than a millimetre in two seconds, all seven asleep. Hit by a ball at 1 m/s it
    falls: the highest card loses half of its height."""
    scene, _ = cards(solver, hit=True)
    settings = {"substeps": 24, "iterations": 4, "global_iterations": 4}
    simulation, x, reports = run(scene, 48, **settings)
    assert reports[-1].asleep == 7
    assert abs(x[-1][:-66, 2] - x[4][:-66, 2]).max() < 2e-3
    top = x[-1][:-66, 2].max()
    _, x, reports = run(None, 48, simulation=simulation)
    assert reports[-1].asleep < 7
    assert x[-1][:-66, 2].max() < 0.6 * top
