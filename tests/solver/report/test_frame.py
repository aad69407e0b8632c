"""A frame whose numbers are none is no frame."""

import numpy as np
import pytest

from solver import Material, Scene, Simulation, SoftBody, UnstableError
from solver.report.frame import is_finite, not_finite
from solver.report.frame_report import Report
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import cube


def test_a_frame_whose_numbers_are_not_finite_is_refused_and_names_the_vertex():
    """Positions may be finite all the same: elements that have no step stay where they are."""
    vertices, tetrahedra = cube(1)
    sim = Simulation(
        Scene([SoftBody("cube", vertices, tetrahedra, Material.solid(1000, 1e5, 0.3))]), plain_settings(threads=1)
    )
    assert is_finite(Report()) and not is_finite(Report(kinetic_energy=np.nan))
    sim.state.v[5, 1] = np.nan
    with pytest.raises(UnstableError, match=r"Frame 9: .* not finite at 1 vertices \(first: vertex 5 of 'cube'\)"):
        raise not_finite(sim.model, sim.state, 9)
