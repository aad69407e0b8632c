"""Contract of plastic energies: flow takes energy, and leaves strains below the yield as they are."""

import numpy as np
import pytest

from solver.methods.batch import flow
from solver.scene import catalog
from tests.solver.energies.test_energy_contract import Lone, energy_module, moved

PLASTIC = [name for name in catalog.energies() if hasattr(energy_module(name), "flow_at_start")]
#: Parameter of each that is its yield, a yield that the deformations here are beyond, and one that nothing reaches.
YIELD = {
    "creasing_shell": ("yield_curvature", 2.0, 1e6),
    "plastic_membrane": ("yield_stress", 20.0, 1e7),
    "plastic_neo_hookean": ("yield_stress", 2e4, 1e12),
}


def flowing(name, **changes):
    lone = Lone(name, **changes)
    lone.memory[:] = 0
    return lone


def flow_at(lone, x):
    lone.x[: lone.count, :3] = x
    flow(lone.batch, lone.memory, lone.x)


def test_there_are_some():
    assert set(PLASTIC) == set(YIELD)


@pytest.mark.parametrize("name", PLASTIC)
def test_flow_never_adds_energy(name):
    """Random deformations one after the other, with the plastic numbers of those before; some of them flow."""
    key, low, _ = YIELD[name]
    lone, flowed = flowing(name, **{key: low, "hardening": 0.2}), 0
    for seed in range(40):
        x = moved(lone, 0.3, seed)
        before, _ = lone.energy_and_gradient(x)
        flow_at(lone, x)
        after, _ = lone.energy_and_gradient(x)
        assert after <= before * (1 + 1e-12)
        flowed += after < 0.99 * before
    assert flowed > 10


@pytest.mark.parametrize("name", PLASTIC)
def test_below_the_yield_nothing_flows_and_again_at_the_same_place_neither(name):
    """1e-6: a second flow at one place finds the stress at its yield, by three Newton steps if it is not linear."""
    key, low, never = YIELD[name]
    elastic = flowing(name, **{key: never})
    before = elastic.energy_and_gradient(moved(elastic, 0.3))[0]
    flow_at(elastic, moved(elastic, 0.3))
    assert elastic.energy_and_gradient(moved(elastic, 0.3))[0] == before
    lone = flowing(name, **{key: low, "hardening": 0.3})
    flow_at(lone, moved(lone, 0.2))
    once = lone.memory.copy()
    flow_at(lone, moved(lone, 0.2))
    assert once[0, -16] > 0
    assert np.abs(lone.memory - once).max() <= 1e-6 * np.abs(once).max()


@pytest.mark.parametrize("name", PLASTIC)
def test_a_turn_of_the_whole_makes_nothing_flow(name):
    """1e-6, as above."""
    key, low, _ = YIELD[name]
    lone = flowing(name, **{key: low})
    x = moved(lone, 0.3)
    flow_at(lone, x)
    once = lone.memory.copy()
    turned = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]
    turned *= np.sign(np.linalg.det(turned))
    flow_at(lone, x @ turned.T + [1.0, 2.0, 3.0])
    assert np.abs(lone.memory - once).max() < 1e-6
