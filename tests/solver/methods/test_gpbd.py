"""Several Newton steps in one local solve."""

import numpy as np
import pytest

from solver import Material, Scene, SceneError, Settings, Simulation, SoftBody
from solver.methods.batch import add_gradient
from solver.methods.gpbd import Gpbd
from solver.model.build import build
from solver.model.state import start_state
from tests.scenes.plain_settings import plain_settings

REST = np.array([[0.0, 0.0, 0.0], [0.1, 0.01, 0.0], [0.03, 0.08, 0.0], [0.02, 0.03, 0.09]])


def swept_tetrahedron(local_iterations, sweeps=1, **settings):
    """A lone tetrahedron stretched by a half, after some sweeps: model and state."""
    body = SoftBody("one", REST * [1.5, 1, 0.8], [[0, 1, 2, 3]], Material.solid(1000, 1e5, 0.45), rest_vertices=REST)
    settings = plain_settings(dtype="float64", local_iterations=local_iterations, **settings)
    model = build(Scene([body]), settings)
    state = start_state(model, Gpbd.state_numbers)
    method = Gpbd(model)
    method.begin(state)
    for _ in range(sweeps):
        method.sweep(state, 0)
    state.place()
    return model, state


def residual(model, state):
    """Return M (x - x_pred) / h^2 + grad U, over grad U."""
    slopes = np.zeros_like(state.x)
    add_gradient(model.batches[0], state.strains_at_start[0], state.x, slopes)
    left = (state.x - state.x_pred)[:4, :3] / state.x[:4, 3:] + slopes[:4, :3]
    return np.linalg.norm(left) / np.linalg.norm(slopes)


def test_more_local_steps_solve_a_lone_element_in_one_sweep():
    """2.5e-3, twice the 1.3e-3 that are measured: steps end when one changes less than a hundredth of what the first did,
    and each leaves at most half as much as the one before. One step leaves more force than there is in the element (1.5
    times, measured)."""
    once, often = residual(*swept_tetrahedron(1)), residual(*swept_tetrahedron(16))
    assert once > 1
    assert often < 2.5e-3


def test_local_steps_are_as_many_sweeps_of_a_lone_element():
    """1e-15 m: two kernels, whose sums the compiler may order differently. With nothing else there, another sweep is
    another step. Two steps always happen: only the second and later ones test their change."""
    assert np.abs(swept_tetrahedron(2)[1].x - swept_tetrahedron(1, sweeps=2)[1].x).max() < 1e-15


def test_local_steps_end_when_they_change_little():
    """Forty steps would be forty sweeps; they end before, and so the position is not that of forty sweeps to the last
    bit but is to two thousandths of the element's displacement, twice the measured value."""
    ended, all_of_them = swept_tetrahedron(40)[1].x, swept_tetrahedron(1, sweeps=40)[1].x
    moved = np.abs(all_of_them - swept_tetrahedron(1, sweeps=0)[1].x).max()
    assert 0 < np.abs(ended - all_of_them).max() < 2e-3 * moved


@pytest.mark.parametrize("wrong", [0, 1.5])
def test_a_wrong_number_of_local_steps_is_refused(wrong):
    with pytest.raises(SceneError, match=r"local_iterations.*whole number from 1"):
        Settings(local_iterations=wrong)


def test_one_step_makes_visits_that_know_nothing_of_several(monkeypatch):
    """So that it costs nothing."""
    from solver.methods.visits import gpbd as visits

    monkeypatch.delattr(visits, "sweep_again")
    body = SoftBody("one", REST, [[0, 1, 2, 3]], Material.solid(1000, 1e5, 0.45))
    Simulation(Scene([body]), plain_settings(local_iterations=1)).advance_frame()
