"""Energies that the global step solves for, and the warning about the others."""

import pytest

from solver import Material, Scene, Simulation, SoftBody
from solver.scene import catalog
from tests.scenes.linear_table import linear_table
from tests.scenes.plain_settings import plain_settings
from tests.solver.global_step.test_global_step import SPRINGS, hung, simulated
from tests.validation.meshes import cube


def defaults(*names):
    """A fabric of these energies."""
    known = catalog.energies()
    table = linear_table() if any(known[n].has_table for n in names) else None
    values = {n: {k: p.default for k, p in known[n].parameters.items()} for n in names}
    return Material("own", "fabric", 0.15, values, table=table)


KNIT = Material("knit", "fabric", 0.15, defaults("stiffening_membrane", "discrete_shell").energies)


@pytest.mark.slow
@pytest.mark.parametrize("n", [16, 48])
def test_a_hung_sheet_of_a_stiffening_membrane_keeps_its_length(n):
    """By the continuum rho g L / (2 E) = 0.07 %, and 0.1 % is the limit; sweeps alone leave 0.3 and 13 % of a sheet twice as
    stiff."""
    sim, last = simulated(hung(n, KNIT), 33, iterations=4)
    assert last.report.mean_stretch < 0.001
    assert not sim.warnings


def told(cloth, **settings):
    return Simulation(Scene([cloth]), plain_settings(**{"global_iterations": 4} | settings)).warnings


def test_an_energy_that_is_left_to_the_sweeps_is_told_with_its_body():
    """Tethers join no neighbours: alone they make no system."""
    (found,) = told(hung(4, defaults("long_range_attachment", "isometric_bending")))
    assert found.startswith("sheet: Keep Length (global_iterations) cannot solve for the energy 'long_range_attachment' (M")
    assert "no part of the cloth keeps its length by it" in found


def test_every_energy_of_cloth_in_the_catalogue_is_in_the_step_beside_a_membrane():
    kinds = ("triangle", "patch", "hinge", "edge", "tether")
    for name, energy in catalog.energies().items():
        if energy.element in kinds:
            assert not told(hung(4, defaults("stvk_membrane", name))), name


def test_nothing_is_told_without_a_global_step_or_of_what_it_solves_for_or_of_solids():
    limited = defaults("stvk_membrane", "strain_limit")
    assert not told(hung(4, limited), global_iterations=0)
    assert not told(hung(4, SPRINGS)) and not told(hung(4, KNIT))
    x, tetrahedra = cube(1)
    assert not told(SoftBody("block", x, tetrahedra, Material.solid(1000.0, 1e4, 0.3)))
