"""Coordinates that single precision is too coarse for."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.surfaces.precision import far_away
from solver.model.build import build
from solver.scene import Collider, Material, Scene
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.solver.contact.worlds import grid


@pytest.mark.parametrize(("away", "size", "named"), [(0, 1, []), (1e5, 1, ["flag"]), (0, 1e5, ["floor"]), (100, 10, [])])
def test_far_bodies_and_huge_colliders_are_told(away, size, named):
    """Numbers at 1e5 m are 8 mm apart, at 100 m 8 um; a flag with edges of 0.1 m keeps 5 mm."""
    x, t = grid(11, 11, 1.0)
    v, u = grid(2, 2, 1.0)
    place = np.array([away, 0, 0])
    flag = plain_cloth("flag", x + place, t, Material.fabric(0.15, 100.0, 30.0))
    model = build(Scene([flag], [Collider("floor", v * size + place - [0, 0, 1], u)]), plain_settings())
    told = far_away(model)
    assert [sentence.split(":")[0] for sentence in told] == named
    assert all("single precision" in sentence for sentence in told)
