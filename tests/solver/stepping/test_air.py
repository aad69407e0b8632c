"""Wind on surfaces and ropes against the formulas of a flat plate and of a round line."""

import numpy as np
import pytest

from solver import Material, Response, Rope, Scene, Simulation
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.scenes.ropes import line
from tests.validation.meshes import grid

DENSITY = 1.2  # of the air, kg/m^3


def sheet(weight):
    """2 m by 3 m in the xy plane; weight in kg/m^2."""
    return plain_cloth("sheet", *grid(5, 4, 2.0, 3.0), Material.fabric(weight, 1000, 300))


@pytest.mark.parametrize("angle", [0, 30, 75, 140])
@pytest.mark.parametrize(("drag", "lift"), [(1.3, 0.0), (0.0, 0.7), (1.0, 0.5)])
def test_wind_pushes_a_heavy_sheet_as_a_flat_plate(angle, drag, lift):
    """1e-5 of the force of a wind across it, 90 N: a substep pushes 6 t to 4e-6 of the wind. The drag is
    rho / 2 A |u.n| u; the lift is at right angles to the wind, towards the side that the wind leaves, and the sine of the
    angle between wind and normal times as large. Every vertex moves alike, so it stays a plate."""
    a, speed, area = np.radians(angle), 5.0, 6.0
    wind, normal = speed * np.array([np.sin(a), 0, np.cos(a)]), np.array([0, 0, np.sign(np.cos(a))])
    scene = Scene([sheet(1e3)], gravity=(0, 0, 0), wind=wind, air_density=DENSITY, drag=drag, lift=lift)
    sim = Simulation(scene, plain_settings(fps=1000, substeps=1, dtype="float64"))
    force = np.array(sim.advance_frame().report.momentum) * 1000
    across = speed * normal - np.abs(wind @ normal) * wind / speed
    wanted = DENSITY / 2 * area * abs(wind[2]) * (drag * wind + lift * across)
    assert force == pytest.approx(wanted, abs=1e-5 * DENSITY / 2 * area * speed**2)
    assert across @ wind == pytest.approx(0, abs=1e-12)
    assert np.ptp(sim.state.v[:30], axis=0).max() < 1e-9 * speed


def falling(frames, **settings):
    """Speeds of the vertices of a flat sheet that falls through air, frame by frame [m/s], and its terminal speed: drag
    carries the weight at v^2 = 2 m g / (rho A drag); lift has no share in a fall along the normal."""
    weight, drag = 0.2, 1.3
    scene = Scene([sheet(weight)], air_density=DENSITY, drag=drag, lift=0.5)
    sim = Simulation(scene, plain_settings(iterations=1, **settings))
    speeds = []
    for _ in range(frames):
        sim.advance_frame()
        speeds.append(-sim.state.v[:30, 2].astype(float))
    return np.array(speeds), np.sqrt(2 * weight * 9.81 / (DENSITY * drag))


@pytest.mark.parametrize("substeps", [1, 8])
@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_flat_sheet_falls_at_its_terminal_speed(integrator, substeps):
    """Whatever the substep. 2e-4: after six times v / g the rest is exp(-12), 1e-4 with one substep of BDF2."""
    speeds, terminal = falling(32, substeps=substeps, integrator=integrator)
    assert speeds[-1] == pytest.approx(terminal, rel=2e-4)


def test_a_fall_in_air_is_of_second_order():
    """v tanh(g t / v) of the terminal speed v: half the substep leaves a quarter of the error, measured 1 / 3.9."""
    error = []
    for substeps in (4, 8):
        speeds, terminal = falling(12, substeps=substeps, integrator="bdf2")
        wanted = terminal * np.tanh(9.81 / terminal * np.arange(1, 13) / 24)
        error.append(np.abs(speeds - wanted[:, None]).max())
    assert error[1] < error[0] / 3.5
    assert error[1] < 1e-3


@pytest.mark.parametrize("wind", [3.0, 30.0])
def test_a_wind_takes_a_free_sheet_along_to_its_own_speed_and_no_further(wind):
    """2 %, 1.4 % measured: the rest falls as 1 / t, since the drag falls with the square of the relative velocity. At 30
    m/s the drag alone would take four times the relative velocity in the first substep."""
    scene = Scene([sheet(0.1)], gravity=(0, 0, 0), wind=(0, 0, wind), air_density=DENSITY)
    sim = Simulation(scene, plain_settings(substeps=2, iterations=2))
    for _ in range(96):
        sim.advance_frame()
    v = sim.state.v[:30, 2]
    assert (v < wind).all() and v == pytest.approx(wind, rel=0.02)


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_storm_takes_the_lightest_sheet_along_and_never_past_the_wind(integrator):
    """1e-4: rounding. In one substep a frame drag would take fifty times the velocity that the sheet has to the wind."""
    scene = Scene([sheet(0.02)], gravity=(0, 0, 0), wind=(0, 0, 40.0), air_density=DENSITY)
    sim = Simulation(scene, plain_settings(substeps=1, iterations=2, integrator=integrator))
    before = 0.0
    for _ in range(8):
        sim.advance_frame()
        speeds = sim.state.v[: sim.model.n_vertices, 2]
        assert before < speeds.min() and speeds.max() < 40.0 * (1 + 1e-4)
        before = speeds.min()
    assert before > 20.0


def rope(density, direction=(1.0, 0.0, 0.0), radius=0.01, **fields):
    """20 segments, 3 m."""
    return Rope("rope", *line(20, 3.0, direction), radius, Material.rope(density, 1e9), **fields)


@pytest.mark.parametrize("angle", [0, 20, 55, 90])
def test_wind_pushes_a_heavy_rope_as_a_round_line(angle):
    """1e-5 of the force of a wind across it: a substep pushes a rope of 9 t to 3e-6 of the wind. Across, rho / 2 d l drag
    |u_a| u_a; along, 0.02 drag of the shear on the circumference pi d l. Every vertex moves alike; lift has no share."""
    a, speed, diameter, length, drag = np.radians(angle), 6.0, 0.02, 3.0, 1.1
    along = np.array([np.cos(a), 0, np.sin(a)])
    scene = Scene([rope(1e7, along)], gravity=(0, 0, 0), wind=(speed, 0, 0), air_density=DENSITY, drag=drag, lift=0.7)
    sim = Simulation(scene, plain_settings(fps=1000, substeps=1, dtype="float64"))
    force = np.array(sim.advance_frame().report.momentum) * 1000
    shares = speed * np.cos(a) * along, speed * (np.array([1.0, 0, 0]) - np.cos(a) * along)
    parts = [np.linalg.norm(share) * share for share in shares]
    wanted = DENSITY / 2 * diameter * length * drag * (0.02 * np.pi * parts[0] + parts[1])
    assert force == pytest.approx(wanted, abs=1e-5 * DENSITY / 2 * diameter * length * drag * speed**2)
    assert np.ptp(sim.state.v[:21], axis=0).max() < 1e-9 * speed


@pytest.mark.parametrize(("direction", "coefficient"), [((1, 0, 0), 1.3), ((0, 0, 1), 1.3 * 0.02 * np.pi)])
def test_a_rope_falls_at_its_terminal_speed(direction, coefficient):
    """2e-4, as a sheet: level across its length, plumb along it, where it falls four times as fast."""
    density, radius = 20.0, 0.01
    scene = Scene([rope(density, direction, radius)], air_density=DENSITY, drag=1.3)
    sim = Simulation(scene, plain_settings(iterations=1, substeps=2))
    for _ in range(140):
        sim.advance_frame()
    terminal = np.sqrt(np.pi * radius * density * 9.81 / (DENSITY * coefficient))
    assert -sim.state.v[:21, 2] == pytest.approx(terminal, rel=2e-4)


def test_a_rope_with_its_own_air_feels_no_wind():
    """A rope in a vacuum stays, one beside it without numbers of its own moves."""
    still = rope(100.0, response=Response(air_density=0.0))
    other = Rope("other", still.vertices + [0, 1, 0], still.edges, 0.01, still.material)
    sim = Simulation(Scene([still, other], gravity=(0, 0, 0), wind=(0, 0, 5.0)), plain_settings())
    sim.advance_frame()
    assert np.abs(sim.state.v[:21, 2]).max() < 1e-6 and sim.state.v[21:42, 2].min() > 1e-3
