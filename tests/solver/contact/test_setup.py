"""What making a contact system tells of a scene that is odd."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from tests.scenes.plain_settings import plain_settings
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # what it compiles


def test_a_thickness_above_what_short_edges_allow_is_lowered_there_and_told():
    """Exact: 0.45 of the shortest edge at a vertex, here 0.05 m."""
    x, t = grid(9, 9, 0.4)
    fabric = solver.Material.fabric(0.2, 2000.0, 750.0, 1 / 3, 1e-5)
    thick = solver.Cloth("Coat", x, t, fabric, thickness=0.06, self_contact=True)
    simulation = solver.Simulation(solver.Scene([thick]), plain_settings(threads=1))
    (told,) = [text for text in simulation.warnings if "Coat: thickness 0.06 m is more than 0.45 of the edges" in text]
    assert "at 81 vertices" in told and "Lower the thickness" in told
    assert np.allclose(2 * simulation.contact.surfaces.half, 0.45 * 0.05)
