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
    thick = solver.Cloth("Coat", x, t, fabric, thickness=0.01, self_thickness=0.06)
    warnings = solver.Simulation(solver.Scene([thick]), plain_settings(threads=1)).warnings
    assert any("Coat: thickness 0.06 m" in text and "Lower its Self Distance" in text for text in warnings)


def test_bodies_keep_half_of_each_self_distance_between_them_and_their_thickness_from_colliders():
    """2 % of the distance: the coat hangs over the edge of the lining by 1 cm. Keys change the distance."""
    x, t = grid(9, 9, 0.4)
    fabric = solver.Material.fabric(0.2, 2000.0, 750.0, 1 / 3, 1e-5)
    lower = solver.Cloth("Lining", x + [0, 0, 0.0061], t, fabric, thickness=0.006, self_thickness=0.002)
    upper = solver.Cloth("Coat", x + [0.01, 0.01, 0.0095], t, fabric, thickness=0.008, self_thickness=0.004)
    scene = solver.Scene([lower, upper], [solver.Plane("Table", (0, 0, 0))])
    simulation = solver.Simulation(scene, plain_settings(threads=1, substeps=8))

    def heights(values):
        for _ in range(12):
            frame = simulation.advance_frame(solver.FrameInputs(values=values))
        return [frame.positions[name][:, 2].mean() for name in ("Lining", "Coat")]

    bottom, top = heights({})
    assert bottom == pytest.approx(0.006, rel=0.01) and top - bottom == pytest.approx(0.003, rel=0.02)
    bottom, top = heights({"Coat": {"self_thickness": 0.012}})
    assert bottom == pytest.approx(0.006, rel=0.01) and top - bottom == pytest.approx(0.007, rel=0.02)
    bottom, top = heights({"Coat": {"self_thickness": None}})
    assert top - bottom == pytest.approx(0.005, rel=0.02)


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
