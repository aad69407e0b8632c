"""Ropes against theory: stretch under load, catenary, elastica, buckling of rods and twisted rings, torque round a bend."""

import numpy as np
import pytest

from solver import FrameInputs, Material, Pins, Region, Rope, Scene, Settings, Simulation, load_material

RADIUS, DENSITY = 0.005, 1000.0
AREA, MOMENT = np.pi * RADIUS**2, 0.25 * np.pi * RADIUS**4


def line(segments, length, direction=(1.0, 0.0, 0.0)):
    x = np.linspace(0, length, segments + 1)[:, None] * np.array(direction)
    return x, np.stack([np.arange(segments), np.arange(1, segments + 1)], 1)


def ring(segments, radius):
    angle = 2 * np.pi * np.arange(segments) / segments
    x = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    return x, np.stack([np.arange(segments), (np.arange(segments) + 1) % segments], 1)


def simulation(rope, frames, damping=4.0, **scene):
    run = Simulation(Scene([rope], **scene), Settings(substeps=10, damping=damping))
    for _ in range(frames):
        frame = run.advance_frame()
    return run, frame.positions[rope.name]


def test_a_hung_rope_stretches_as_its_modulus_says():
    """1 % of the extension by its own weight and by a load of 5e4 times the mass of a vertex: 1000 segments, *Draft*'s
    substeps; the motion that is left after 60 frames swings by half of it."""
    x, edges = line(1001, 10.01, (0, 0, -1.0))
    load = Material.rope(DENSITY * 1e5, 1e9, name="load")
    material = Material.rope(DENSITY, 1e9)
    rope = Rope("rope", x, edges, RADIUS, material, pins=Pins([0]), regions=[Region([1000], load)], self_contact=False)
    _, end = simulation(rope, 60)
    weight = 9.81 * AREA * DENSITY
    theory = (weight * 1e5 * 0.01 * 10.0 + weight * 10.0**2 / 2) / (1e9 * AREA)
    assert -end[1000, 2] - 10.0 == pytest.approx(theory, rel=0.01)


def catenary_sag(span, length):
    low, high = 0.05 * span, 100 * span
    for _ in range(200):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2 * a * np.sinh(span / 2 / a) > length else (low, a)
    return low * (np.cosh(span / 2 / low) - 1)


def test_a_slack_chain_hangs_as_a_catenary():
    """0.1 % of the sag: a polygon of 100 links."""
    n, span = 100, 0.8
    s = np.linspace(0, 1, n + 1)
    sag = catenary_sag(span, 1.0)
    x = np.stack([span * s, 0 * s, -4 * sag * s * (1 - s)], 1)
    rest, edges = line(n, 1.0)
    rope = Rope("rope", x, edges, RADIUS, Material.rope(DENSITY, 1e8), Pins([0, n]), rest_vertices=rest, self_contact=False)
    _, end = simulation(rope, 120, damping=6.0)
    assert -end[n // 2, 2] == pytest.approx(sag, rel=0.001)


def elastica_tip(length, load_over_bending):
    """Deflection of a horizontal cantilever under its own weight [m], by shooting with a fine step: theta'' = -q s cos
    theta / B, s from the free end."""

    def clamp(angle):
        steps = 20000
        ds, theta, bend, z = length / steps, angle, 0.0, 0.0
        for k in range(steps):
            middle = bend + 0.5 * ds * load_over_bending * k * ds * np.cos(theta)
            theta_middle = theta - 0.5 * ds * bend
            bend += ds * load_over_bending * (k + 0.5) * ds * np.cos(theta_middle)
            theta -= ds * middle
            z += ds * np.sin(theta_middle)
        return theta, z

    low, high = 0.0, 1.5
    for _ in range(40):
        angle = 0.5 * (low + high)
        low, high = (angle, high) if clamp(angle)[0] < 0 else (low, angle)
    return clamp(low)[1]


@pytest.mark.parametrize("n", [16, 64, pytest.param(256, marks=pytest.mark.long)])
def test_a_clamped_rope_sags_as_an_elastica_at_any_number_of_segments(n):
    """1 % of the tip's deflection, 0.19 of the length, at 16, 64 and 256 segments: the error is of second order."""
    theory = elastica_tip(1.0, DENSITY * AREA * 9.81 / (1e9 * MOMENT))
    x, edges = line(n + 1, 1.0 + 1.0 / n)
    material = Material.rope(DENSITY, 1e9, 1e9, 4e8, damping=0.05)
    rope = Rope("rope", x - [1.0 / n, 0, 0], edges, RADIUS, material, Pins([0, 1]), self_contact=False)
    _, end = simulation(rope, 60)
    assert -end[-1, 2] == pytest.approx(theory, rel=0.01)


def deflection_under(share, clamped, frames=60):
    """Largest deflection [m] of a rod whose ends are held nearer to each other, by this share of Euler's load over EA; 2e-4
    m at the start. clamped: whether the ends keep their direction."""
    n, length, young, bending = 40, 0.4, 2e6, 1e7  # soft along itself: float32 resolves its shortening
    step, ends = length / n, int(clamped)  # one more segment at each end of a clamped rod holds its direction
    load = (4 if clamped else 1) * np.pi**2 * bending * MOMENT / length**2
    rest, edges = line(n + 2 * ends, length + 2 * ends * step)
    x = rest - [ends * step, 0, 0]
    x[:, 0] = np.clip(x[:, 0], 0, length) * (1 - share * load / (young * AREA)) + x[:, 0] - np.clip(x[:, 0], 0, length)
    x[:, 2] = 2e-4 * np.sin(np.pi * np.clip(np.arange(-ends, n + ends + 1) / n, 0, 1)) ** (1 + ends)
    held = [0, n] if not clamped else [0, 1, n + 1, n + 2]
    material = Material.rope(DENSITY, young, bending, 4e6)
    rope = Rope("rod", x, edges, RADIUS, material, Pins(held), rest_vertices=rest, self_contact=False)
    _, end = simulation(rope, frames, damping=2.0, gravity=(0, 0, 0))
    return np.abs(end[:, 1:]).max()


@pytest.mark.parametrize("clamped", [False, True])
def test_a_rod_buckles_at_the_load_of_euler(clamped):
    """3 %: pi^2 EI / L^2 between pinned ends and four times that between clamped ones. Below it a disturbance dies out,
    above it grows tenfold."""
    assert deflection_under(0.97, clamped) < 1e-4
    assert deflection_under(1.03, clamped) > 1.5e-3


def flatness_after(share, frames=75):
    """Root mean square distance from its plane [m] of a ring with this share of the critical twist; 1e-4 m at the start."""
    n, bending, twist = 48, 1e7, 8e6
    x, edges = ring(n, 0.2)
    x[:, 2] = 1e-4 * np.sin(4 * np.pi * np.arange(n) / n)
    material = Material.rope(DENSITY, 1e9, bending, twist)
    rope = Rope("rope", x, edges, RADIUS, material, self_contact=False)
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings(substeps=10, damping=1.0))
    run.state.rods.joint_rest[-1, 2] -= share * 2 * np.pi * np.sqrt(3) * bending / (2 * twist)  # cut, twisted, glued
    for _ in range(frames):
        end = run.advance_frame().positions["rope"]
    return np.linalg.svd(end - end.mean(0))[1][2] / np.sqrt(n)


def test_a_twisted_ring_buckles_at_the_critical_twist():
    """5 %: Michell 1889 and Greenhill 1889, 2 pi sqrt(3) EI / GJ. Below it a disturbance dies out, above it grows."""
    assert flatness_after(0.95) < 5e-5
    assert flatness_after(1.05) > 1e-3


def test_a_bent_rope_passes_its_twist_on_round_the_bend():
    """A straight rope bent to a half circle, whose one end is turned: the twist is uniform to 1 %, and its torque GJ / L
    times the turn to 5 %, because the bend leaves its plane a little."""
    n = 60
    angle = np.pi * np.arange(n + 1) / n
    x = 0.3 * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    edges = np.stack([np.arange(n), np.arange(1, n + 1)], 1)
    pins = Pins([0, 1, n - 1, n])
    material = Material.rope(DENSITY, 1e9, 1e7, 4e6, damping=0.05)
    rope = Rope("rope", x, edges, RADIUS, material, pins, turn_end=0.3, self_contact=False)
    run, _ = simulation(rope, 24, gravity=(0, 0, 0))
    rods = run.state.rods
    torque = rods.joint_rest[:, 1] * (rods.twist - rods.joint_rest[:, 2])
    assert np.ptp(torque) < 0.01 * torque.mean()
    assert torque.mean() == pytest.approx(4e6 * 2 * MOMENT / (0.3 * np.pi * (n - 2) / n) * 0.3, rel=0.05)


def sprung_back(curvature, hardening, n=40, yield_curvature=3.0, **rope):
    """Curvatures at the joints [1/m] of a wire that is let go as an arc and comes to rest; its bends."""
    step = 0.02
    angle = curvature * step * np.arange(n + 1)
    x = np.stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)], 1) / curvature
    x, edges = x * step / np.linalg.norm(x[1] - x[0]), np.stack([np.arange(n), np.arange(1, n + 1)], 1)
    bending = {"bending": 1e10, "twist": 4e9, "yield_curvature": yield_curvature, "hardening": hardening, "damping": 0.01}
    stretch = {"rod_stretch": {"young": 1e10, "damping": 0.0}}
    material = Material("wire", "rope", 8000.0, energies={**stretch, "yielding_rod": bending})
    wire = Rope("rope", x, edges, RADIUS, material, rest_vertices=line(n, n * step)[0], self_contact=False, **rope)
    _, end = simulation(wire, 48, damping=8.0, gravity=(0, 0, 0))
    e = np.diff(end, axis=0)
    t = e / np.linalg.norm(e, axis=1)[:, None]
    return 2 * np.tan(0.5 * np.arccos(np.clip((t[1:] * t[:-1]).sum(1), -1, 1))) / step


@pytest.mark.parametrize("hardening", [0.0, 0.25])
def test_a_bent_wire_springs_back_by_its_yield_curvature(hardening):
    """1 %: bent to a curvature c beyond the yield, it keeps (c - c_y) / (1 + H) at every joint; within the yield nothing."""
    kept = sprung_back(8.0, hardening)
    assert kept == pytest.approx((8.0 - 3.0) / (1 + hardening), rel=0.01)
    assert np.abs(sprung_back(2.9, hardening)).max() < 0.03


def test_a_wire_keeps_the_same_bend_at_any_number_of_segments():
    """1 %: half as many segments of the same length in all, of the yield curvature in 1/m."""
    assert np.median(sprung_back(6.0, 0.1, n=20)) == pytest.approx((6.0 - 3.0) / 1.1, rel=0.01)


def test_a_free_coil_keeps_momentum_and_angular_momentum():
    """1e-3 of what a bent, twisted rope that is let go has in its parts: frames take up torques, and give them back."""
    n = 40
    angle = 2.5 * np.pi * np.arange(n + 1) / n
    x = np.stack([0.1 * np.cos(angle), 0.1 * np.sin(angle), 0.05 * angle], 1)
    edges = np.stack([np.arange(n), np.arange(1, n + 1)], 1)
    material = Material.rope(DENSITY, 1e8, 1e7, 4e6)
    rope = Rope("rope", x, edges, RADIUS, material, self_contact=False)
    run = Simulation(Scene([rope], gravity=(0, 0, 0)), Settings(substeps=20))
    for _ in range(4):
        run.advance_frame()
    m, v, at = run.model.mass[:, None], run.state.v[: n + 1], run.state.x[: n + 1, :3]
    spin = m * np.cross(at - (m * at).sum(0) / m.sum(), v)
    assert np.linalg.norm((m * v).sum(0)) < 1e-3 * np.linalg.norm(m * v, axis=1).sum()
    assert np.linalg.norm(spin.sum(0)) < 1e-3 * np.linalg.norm(spin, axis=1).sum()


def test_a_wire_that_has_flowed_continues_from_a_checkpoint_with_the_same_bits():
    def wire():
        x, edges = line(30, 4.0)
        rope = Rope("wire", x, edges, 0.001, load_material("steel_wire"), Pins([0, 1]), self_contact=False)
        return Simulation(Scene([rope]), Settings.quality("draft"))

    one, other = wire(), wire()
    for _ in range(20):
        one.advance_frame()
    assert one.state.rods.flowed.max() > 0
    other.restore(one.snapshot())
    for _ in range(3):
        ends = [run.advance_frame().positions["wire"] for run in (one, other)]
    assert np.array_equal(*ends)


def twisted_wire(turn, n=20):
    """A straight wire of 0.4 m, pinned at both ends, after one end was turned and turned back [rad]; its frames."""
    x, edges = line(n, 0.4)
    bending = {"bending": 1e10, "twist": 4e9, "yield_curvature": 3.0, "hardening": 0.0, "damping": 0.01}
    stretch = {"rod_stretch": {"young": 1e10, "damping": 0.0}}
    material = Material("wire", "rope", 8000.0, energies={**stretch, "yielding_rod": bending})
    wire = Rope("rope", x, edges, RADIUS, material, Pins([0, 1, n - 1, n]), self_contact=False)
    run = Simulation(Scene([wire], gravity=(0, 0, 0)), Settings(substeps=10, damping=4.0))
    for share in (*np.linspace(0.1, 1, 10), *np.linspace(0.9, 0, 10)):
        run.advance_frame(FrameInputs(values={"rope": {"turn_end": turn * share}}))
    return run.state.rods


def test_a_twisted_wire_keeps_what_goes_beyond_its_torque():
    """Its torque is at most pi / (2 sqrt(3)) of its largest moment (von Mises), so that of a turn all but that torque's
    elastic part stays; 1 % for the uneven shares of joints. Below it nothing stays."""
    length = 0.4 * 18 / 20
    limit = 0.5 * np.pi / np.sqrt(3) * 3.0 * 1e10 / (2 * 4e9) * length
    assert twisted_wire(0.9 * limit).flowed[:, 1].max() == 0
    rods = twisted_wire(2.5 * limit)
    assert rods.flowed[:, 1].sum() == pytest.approx(2.0 * limit, rel=0.05)


def test_the_report_has_the_curvature_that_a_wire_keeps():
    """An arc of 8 1/m with a yield at 3 keeps 5; at its vertices, 0 at the ends. 5 %: the flow of a few substeps."""
    n, step = 20, 0.02
    angle = 8.0 * step * np.arange(n + 1)
    x = np.stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)], 1) / 8.0
    bending = {"bending": 1e10, "twist": 4e9, "yield_curvature": 3.0, "hardening": 0.0, "damping": 0.01}
    stretch = {"rod_stretch": {"young": 1e10, "damping": 0.0}}
    material = Material("wire", "rope", 8000.0, energies={**stretch, "yielding_rod": bending})
    edges = np.stack([np.arange(n), np.arange(1, n + 1)], 1)
    wire = Rope("rope", x, edges, RADIUS, material, rest_vertices=line(n, n * step)[0], self_contact=False)
    run = Simulation(Scene([wire], gravity=(0, 0, 0)), Settings(substeps=10, damping=8.0))
    frame = run.advance_frame()
    strains = run.plastic_strains["rope"]
    assert frame.report.plastic_curvature == pytest.approx(5.0, rel=0.05)
    assert strains[0] == strains[-1] == 0 and np.median(strains[1:-1]) == pytest.approx(5.0, rel=0.05)
