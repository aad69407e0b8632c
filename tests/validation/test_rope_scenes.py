"""Ropes in scenes: knots, a net, a cord, a bundle, and motion against mechanics. Counts share no code with the solver."""

import numpy as np
import pytest

from solver import Cloth, Collider, Material, Pins, Region, Rigid, Rope, Scene, Settings, Simulation, Tie
from tests.scenes.meshes import tube
from tests.scenes.ropes import (
    chain,
    clove_hitch,
    cylinder,
    figure_eight,
    least_distance,
    least_distance_between,
    line,
    net,
    resampled,
)
from tests.scenes.spheres import icosphere

RADIUS, DENSITY = 0.005, 1000.0
AREA = np.pi * RADIUS**2


def ramped(start, way, seconds):
    """Targets that go `way` (k, 3) [m] from their start in so many seconds."""
    return lambda t: start + way * min(t / seconds, 1.0)


@pytest.mark.long
def test_a_figure_eight_pulled_tight_stays_a_knot():
    """Segments eight and more apart keep 97 % of two radii in every frame, under 100 N and more; the knot takes length."""
    x, edges = figure_eight(0.1, 0.25, 0.006)
    n, way = len(edges), (x[0] - x[-1]) / np.linalg.norm(x[0] - x[-1])
    pins = Pins([0, n], targets=ramped(x[[0, n]], 0.68 * np.stack([way, -way]), 3.0))
    material = Material.rope(DENSITY, 1e8, 5e5, 2e5, damping=0.005, friction=0.3)
    run = Simulation(
        Scene([Rope("rope", x, edges, RADIUS, material, pins=pins)], gravity=(0, 0, 0)),
        Settings.quality("draft", damping=2.0),
    )
    for _ in range(76):
        end = run.advance_frame().positions["rope"].astype(float)
        assert least_distance(end, edges, 8) > 0.97 * 2 * RADIUS
    assert 100 < run.tensions["rope"][1] < 5000
    assert np.linalg.norm(end[0] - end[n]) < np.linalg.norm(np.diff(end, axis=0), axis=1).sum() - 0.05


@pytest.mark.long
def test_a_net_catches_a_ball():
    """A ball of 1 kg as wide as two meshes falls onto a net that is pinned at its rim: every segment stays out of the ball,
    but for 3 % of both radii, in every frame, and the ball stays above the net's lowest vertex."""
    x, edges = net(8, 0.4, 5)
    rim = np.flatnonzero(np.abs(x[:, :2]).max(1) > 0.199)
    material = Material.rope(DENSITY, 2e7, 1e5, 4e4, damping=0.01, friction=0.4)
    ball, triangles = icosphere(3, 0.05)
    centre = np.array([0.013, 0.008, 0.1])
    rigid = Rigid("ball", ball + centre, triangles, mass=1.0)
    run = Simulation(
        Scene([Rope("net", x, edges, 0.002, material, pins=Pins(rim)), rigid]), Settings.quality("draft", damping=1.0)
    )
    for _ in range(48):
        frame = run.advance_frame()
        end, now = frame.positions["net"].astype(float), frame.positions["ball"].astype(float).mean(0)
        p, q = end[edges[:, 0]], end[edges[:, 1]]
        along = np.clip(((now - p) * (q - p)).sum(1) / ((q - p) ** 2).sum(1), 0, 1)[:, None]
        distance = np.linalg.norm(p + along * (q - p) - now, axis=1).min()
        assert distance > 0.97 * (0.05 + 0.002)
    assert now[2] > end[:, 2].min() and -0.3 < now[2] < 0.05


@pytest.mark.long
def test_a_cord_closes_a_bag():
    """A cord around a tube of cloth, whose ends are drawn apart: nothing passes through anything, and the neck becomes less
    than two thirds as wide."""
    cloth, triangles = tube(48, 24, 0.08, 0.24)
    cloth = cloth - [0, 0, cloth[:, 2].mean()]
    held = np.flatnonzero(cloth[:, 2] < cloth[:, 2].min() + 1e-6)
    angle = np.linspace(-0.62 * np.pi, 1.62 * np.pi, 300)
    around = 0.08 + 0.008
    winding = np.stack([around * np.cos(angle), around * np.sin(angle), 0.018 * angle / np.pi + 0.01], 1)
    tails = [end + np.linspace(0.01, 0.25, 40)[:, None] * way for end, way in _tangents(winding)]
    x, edges = resampled(np.concatenate([tails[0][::-1], winding, tails[1]]), 0.008)
    n, ways = len(edges), np.stack([x[0] - x[1], x[-1] - x[-2]])
    ways = 0.12 * ways / np.linalg.norm(ways, axis=1)[:, None]
    material = Material.rope(DENSITY, 1e7, 5e4, 2e4, damping=0.01, friction=0.1)
    cord = Rope("cord", x, edges, 0.003, material, pins=Pins([0, n], targets=ramped(x[[0, n]], ways, 1.5)))
    bag = Cloth("bag", cloth, triangles, Material.fabric(0.2, 400.0, 100.0, friction=0.2), pins=Pins(held))
    run = Simulation(Scene([bag, cord], gravity=(0, 0, 0)), Settings.quality("draft", damping=2.0))
    for _ in range(40):
        frame = run.advance_frame()
        assert frame.report.intersections == 0
        assert least_distance(frame.positions["cord"].astype(float), edges, 6) > 0.95 * 2 * 0.003
    end = frame.positions["bag"]
    neck = end[np.abs(cloth[:, 2] - 0.02) < 0.006]
    assert np.linalg.norm(neck[:, :2] - neck[:, :2].mean(0), axis=1).mean() < 0.66 * 0.08


def _tangents(points):
    """Ends of a polygon and the directions in which they leave it."""
    ways = points[0] - points[1], points[-1] - points[-2]
    return [(end, way / np.linalg.norm(way)) for end, way in zip((points[0], points[-1]), ways, strict=True)]


@pytest.mark.long
def test_ten_ropes_twisted_into_a_bundle_do_not_pass_through_each_other():
    """Their lower ends turn by a turn and a half about the common axis and rise as that shortens them. Ropes keep 97 % of
    the sum of their radii in every frame."""
    n, length, radius = 50, 0.4, 0.004
    places = [(0.006, a) for a in np.arange(3) * 2 * np.pi / 3] + [(0.0155, a) for a in np.arange(7) * 2 * np.pi / 7 + 0.2]
    material = Material.rope(DENSITY, 2e7, 2e5, 8e4, damping=0.01, friction=0.2)
    ropes = []
    for number, (r, a) in enumerate(places):
        x = line(n, length, (0, 0, -1.0))[0] + [r * np.cos(a), r * np.sin(a), 0]

        def turned(t, x=x):
            share = min(t / 1.5, 1.0)
            c, s = np.cos(3 * np.pi * share), np.sin(3 * np.pi * share)
            low = x[[n - 1, n]] @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]) + [0, 0, 0.02 * share]
            return np.concatenate([x[[0, 1]], low])

        ropes.append(Rope(f"rope {number}", x, chain(n), radius, material, pins=Pins([0, 1, n - 1, n], targets=turned)))
    run = Simulation(Scene(ropes), Settings.quality("draft", damping=2.0))
    for _ in range(40):
        end = {name: x.astype(float) for name, x in run.advance_frame().positions.items()}
        for a in range(10):
            for b in range(a):
                x, y = end[f"rope {a}"], end[f"rope {b}"]
                assert least_distance_between(x, chain(n), y, chain(n)) > 0.97 * 2 * radius


def descents(friction, frames):
    """Descent of a load of 1 kg on a clove hitch at each frame [m]; the other end carries a twentieth of it."""
    post, radius, step = 0.03, 0.004, 0.006
    x, edges = clove_hitch(post, radius, (0.12, 0.35), step)
    material = Material.rope(60.0, 2e7, 2e5, 8e4, damping=0.002, friction=friction)  # so light that its weight is nothing
    volume = np.pi * radius**2 * step
    loads = [
        Region([k], material.changed(density=m / volume, name=f"{m} kg")) for k, m in ((0, 1.0), (len(edges) - 1, 0.05))
    ]
    rope = Rope("rope", x, edges, radius, material, regions=loads)
    bollard = Collider("bollard", *cylinder(post, 0.06, 90), friction=friction, thickness=0.0)
    run = Simulation(Scene([rope], [bollard]), Settings.quality("draft", damping=2.0))
    sunk = []
    for _ in range(frames):
        end = run.advance_frame().positions["rope"].astype(float)
        assert least_distance(end, edges, 6) > 0.9 * 2 * radius
        sunk.append(x[0, 2] - end[0, 2])
    return np.array(sunk)


def test_a_rope_tied_to_a_cloth_carries_it():
    """A cloth of 0.1 kg without pins hangs from a rope: every edge stays within 0.5 mm of the hem in every frame."""
    x, edges = line(20, 0.4)
    columns, rows = np.meshgrid(np.linspace(0.05, 0.35, 16), np.linspace(-0.3, 0.0, 16))
    k = (np.arange(15)[:, None] * 16 + np.arange(15)).ravel()
    triangles = np.concatenate([np.stack([k, k + 1, k + 16], 1), np.stack([k + 1, k + 17, k + 16], 1)])
    cloth = np.stack([columns.ravel(), np.full(256, 0.01), rows.ravel()], 1)
    material = Material.rope(DENSITY, 1e9, 1e6, 4e5, damping=0.005)
    rope = Rope("rope", x, edges, 0.004, material, Pins([0, 1, 19, 20]))
    banner = Cloth("banner", cloth, triangles, Material.fabric(1.1, 500.0, 200.0))
    scene = Scene([rope, banner], ties=[Tie("rope", "banner", 0.015, vertices=np.arange(3, 18))])
    run = Simulation(scene, Settings.quality("draft", damping=1.0))
    for _ in range(24):
        at = run.advance_frame().positions
        hem = at["banner"][-16:].astype(float)
        line_now = at["rope"].astype(float)
        assert max(least_distance_between(line_now, edges[[k]], hem, chain(15)) for k in range(4, 16)) < 5e-4


@pytest.mark.long
@pytest.mark.slow
def test_friction_decides_whether_a_hitch_slips():
    """A clove hitch at a coefficient of 0.5 tightens by 12 mm and then creeps by less than 1.5 mm in half a second. At 0.05
    two and a half turns hold twice the weight at the other end by the capstan law: it sinks by 5 mm a frame and more."""
    held, slips = descents(0.5, 36), descents(0.05, 20)
    assert held[-1] < 0.015 and held[-1] - held[-13] < 0.0015
    assert np.diff(slips)[5:].min() > 0.005


def test_a_load_ten_thousand_times_as_heavy_as_its_rope_hangs_as_its_modulus_says():
    """1 % of the extension."""
    n, length = 100, 1.0
    x, edges = line(n, length, (0, 0, -1.0))
    material = Material.rope(DENSITY, 1e10)
    load = material.changed(density=1e4 * DENSITY * n, name="load")
    rope = Rope("rope", x, edges, RADIUS, material, Pins([0]), regions=[Region([n - 1], load)], self_contact=False)
    run = Simulation(Scene([rope]), Settings.quality("draft", damping=6.0))
    for _ in range(60):
        end = run.advance_frame().positions["rope"]
    force = 1e4 * DENSITY * AREA * length * 9.81  # half of the load is at the last but one vertex
    theory = force / (1e10 * AREA) * (length - 0.5 * length / n)
    assert -end[n, 2] - length == pytest.approx(theory, rel=0.01)


def test_a_pendulum_keeps_its_energy_and_its_period():
    """A load on a rope, released at 30 degrees: 2 % of its energy in two swings, and 1 % of the period with the first terms
    of the amplitude."""
    n, length, angle = 20, 1.0, np.pi / 6
    x, edges = line(n, length, (np.sin(angle), 0, -np.cos(angle)))
    material = Material.rope(20.0, 1e9)
    load = material.changed(density=2e6, name="load")
    rope = Rope("rope", x, edges, RADIUS, material, Pins([0]), regions=[Region([n - 1], load)], self_contact=False)
    run = Simulation(Scene([rope]), Settings.quality("draft"))
    arm = length - 0.5 * length / n  # the load is shared by the last two vertices
    inertia_arm = arm + (0.5 * length / n) ** 2 / arm
    period = 2 * np.pi * np.sqrt(inertia_arm / 9.81) * (1 + angle**2 / 16 + 11 * angle**4 / 3072)
    heights, side = [], []
    for _ in range(int(2.2 * period * 24)):
        frame = run.advance_frame()
        heights.append(frame.report.energy)
        side.append(float(frame.positions["rope"][n, 0]))
    side = np.array(side)
    back = 1 + np.flatnonzero((side[:-1] < 0) & (side[1:] >= 0))
    crossing = [k + side[k - 1] / (side[k - 1] - side[k]) for k in back]  # frames after the first one
    assert (crossing[1] - crossing[0]) / 24 == pytest.approx(period, rel=0.01)
    swing = run.model.mass.sum() * 9.81 * arm * (1 - np.cos(angle))
    assert abs(heights[-1] - heights[0]) < 0.02 * swing


def test_the_free_end_of_a_folded_chain_falls_faster_than_a_stone():
    """3 % of the time to fall nine tenths of its length: v^2 = g x (2 L - x) / (L - x) for a chain that keeps its energy,
    held at one end and released with its ends together (Calkin and March 1989, "The dynamics of a falling chain"). A stone
    takes a twelfth longer and more."""
    n, length = 200, 1.0
    half, gap = n // 2, 0.01
    down = np.linspace(0, -0.5 * (length - np.pi * gap / 2), half - 1)
    turn = np.linspace(0, np.pi, 5)[1:-1]
    bend = np.stack([0.5 * gap * (1 - np.cos(turn)), 0 * turn, down[-1] - 0.5 * gap * np.sin(turn)], 1)
    legs = [np.stack([np.full(len(down), px), 0 * down, z], 1) for px, z in ((0, down), (gap, down[::-1]))]
    x, edges = resampled(np.concatenate([legs[0], bend, legs[1]]), length / n)
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1).sum()
    rope = Rope("chain", x, edges, 0.002, Material.rope(DENSITY, 1e9), Pins([0]), self_contact=False)
    run = Simulation(Scene([rope]), Settings.quality("production", fps=240, substeps=6))
    fallen, times = [0.0], [0.0]
    while fallen[-1] < 0.9 * lengths and len(times) < 240:
        fallen.append(-float(run.advance_frame().positions["chain"][-1, 2]))
        times.append(len(times) / 240)
    s = np.linspace(0, 1, 4001)[1:] ** 2 * 0.9 * lengths
    v = np.sqrt(9.81 * s * (2 * lengths - s) / (lengths - s))
    theory = 2 * s[0] / v[0] + np.trapezoid(1 / v, s)
    took = np.interp(0.9 * lengths, fallen, times)
    assert took == pytest.approx(theory, rel=0.03)
    assert took < 0.92 * np.sqrt(2 * 0.9 * lengths / 9.81)
