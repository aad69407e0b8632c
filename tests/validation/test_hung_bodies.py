"""Rigid bodies on ropes against mechanics: pendulum, load of a crane, bridge, and momentum of what nothing holds."""

import numpy as np
import pytest

from solver import Settings, Simulation
from tests.scenes.hung import AREA, BALL, GRAVITY, LENGTH, bridge, pair, pendulum


def started(scene, damping=0.0, quality="draft", **changes):
    return Simulation(scene, Settings.quality(quality, damping=damping, threads=1, **changes))


def slow_period(mass, inertia):
    """Period of small swings of a ball on a rope without mass [s], as a double pendulum."""
    inertias = mass * np.array([[LENGTH**2, LENGTH * BALL], [LENGTH * BALL, BALL**2 + inertia / mass]])
    weights = mass * GRAVITY * np.array([LENGTH, BALL])
    squares = np.linalg.eigvals(np.linalg.solve(inertias, np.diag(weights)))
    return 2 * np.pi / np.sqrt(squares.real.min())


def energy(run, modulus):
    """Energy of motion, of height and of the rope's stretch [J]."""
    rigid, state, count = run.state.rigid, run.state, len(run.model.parts[0].body.vertices)
    x, v, m = state.x[:count, :3] + state.remainder[:count].astype(float), state.v[:count].astype(float), run.model.mass
    rest = LENGTH / (count - 1)
    longer = np.linalg.norm(np.diff(x, axis=0), axis=1) - rest
    heights = m[:count] @ x[:, 2] + rigid.mass @ rigid.centre[:, 2]
    stretched = modulus * AREA / rest / 2 * (longer**2).sum()
    return rigid.kinetic_energy() + 0.5 * (m[:count] @ (v**2).sum(1)) + GRAVITY * heights + stretched


@pytest.mark.slow
def test_a_ball_on_a_rope_swings_in_the_time_of_a_pendulum_without_gaining_energy():
    """A percent of the period of 0.2 rad, by its first two passages; backward Euler loses 3 % of the energy a second. The
    energy rises by rounding of heights in single precision, a thousandth of that of the swing, at most."""
    angle, modulus = 0.2, 1e9
    run = started(pendulum(angle, 1.0, modulus))
    x, energies = [], []
    for _ in range(42):
        run.advance_frame()
        x.append(run.state.rigid.centre[0, 0] + run.model.origin[0])
        energies.append(energy(run, modulus))
    x = np.array(x)
    before = np.flatnonzero((x[:-1] > 0) != (x[1:] > 0))
    passages = (before + x[before] / (x[before] - x[before + 1])) / 24
    wanted = slow_period(1.0, float(run.model.rigid[0].inertia.mean())) * (1 + angle**2 / 16)
    assert 2 * (passages[1] - passages[0]) == pytest.approx(wanted, rel=0.01)
    swing = GRAVITY * (LENGTH + BALL) * (1 - np.cos(angle))
    assert np.diff(energies).max() < 1e-3 * swing
    assert energies[-1] > energies[0] - 0.1 * swing


def test_a_load_of_a_crane_stretches_its_rope_by_its_weight():
    """A percent of the stretch F l / EA, and of the weight in the tie; 100 kg on vertices of 10 g."""
    mass, modulus = 100.0, 1e11
    run = started(pendulum(0.0, mass, modulus, density=4000.0), damping=4.0)
    for _ in range(8):
        x = run.advance_frame().positions["rope"].astype(float)
    assert run.model.mass[1] < 1.1e-4 * mass
    wanted = mass * GRAVITY / (modulus * AREA) * LENGTH
    assert np.linalg.norm(np.diff(x, axis=0), axis=1).sum() - LENGTH == pytest.approx(wanted, rel=0.01)
    assert run.state.rigid.tie_forces[0, 2] == pytest.approx(-mass * GRAVITY, rel=0.01)


def test_a_tie_keeps_the_place_of_a_vertex_at_its_body():
    """A hundredth of a millimetre, a thousandth of the distance that the ball keeps, of what turns by radians."""
    run = started(pendulum(1.0, 1.0, 1e9))
    for _ in range(9):
        positions = run.advance_frame().positions
        assert np.linalg.norm(positions["rope"][-1] - positions["ball"][0]) < 1e-5
    assert np.linalg.norm(run.state.rigid.velocity) > 1.0


@pytest.mark.slow
def test_a_bridge_of_planks_hangs_as_a_catenary():
    """2 % of the sag, of planks every fifth segment in place of a load along the rope; ties bear the weight to 1 %."""
    parameter, span = 0.8, 1.6
    scene, start = bridge(40, 2, parameter, span, 1e9)
    run = started(scene, damping=4.0)
    for _ in range(24):
        x = run.advance_frame().positions["left"].astype(float)
    sag = -start[:, 2].min()
    assert -x[:, 2].min() == pytest.approx(sag, rel=0.02)
    assert np.abs(x - start).max() < 0.02 * sag
    weight = GRAVITY * sum(shape.mass for shape in run.model.rigid)
    assert -run.state.rigid.tie_forces[:, 2].sum() == pytest.approx(weight, rel=0.01)


def momenta(run):
    """Momentum [kg m/s] and angular momentum [kg m^2/s] of a rope and its bodies."""
    rigid, state, count = run.state.rigid, run.state, len(run.model.parts[0].body.vertices)
    m, v = run.model.mass[:count], state.v[:count].astype(float)
    x = state.x[:count, :3] + state.remainder[:count].astype(float)
    of_rope = m @ v, m @ np.cross(x, v)
    orbit = rigid.mass @ np.cross(rigid.centre, rigid.velocity)
    return of_rope[0] + rigid.mass @ rigid.velocity, of_rope[1] + orbit + rigid.spin.sum(0)


def test_two_balls_on_a_rope_keep_their_momenta():
    """1e-4 of the momentum of one, by single precision; angular momentum but for what backward Euler takes from an orbit:
    omega^2 h a second at most."""
    spin, seconds = 3.0, 0.25
    run = started(pair(spin))
    before = momenta(run)
    for _ in range(int(24 * seconds)):
        run.advance_frame()
    after = momenta(run)
    assert np.linalg.norm(after[0] - before[0]) < 1e-4 * spin
    lost = np.linalg.norm(after[1] - before[1]) / np.linalg.norm(before[1])
    assert lost < spin**2 * run.model.h * seconds
