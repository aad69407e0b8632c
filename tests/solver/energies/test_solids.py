"""Properties of every isotropic solid: moduli, damping, recovery; and properties of some."""

import numpy as np
import pytest

from solver import Material
from solver.errors import MaterialError
from solver.scene import catalog
from tests.solver.energies.test_energy_contract import H, Lone

pytestmark = pytest.mark.slow  # compilation


SOLIDS = [
    name for name, energy in catalog.energies().items() if energy.element == "tetrahedron" and "poisson" in energy.parameters
]
YOUNG = 1e5
solids = pytest.mark.parametrize("name", SOLIDS)


def lame(name):
    """The small-strain moduli that an energy promises for the contract's default parameters [Pa]."""
    nu = catalog.energies()[name].parameters["poisson"].default
    mu, lam = YOUNG / (2 * (1 + nu)), YOUNG * nu / ((1 + nu) * (1 - 2 * nu))
    return mu, lam - mu if name == "paper_neo_hookean" else lam


def stress(lone, strain):
    """First Piola-Kirchhoff stress [Pa] of the element with deformation gradient 1 + strain."""
    X = lone.rest - lone.rest[0]
    gradient = lone.energy_and_gradient(X @ (np.eye(3) + strain).T + lone.rest[0])[1]
    return gradient.T @ X / (np.linalg.det(X[1:]) / 6)


def moduli(lone, step=1e-5):
    """C_ijkl = d stress_ij / d F_kl at rest [Pa] by central differences."""
    found = np.zeros((3, 3, 3, 3))
    for k, l in np.ndindex(3, 3):
        strain = np.zeros((3, 3))
        strain[k, l] = step
        found[:, :, k, l] = (stress(lone, strain) - stress(lone, -strain)) / (2 * step)
    return found


def hooke(mu, lam):
    one = np.eye(3)
    ij_kl, ik_jl, il_jk = (np.einsum(form, one, one) for form in ("ij,kl->ijkl", "ik,jl->ijkl", "il,jk->ijkl"))
    return lam * ij_kl + mu * (ik_jl + il_jk)


@solids
def test_small_strain_moduli_are_lames(name):
    """1e-7 of the largest: a central difference of step 1e-5 leaves its square times the third derivative."""
    found, wanted = moduli(Lone(name)), hooke(*lame(name))
    assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max()


@pytest.mark.parametrize("name", ["fixed_corotated", "neo_hookean", "stvk_solid"])
def test_damping_is_the_stress_times_tau_at_small_strain(name):
    """1e-7: as above. A step h from rest adds tau / h times the elastic stress."""
    tau = 0.01
    found, wanted = moduli(Lone(name, tau)), (1 + tau / H) * hooke(*lame(name))
    assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max()


@solids
@pytest.mark.parametrize("poisson", [0.5, -1.0, 0.7, float("nan")])
def test_a_poisson_ratio_outside_the_range_is_told(name, poisson):
    with pytest.raises(MaterialError, match=rf"{name}\.poisson is .*; wanted .* to 0\.4999"):
        Material.solid(1000, YOUNG, poisson, energy=name)


def test_the_papers_literal_energy_refuses_ratios_without_resistance_to_squeezing():
    with pytest.raises(MaterialError, match=r"poisson is 0.125; wanted more than 0.125"):
        Material.solid(1000, YOUNG, 0.125, energy="paper_neo_hookean")


def single(lone):
    """The same element in float32."""
    for name in ("x", "memory", "state", "correction"):
        setattr(lone, name, getattr(lone, name).astype(np.float32))
    for name in ("rest", "constants"):
        setattr(lone.batch, name, getattr(lone.batch, name).astype(np.float32))
    return lone


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["fixed_corotated", "neo_hookean"])
@pytest.mark.parametrize("shape", [[1, 1, -1], [1, 1, 0], [1, 1, 0.001], [1.2, 0.8, -0.3], [-1, -1, -1]])
def test_an_inverted_or_flat_element_comes_to_rest_right_side_out(name, shape):
    """In float32, one step of backward Euler after the other, twenty sweeps each; a stiff element is at rest after 40 steps
    but for ringing, which backward Euler damps: J within 1 % of 1."""
    lone = single(Lone(name))
    turn, _ = np.linalg.qr(np.random.default_rng(4).standard_normal((3, 3)))
    # Exactly flat and at rest in the plane, corotated forces have no side to take; a push of 1e-4 decides.
    before = (lone.rest @ turn * shape + 1e-5 * np.random.default_rng(5).standard_normal((4, 3))) @ turn.T
    x = before.copy()
    for _ in range(40):
        prediction = 2 * x - before
        before, x = x, lone.sweep(prediction, 20).astype(float)
    edges = lone.rest[1:] - lone.rest[0]
    assert np.linalg.det(x[1:] - x[0]) == pytest.approx(np.linalg.det(edges), rel=0.01)
