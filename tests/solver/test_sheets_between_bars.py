"""Sheets of fabrics made of yarns between bars: what a homogeneous sheet's table says of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from solver import load_material
from solver.scene.published_fabric import read_published
from tests.scenes.bars import SIDE, between_bars, uniaxial

#: Published tables, for tests only; not part of the project.
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "hylc"
published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published tables at {PUBLISHED}")


@pytest.mark.long
@published
@pytest.mark.parametrize("fabric", ["satin1", "basket1", "stock1"])
def test_a_sheet_is_as_narrow_and_as_strong_as_the_published_homogeneous_one(fabric):
    """5 % of the tension, and of the pull sideways: 12 x 12 quads."""
    curves = json.loads((PUBLISHED / "homogeneous_curves.json").read_text())[fabric]
    material = read_published(PUBLISHED / f"{fabric}.json")
    for axis in (0, 1):
        reference = curves["XY"[axis]]["0.2"]
        sideways = reference["lateral_strain"]
        (found,) = between_bars(material, 12, axis, [0.2], [sideways], [0.5 * sideways])
        assert found.tension == pytest.approx(reference["tension_N_per_m"], rel=0.05)
        assert found.sideways == pytest.approx(sideways, abs=0.05 * 0.2)


@pytest.mark.long
def test_stockinette_rolls_as_its_moments_say_and_bears_what_is_between_both_homogeneous_sheets():
    """Along the wales one way, along the courses the other; on 12 x 12 quads by a hundredth of the side at least."""
    material = load_material("stockinette")
    moments = [material.table.curves[k].slopes[abs(material.table.curves[k].knots).argmin()] for k in (3, 4)]
    for axis in (0, 1):
        free, held, sideways = uniaxial(material, 0.2, axis)
        (found,) = between_bars(material, 12, axis, [0.2], [0.0], [sideways])
        assert free < found.force < held
        for height in found.rolled:
            assert height * -np.sign(moments[1 - axis]) > 0.01 * SIDE
