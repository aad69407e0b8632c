"""Properties of every method: momentum, the same bits for any number of threads, and after a restart."""

import numpy as np
import pytest

from solver import Material, Pins, Scene, SceneError, Settings, Simulation, SoftBody
from solver.methods import _CLASSES, method_class
from solver.scene.method_choices import METHODS
from tests.scenes.plain_settings import plain_settings
from tests.solver.global_step.nets import net, springs
from tests.validation.meshes import cube, grid

pytestmark = pytest.mark.slow  # compilation


methods = pytest.mark.parametrize("method", METHODS)
#: Methods that move the corners of one element at a time, by forces that add up to zero. Those that move one vertex, or
#: stop a linear solver, keep momentum as far as they have converged.
elementwise = pytest.mark.parametrize("method", [name for name in METHODS if name not in ("pbng", "newton")])


def test_every_method_has_a_class_that_says_what_it_needs():
    assert set(_CLASSES) == set(METHODS)
    for name in METHODS:
        assert isinstance(method_class(name).needs, tuple)


def momentum(sim):
    """Linear momentum [kg m/s], and the sum of its magnitudes over the vertices."""
    each = sim.model.mass[:, None] * sim.state.v[: sim.model.n_vertices]
    return each.sum(0), np.linalg.norm(each, axis=1).sum()


@pytest.mark.each_value
@elementwise
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_a_free_body_keeps_its_linear_momentum(method, damping):
    """1e-12 of all momenta: rounding of float64. The net is crumpled and flies apart; there is no gravity."""
    rng = np.random.default_rng(1)
    body = net(6, springs(100.0, damping), velocities=rng.normal(0.2, 1, (49, 3)), rest_vertices=grid(6, 6, 1.0, 1.0)[0])
    body.vertices += 0.03 * rng.normal(size=body.vertices.shape)
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), plain_settings(method=method, dtype="float64", iterations=7))
    before, _ = momentum(sim)
    sim.advance_frame()
    after, size = momentum(sim)
    assert np.abs(after - before).max() < 1e-12 * size


@pytest.mark.each_value
@pytest.mark.parametrize("method", ["gpbd", "gpbd_jacobi"])
@pytest.mark.parametrize("local_iterations", [1, 3])
def test_an_inverted_solid_keeps_its_linear_momentum(method, local_iterations):
    """1e-12 of all momenta: rounding of float64. Random corners, so that both ways of sweeping are in use."""
    x, tets = cube(3)
    rng = np.random.default_rng(2)
    body = SoftBody("cube", rng.uniform(0, 1, x.shape), tets, Material.solid(1000, 1e5, 0.45), rest_vertices=x)
    settings = plain_settings(fps=100, substeps=2, method=method, local_iterations=local_iterations, dtype="float64")
    sim = Simulation(Scene([body], gravity=(0, 0, 0)), settings)
    sim.advance_frame()
    left, size = momentum(sim)
    assert np.abs(left).max() < 1e-12 * size


@methods
def test_the_same_bits_for_any_number_of_threads(method):
    """64 x 64 quads of springs are more than the 400 packs from which threads are used."""
    states = []
    for threads in (1, 2, 2):
        body = net(64, springs(50.0, 1e-3), pins=Pins([0, 64]))
        sim = Simulation(Scene([body]), plain_settings(method=method, substeps=2, iterations=3, threads=threads))
        assert sum(batch.packs for batch in sim.model.batches) > 400
        *_, _ = sim.frames(1, 3)
        states.append(sim.state.x.tobytes() + sim.state.v.tobytes())
    assert states[0] == states[1] == states[2]


@methods
def test_a_restored_simulation_goes_on_with_the_same_bits(method):
    def make():
        return Simulation(Scene([net(6, springs(50.0, 1e-3), pins=Pins([0]))]), plain_settings(method=method, substeps=2))

    through, broken, later = make(), make(), make()
    *_, _ = through.frames(1, 4)
    *_, _ = broken.frames(1, 2)
    later.restore(broken.snapshot())
    *_, _ = later.frames(2, 4)
    assert later.state.x.tobytes() == through.state.x.tobytes()


def test_a_pair_that_does_not_exist_is_named_with_what_would_work(monkeypatch):
    from solver.energies import spring

    monkeypatch.delattr(spring, "constraints")
    with pytest.raises(SceneError, match=r"net: material 'net' uses the energy 'spring'.*'xpbd'.*gpbd, gpbd_jacobi"):
        Simulation(Scene([net(2, springs(50.0))]), plain_settings(method="xpbd"))


@pytest.mark.parametrize("method", ["xpbd", "pbd"])
def test_what_belongs_to_another_method_is_refused(method):
    with pytest.raises(SceneError, match=f"warm_start.*'{method}'.*wanted 0"):
        Simulation(Scene([net(2, springs(50.0))]), plain_settings(method=method, warm_start=0.5))


@pytest.mark.parametrize("method", ["xpbd", "pbd", "newton", "pbng"])
def test_the_global_step_is_refused_at_once_by_methods_that_it_does_not_go_before(method):
    with pytest.raises(SceneError, match=f"global_iterations is 4; wanted 0 with method '{method}', or .*gpbd, gpbd_jacobi"):
        Settings(method=method, global_iterations=4)
