"""Sampled states, and their table."""

import numpy as np
import pytest

from solver.scene.fabric_table import read_table, write_table
from solver.yarn.fit import convex, energy, fit, slope, turned, value, with_twist
from solver.yarn.plan import PAIRS, Plan, in_middle
from solver.yarn.samples import Sample

PLAN = Plan((0.3, 0.6, 0.2, 400.0, 400.0), both_sides=False)
K = np.array([[300.0, 0.0, 60.0], [0.0, 20.0, 0.0], [60.0, 0.0, 500.0]])
BEND = np.array([4e-6, 7e-6])


def cloth(state, good=True):
    """A sheet of constant stiffness, whose moment along x depends on stretch along x."""
    s = np.asarray(state)
    psi = 0.5 * s[:3] @ K @ s[:3] + 0.5 * BEND @ s[3:] ** 2 + 1e-3 * s[0] * s[3]
    slopes = np.concatenate([K @ s[:3], BEND * s[3:]]) + 1e-3 * np.array([s[3], 0, 0, s[0], 0])
    return Sample(float(psi), slopes, good)


def sampled(plan, missing=()):
    axes = {(k, 0.0): cloth(np.zeros(5)) for k in range(5)}
    pairs = {}
    for chain in plan.axis_chains():
        for strain in chain.strains:
            axes[chain.axis, strain] = cloth(chain.state(strain), (chain.axis, strain) not in missing)
    for chain in plan.pair_chains():
        for strain in chain.strains:
            (k, u), (l, v) = sorted([chain.beside, (chain.axis, strain)])
            pairs[f"{k}{l}", u, v] = cloth(chain.state(strain))
    return axes, pairs


def test_all_states_of_a_table_are_in_a_chain_that_begins_at_a_state_of_an_axis():
    axes, pairs = sampled(PLAN)
    for pair in PAIRS:
        k, l = map(int, pair)
        for u in PLAN.patch_knots(k, pair):
            for v in PLAN.patch_knots(l, pair):
                slack = pair == "02" and u <= 0 and v <= 0
                mirrored = (k == 1 and u < 0) or (l == 1 and v < 0)
                if u != 0.0 and v != 0.0 and not slack and not mirrored:
                    assert (pair, round(float(u), 12), round(float(v), 12)) in pairs
    assert all(chain.beside in axes for chain in PLAN.pair_chains())


def test_a_quadratic_energy_is_its_own_table_in_tension(tmp_path):
    """1e-9 of the energy: cubic splines hold a parabola exactly, mixed terms too; the file's float32 1e-6 of it."""
    table = fit(PLAN, *sampled(PLAN), "it")
    random = np.random.default_rng(0)
    states = random.uniform(0.0, 1.0, (200, 5)) * np.array([0.3, 0.6, 0.2, 400.0, 400.0])
    states[:100, 4] = 0.0
    states[100:, 3] = 0.0
    wanted = np.array([cloth(state).energy for state in states])
    assert energy(table, states) == pytest.approx(wanted, rel=1e-9)
    write_table(tmp_path / "it.npz", table)
    assert energy(read_table(tmp_path / "it.npz"), states) == pytest.approx(wanted, rel=1e-5)
    assert (tmp_path / "it.npz").stat().st_size < 16384


def test_a_table_at_heights_has_the_energy_of_three_strains_that_only_tension_there_couples():
    """1e-9 of the energy: a bent sheet whose yarns bear tension off its middle couples a curvature with each stretch, and
    through them all three; at the heights it is a sum of pairs."""
    heights = (1e-4, -2e-4)
    plan = Plan(PLAN.reach, PLAN.both_sides, heights)
    table = fit(plan, *sampled(plan), "it")
    for state in ((0.1, 0.0, 0.05, 150.0, 0.0), (0.05, 0.0, 0.1, 0.0, -200.0)):
        there = in_middle(state, heights)
        assert energy(table, np.array([there])) == pytest.approx([cloth(state).energy], rel=1e-9)
        assert energy(turned(table), np.array([there])[:, [2, 1, 0, 4, 3]]) == pytest.approx([cloth(state).energy], rel=1e-9)


def test_compression_begins_as_tension_does_and_ends_in_a_constant_force():
    """Contraction under tension is that of the yarns; nowhere near rest is the energy negative."""
    table = fit(PLAN, *sampled(PLAN), "it")
    w = 0.3 / 18.0
    assert slope(table.curves[0], np.array([-w, -2 * w, -0.5])) == pytest.approx(-0.5 * 300.0 * w, rel=1e-9)
    assert slope(table.curves[0], -1e-6) == pytest.approx(-300.0e-6, rel=1e-3)
    random = np.random.default_rng(0)
    for size in (0.1, 0.01, 0.001):
        states = random.uniform(-1.0, 1.0, (2000, 5)) * size * np.array([0.3, 0.6, 0.2, 0.0, 0.0])
        assert energy(table, states).min() >= -1e-12
    contracted = np.array([[0.2, 0.0, -1.0 / 15.0, 0.0, 0.0]])  # knots of the patch
    assert energy(table, contracted) == pytest.approx([cloth(contracted[0]).energy], rel=1e-9)


def test_a_missing_sample_is_continued_and_the_rest_stays():
    last = PLAN.axis_states(1, 1)[-1]
    table, whole = (fit(PLAN, *sampled(PLAN, lost), "it") for lost in ([(1, last)], []))
    knots = whole.curves[1].knots
    assert value(table.curves[1], knots[-2]) == pytest.approx(float(value(whole.curves[1], knots[-2])))
    line = value(whole.curves[1], knots[-2]) + slope(whole.curves[1], knots[-2]) * (knots[-1] - knots[-2])
    assert value(table.curves[1], knots[-1]) == pytest.approx(float(line))


def test_bending_about_diagonals_is_met_and_keeps_a_tenth_of_what_the_axes_give():
    table = fit(PLAN, *sampled(PLAN), "it")
    l = 100.0
    wanted = 0.175 * BEND.sum() * l**2  # of 0.25
    assert with_twist(table, [(l, wanted), (-l, wanted)]).twist == pytest.approx(-0.6 * BEND.sum(), rel=1e-6)
    assert with_twist(table, [(l, -1.0)]).twist == pytest.approx(-0.9 * BEND.sum(), rel=1e-6)


def test_the_convex_fit_leaves_what_is_convex_and_mends_what_is_not():
    """1e-12: the condition is met exactly, but for rounding."""
    t = np.linspace(0.0, 0.6, 19)
    p, m = convex(t, t**2, 2 * t)
    assert p == pytest.approx(t**2, abs=1e-15) and (m == 2 * t).all()
    bumpy = 2 * t + 0.15 * np.sin(40 * t)
    p, m = convex(t, t**2 - 0.15 / 40 * (np.cos(40 * t) - 1), bumpy)
    mean = np.diff(p) / (t[1] - t[0])
    assert (3 * mean >= 2 * m[:-1] + m[1:] - 1e-12).all() and (3 * mean <= m[:-1] + 2 * m[1:] + 1e-12).all()
    assert (np.diff(m) >= 0.0).all() and p[0] == 0.0 and m[0] == 0.0 and np.abs(p - t**2).max() < 0.02
