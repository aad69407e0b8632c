"""Ropes on soft bodies, in force fields, asleep, and twisted into a loop. Counts share no code with the solver."""

import numpy as np
import pytest

from solver import Field, FrameInputs, Material, Pins, Plane, Rope, Scene, Settings, Simulation, SoftBody
from tests.scenes.meshes import cube_of_five
from tests.scenes.ropes import coil, least_distance, line

RADIUS, DENSITY = 0.005, 1000.0


@pytest.mark.slow
def test_a_rope_falls_onto_a_soft_body_and_both_feel_it():
    """No segment comes nearer to the block's vertices than 97 % of its radius in any frame, and the rope ends above the
    ground on the block; the block's top ends deeper by more than half a millimetre with the rope than without."""
    x, tetrahedra = cube_of_five(5)
    x = 0.2 * (x - [0.5, 0.5, 0]) + [0, 0, 0.002]
    jelly = SoftBody("jelly", x, tetrahedra, Material.solid(1000.0, 8e3, 0.45, damping=0.05))
    points, edges = coil(0.03, 3, 0.015, 0.008, 0.22)
    rope = Rope("rope", points, edges, RADIUS, Material.rope(8000.0, 1e7, 1e5, 4e4, damping=0.01, friction=0.5))
    top, height = x[:, 2] > x[:, 2].max() - 1e-6, {}
    for name, bodies in (("with", [jelly, rope]), ("without", [jelly])):
        run = Simulation(Scene(bodies, [Plane("ground")]), Settings.quality("draft", damping=1.0))
        for _ in range(36):
            at = run.advance_frame().positions
            if "rope" in at:
                p, q = (at["rope"][edges[:, k]].astype(float) for k in range(2))
                to = at["jelly"].astype(float)[:, None] - p
                along = np.clip((to * (q - p)).sum(-1) / ((q - p) ** 2).sum(-1), 0, 1)[..., None]
                assert np.linalg.norm(to - along * (q - p), axis=-1).min() > 0.97 * RADIUS
        height[name] = at["jelly"][top, 2].mean()
        if name == "with":
            assert at["rope"][:, 2].min() > 0.15
    assert height["with"] < height["without"] - 5e-4


def test_a_field_accelerates_a_rope_as_anything_else():
    """A wind of 3 m/s^2 without air, for half a second: the way a t^2 / 2 of every vertex, to 1 %, since the first substep
    is of first order."""
    x, edges = line(30, 0.6, (0, 1, 0))
    rope = Rope("rope", x, edges, RADIUS, Material.rope(DENSITY, 1e8, 1e6, 4e5))
    scene = Scene([rope], gravity=(0, 0, 0), fields=[Field("wind", "wind", 3.0, axis=(1, 0, 0))])
    run = Simulation(scene, Settings.quality("draft", fps=24.0))
    for _ in range(12):
        at = run.advance_frame().positions["rope"]
    assert np.allclose(at[:, 0] - x[:, 0], 0.5 * 3.0 * 0.5**2, rtol=0.01)


def test_a_rope_at_rest_falls_asleep_and_wakes_when_it_is_pulled():
    x, edges = line(20, 0.4)
    pins = Pins([0], targets=lambda t: x[:1] + [0, 0, RADIUS + 0.1 * max(t - 3.5, 0.0)])
    rope = Rope("rope", x + [0, 0, RADIUS], edges, RADIUS, Material.rope(DENSITY, 1e7, 1e5, 4e4, damping=0.05), pins)
    run = Simulation(Scene([rope], [Plane("ground")]), Settings.quality("draft", fps=24.0, sleep=True))
    frames = [run.advance_frame() for _ in range(72)]
    assert frames[-1].report.asleep == 1
    assert np.array_equal(frames[-1].positions["rope"], frames[-2].positions["rope"])
    for _ in range(24):
        frame = run.advance_frame()
    assert frame.report.asleep == 0
    assert frame.positions["rope"][0, 2] > RADIUS + 0.03


def writhe(x: np.ndarray) -> float:
    """Gauss' integral of a curve over itself, by the midpoints of its segments."""
    d, middle = np.diff(x, axis=0), 0.5 * (x[1:] + x[:-1])
    r = middle[:, None] - middle
    length = np.linalg.norm(r, axis=2) + np.eye(len(r))
    triple = np.einsum("ijk,ijk->ij", np.cross(d[:, None], d[None]), r)
    return float((triple / length**3).sum() / (4 * np.pi))


@pytest.mark.slow
def test_a_hose_whose_end_turns_forms_a_loop():
    """Three turns of an end of a slack hose, whose ends stay at 70 % of its length: it exchanges twist for a loop, a writhe
    of one and more, as a phone cord, and does not pass through itself: segments eight and more apart keep 97 % of two radii
    in every frame. Without turns it stays an arch, of a writhe near nothing."""
    n, length, seconds = 100, 1.0, 2.0
    x, edges = line(n, length)
    x[:, 2] = 1e-3 * np.sin(np.pi * x[:, 0] / length)
    writhes = {}
    for turns in (0, 3):
        ends = x[[0, 1, n - 1, n]]
        pins = Pins(
            [0, 1, n - 1, n], targets=lambda t, e=ends: e - np.outer([0, 0, 1, 1], [0.3 * min(t / seconds, 1.0), 0, 0])
        )
        material = Material.rope(DENSITY, 1e7, 1e6, 8e5, damping=0.02, friction=0.1)
        rope = Rope("hose", x, edges, RADIUS, material, pins)
        run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings.quality("draft", fps=24.0, damping=3.0))
        for frame in range(72):
            turn = 2 * np.pi * turns * min(frame / 48, 1.0)
            end = run.advance_frame(FrameInputs(values={"hose": {"turn_end": turn}})).positions["hose"].astype(float)
            assert least_distance(end, edges, 8) > 0.97 * 2 * RADIUS
        writhes[turns] = abs(writhe(end))
    assert writhes[0] < 0.1
    assert writhes[3] > 1.0
