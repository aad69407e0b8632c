"""Ropes whose radius, length, stiffness and pins change from frame to frame."""

import numpy as np
import pytest

from solver import FrameInputs, Map, Material, Pins, Plane, Rope, Scene, Settings, Simulation
from solver.errors import SceneError
from solver.model.build import build
from solver.model.rod_frames_start import renew_frames, rod_frames
from solver.scene import ShapeInputs
from solver.scene.keyed import scene_at
from tests.scenes.hung import pendulum
from tests.scenes.ropes import line

N, YOUNG = 20, 1e8


def wire(young=YOUNG, bending=1e9):
    bend = {"bending": bending, "twist": 0.4 * bending, "yield_curvature": 3.0, "hardening": 0.0, "damping": 0.01}
    stretch = {"rod_stretch": {"young": young, "damping": 0.01}, "rod_limit": {"limit": 0.3, "compliance": 1e-6}}
    return Material("wire", "rope", 2000.0, energies={**stretch, "yielding_rod": bend})


def rope(radius=0.005, material=None, **changes):
    x, edges = line(N, 1.0)
    return Rope("rope", x, edges, radius, material or wire(), **({"pins": Pins([0, 1])} | changes))


def numbers(model):
    """All arrays of a model that depend on the radius or on the rest lengths."""
    arrays = model.mass, model.vertex_distance, model.body_thickness, model.line_diameters, model.edge_lengths
    return [*arrays, *(batch.rest for batch in model.batches), *(batch.constants for batch in model.batches)]


@pytest.mark.parametrize("maps", [{}, {"stretch": Map(np.linspace(0, 1, N + 1), 1.0, 10.0)}])
@pytest.mark.parametrize("radius", [0.01, np.linspace(0.004, 0.012, N + 1)])
def test_a_keyed_radius_gives_the_model_of_a_rope_of_that_radius(radius, maps):
    """1e-6: single precision."""
    scene, settings = Scene([rope(maps=maps)]), Settings.quality("draft")
    run = Simulation(scene, settings)
    run.advance_frame(FrameInputs(values={"rope": {"radius": radius}}))
    wanted = build(Scene([rope(radius, maps=maps)]), settings)
    for one, other in zip(numbers(run.model), numbers(wanted), strict=True):
        assert np.allclose(one, other, rtol=1e-6, atol=0)
    frames = rod_frames(wanted)
    assert np.allclose(run.state.rods.joint_rest[:, [0, 1, 5]], frames.joint_rest[:, [0, 1, 5]], rtol=1e-6)
    assert np.allclose(run.state.rods.yields, frames.yields, rtol=1e-6)


def test_a_rope_that_swells_lies_higher_and_weighs_more():
    """3 % of the radius: it rests on the floor with a new radius; contact recovers in half a second."""
    x, edges = line(N, 0.2)
    body = Rope("rope", x + [0, 0, 0.006], edges, 0.005, Material.rope(1000.0, 1e7, damping=0.01))
    run = Simulation(Scene([body], [Plane("floor", [0, 0, 0], [0, 0, 1])]), Settings.quality("draft", damping=4.0))
    for frame in range(24):
        at = run.advance_frame(FrameInputs(values={"rope": {"radius": 0.01}} if frame > 8 else {})).positions["rope"]
        if frame == 8:
            assert at[:, 2].mean() == pytest.approx(0.005, rel=0.03)
    assert at[:, 2].mean() == pytest.approx(0.01, rel=0.03)
    assert run.model.mass[: N + 1].sum() == pytest.approx(1000.0 * np.pi * 0.01**2 * 0.2, rel=1e-6)


def test_a_shortened_rope_pulls_at_its_pins_as_its_modulus_says():
    """0.1 %: E A s / (1 - s), between pins that stay. Half a share is 2 % there, as its tension says."""
    material = Material.rope(1000.0, YOUNG, damping=0.01)
    run = Simulation(
        Scene([rope(material=material, pins=Pins([0, N]))], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0)
    )
    for shares in (0.02, np.full(N + 1, 0.02)):
        for _ in range(4):
            frame = run.advance_frame(FrameInputs(shapes={"rope": ShapeInputs(shrink=shares)}))
        assert frame.report.tension == pytest.approx(YOUNG * np.pi * 0.005**2 * 0.02 / 0.98, rel=1e-3)
    lone = Simulation(
        Scene([rope(material=material, pins=Pins([0, N]), shrink=0.02)], gravity=(0, 0, 0)), Settings(substeps=10)
    )
    assert np.allclose(lone.model.batches[-1].rest, run.model.batches[-1].rest, rtol=1e-6)


def test_a_rope_that_shortens_draws_its_load_up():
    """1 %: the free end of a hanging rope rises by the share that it shortens by."""
    x, edges = line(N, 1.0, (0, 0, -1.0))
    body = Rope("rope", x, edges, 0.005, Material.rope(1000.0, 1e9, damping=0.01), Pins([0]))
    run = Simulation(Scene([body]), Settings.quality("draft", damping=4.0))
    for frame in range(36):
        end = run.advance_frame(FrameInputs(shapes={"rope": ShapeInputs(shrink=0.3 * min(frame / 24, 1.0))}))
    assert end.positions["rope"][-1, 2] == pytest.approx(-0.7, rel=0.01)


def test_a_rope_that_shortens_hoists_a_body_at_an_even_speed():
    """Two frames after the start and after the end, 1 % of the speed and 5 % of the weight. A cable of 2.5 MN would
    accelerate 20 kg to 1.5 m/s if its length changed once a frame."""
    speed, frames = 0.3, 12
    run = Simulation(pendulum(0.0, 20.0, 5e10, density=4600.0), Settings.quality("draft", threads=1))
    heights, tensions = [], []
    for frame in range(2 * frames):
        shorter = ShapeInputs(shrink=speed / 24 * min(frame, frames))
        report = run.advance_frame(FrameInputs(shapes={"rope": shorter})).report
        heights.append(run.state.rigid.centre[0, 2])
        tensions.append(report.tension)
    speeds = 24 * np.diff(heights)
    assert np.allclose(speeds[2 : frames - 1], speed, rtol=0.01) and np.abs(speeds[frames + 2 :]).max() < 0.01 * speed
    even = np.array(tensions[3 : frames - 1] + tensions[frames + 3 :])
    assert np.allclose(even, 9.81 * (20.0 + run.model.mass[:21].sum()), rtol=0.05)


def test_a_rope_takes_no_rest_shape_from_a_frame():
    run = Simulation(Scene([rope()]), Settings.quality("draft"))
    with pytest.raises(SceneError, match="rope: is given a rest shape in a frame"):
        run.advance_frame(FrameInputs(shapes={"rope": ShapeInputs(rest_vertices=line(N, 1.0)[0])}))


def test_frames_follow_a_keyed_stiffness_and_released_pins():
    """Stiffness in J of all joints; a segment whose pins let go turns freely."""
    run = Simulation(Scene([rope()]), Settings.quality("draft"))
    before = run.state.rods.joint_rest[:, [0, 1, 5]].copy()
    assert run.state.rods.held[0] and not run.state.rods.held[1:].any()
    run.advance_frame(FrameInputs(values={"rope": {"yielding_rod.bending": 3e9, "pin_weight": np.zeros(2)}}))
    assert np.allclose(run.state.rods.joint_rest[:, [0, 1, 5]], before * [3, 1, 3], rtol=1e-6)
    assert not run.state.rods.held.any()


def test_a_rope_with_keyed_numbers_continues_from_a_checkpoint_with_the_same_bits():
    def inputs(frame):
        numbers = {"rope": {"radius": 0.005 + 0.0005 * frame, "yielding_rod.bending": 1e9 * frame}}
        return FrameInputs(values=numbers, shapes={"rope": ShapeInputs(shrink=0.01 * frame)})

    one, other = (Simulation(Scene([rope()]), Settings.quality("draft")) for _ in range(2))
    for frame in range(1, 5):
        one.advance_frame(inputs(frame))
    other.restore(one.snapshot())
    for frame in range(5, 8):
        ends = [run.advance_frame(inputs(frame)).positions["rope"] for run in (one, other)]
    assert np.array_equal(*ends)


def test_frames_of_a_model_are_their_own_renewal():
    model = build(scene_at(Scene([rope()]), {}, {}), Settings.quality("draft"))
    frames, again = rod_frames(model), rod_frames(model)
    renew_frames(model, again)
    assert np.array_equal(frames.joint_rest, again.joint_rest) and np.array_equal(frames.yields, again.yields)
