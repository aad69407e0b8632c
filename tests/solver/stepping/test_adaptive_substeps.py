"""More substeps in a frame: the model and the state of another number of substeps."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import solver
from solver.contact.ccd.ccd import Ccd
from solver.model.batches import at_substeps
from solver.model.build import build
from solver.model.state import start_state
from solver.steering import STALLED, STALLED_INEXTENSIBLE
from solver.stepping.adaptive_substeps import AdaptiveSubsteps, Substeps, _is_stalled, fastest_step
from solver.stepping.surroundings import Surroundings
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.scenes.stress.stress import limited
from tests.solver.contact.worlds import grid

M = solver.Material.fabric(0.15, 100.0, 30.0, damping=0.01)


def scene() -> solver.Scene:
    x, t = grid(5, 5, 1.0)
    return solver.Scene([plain_cloth("flag", x, t, M, pins=solver.Pins([0], weight=0.5))])


def test_a_model_for_more_substeps_is_the_one_that_would_be_built():
    """Every number, to the bit; only which energies may be swept every second time is decided by the first one."""
    settings = plain_settings(substeps=4)
    found, wanted = at_substeps(build(scene(), settings), 12), build(scene(), replace(settings, substeps=12))
    assert found.h == wanted.h
    assert found.settings == wanted.settings
    for one, other in zip(found.batches, wanted.batches, strict=True):
        for name in ("constants", "damping", "rest", "index", "element"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_there_and_back_leaves_the_state_as_it_was(integrator):
    """Powers of two scale without rounding. Displacements are forces, which do not depend on the substep."""
    model = build(scene(), plain_settings(integrator=integrator))
    substeps = AdaptiveSubsteps(model, lambda broken, failing: (None, Surroundings(model)))
    state = start_state(substeps.now.model, substeps.now.method.state_numbers)
    for displacement in state.displacements:
        displacement[:] = np.random.default_rng(2).normal(size=displacement.shape)
    before = state.x.tobytes(), [d.tobytes() for d in state.displacements]
    substeps.change(4, state)
    assert substeps.now.model.settings.substeps == 32
    assert [d.tobytes() for d in state.displacements] == before[1]
    n = substeps.now.model.n_vertices
    assert state.x[:n, 3] == pytest.approx(np.frombuffer(before[0], np.float32).reshape(-1, 4)[:n, 3] / 16)
    substeps.change(1, state)
    assert (state.x.tobytes(), [d.tobytes() for d in state.displacements]) == before


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_fall_goes_on_with_its_speed_where_substeps_change(integrator):
    """1e-12: rounding of float64. The speed is g t at either order, but not with that of a substep four times as long."""
    x, t = grid(2, 2, 1.0)
    sim = solver.Simulation(
        solver.Scene([plain_cloth("flag", x, t, M)]), plain_settings(iterations=1, dtype="float64", integrator=integrator)
    )
    for times in (1, 4, 1):
        sim.substeps.change(times, sim.state)
        sim.advance_frame()
    assert sim.state.v[: len(x), 2] == pytest.approx(np.full(len(x), -9.81 * 3 / 24), rel=1e-12)


def test_speed_is_that_beside_the_mean_of_the_bodies():
    """A collider at 1 m/s together with them is none, at 2 m/s beside them 20 mm in 10 ms; so is a vertex of theirs."""
    moved = np.tile([0.01, 0, 0], (5, 1))
    assert fastest_step(np.tile([0.01, 0, 0], (3, 1)), moved) == pytest.approx(0, abs=1e-12)
    assert fastest_step(np.tile([0.01, 0.02, 0], (3, 1)), moved) == pytest.approx(0.02)
    assert fastest_step(np.zeros((0, 3)), moved) == 0
    moved[0] += [0, 0.025, 0]  # the mean gains a fifth of it
    assert fastest_step(np.zeros((0, 3)), moved) == pytest.approx(0.02)


@pytest.mark.parametrize(("fabric", "stalls"), [(M, False), (limited(M, 0.01), True)], ids=["stretches", "has a limit"])
def test_one_vertex_that_stays_behind_stalls_a_sheet_with_a_limit_only(fabric, stalls):
    """0.02 of an edge stretch one with a limit of a point by two; others are torn by an eighth, and of more than three."""
    x, t = grid(5, 5, 1.0)
    step = Substeps(build(solver.Scene([plain_cloth("flag", x, t, fabric)]), plain_settings(global_iterations=4)))
    lost = np.zeros(len(x))
    results = SimpleNamespace(failures=0, clamped=1, lost=lost, is_separating=lambda *own: False)
    contact = SimpleNamespace(results=results, median_edge=0.25)
    results.is_stalled = lambda *rows: Ccd.is_stalled(results, *rows)
    lost[7] = 0.02 * contact.median_edge
    assert _is_stalled(contact, step, STALLED, STALLED_INEXTENSIBLE) == stalls
    lost[7] = 0.002 * contact.median_edge
    assert not _is_stalled(contact, step, STALLED, STALLED_INEXTENSIBLE)
    results.clamped = 5
    lost[5:10] = 0.13 * contact.median_edge
    assert _is_stalled(contact, step, STALLED, STALLED_INEXTENSIBLE)
