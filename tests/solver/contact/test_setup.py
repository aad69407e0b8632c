"""Warnings of the contact system about odd scenes."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.contact.setup import make_contact
from solver.model.build import build
from tests.scenes.meshes import cube_of_five
from tests.scenes.plain_settings import plain_settings
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # compilation


def test_a_thickness_above_what_short_edges_allow_is_lowered_there_and_told():
    """Exact: 0.45 of the shortest edge at a vertex, here 0.05 m."""
    x, t = grid(9, 9, 0.4)
    fabric = solver.Material.fabric(0.2, 2000.0, 750.0, 1 / 3, 1e-5)
    thick = solver.Cloth("Coat", x, t, fabric, thickness=0.06, self_contact=True)
    simulation = solver.Simulation(solver.Scene([thick]), plain_settings(threads=1))
    (told,) = [text for text in simulation.warnings if "Coat: thickness 0.06 m is more than 0.45 of the edges" in text]
    assert "at 81 vertices" in told and "Lower its Collision Distance" in told
    assert np.allclose(2 * simulation.contact.surfaces.half, 0.45 * 0.05)


def test_cloth_collides_with_itself_unless_told_not_to_and_a_soft_body_only_where_told():
    x, t = grid(2, 2, 0.4)
    fabric = solver.Material.fabric(0.2, 2000.0, 750.0, 1 / 3, 1e-5)
    y, tetrahedra = cube_of_five(1)

    def collides(body: solver.Cloth | solver.SoftBody) -> bool:
        return make_contact(build(solver.Scene([body]), plain_settings(threads=1))) is not None

    assert collides(solver.Cloth("Coat", x, t, fabric))
    assert not collides(solver.Cloth("Coat", x, t, fabric, self_contact=False))
    assert not collides(solver.SoftBody("Jelly", y, tetrahedra, solver.load_material("jelly")))
    assert collides(solver.SoftBody("Jelly", y, tetrahedra, solver.load_material("jelly"), self_contact=True))
