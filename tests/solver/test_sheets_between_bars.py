"""Sheets of fabrics made of yarns between bars: what a homogeneous sheet's table says of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from solver import load_material
from solver.scene.published_fabric import read_published
from tests.scenes.bars import SIDE, between_bars, separated, uniaxial

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


@published
def test_published_rib_has_less_energy_in_two_bands_where_its_tension_falls_as_it_is_pulled():
    """To a twentieth of the tension; what a homogeneous sheet bears there is less than half of it. In the other direction it
    is that of the homogeneous one, to the 3 % of differences of its energy over 0.25 %."""
    material = read_published(PUBLISHED / "rib1.json")
    tension, low, high = separated(material, 0.2, 0)
    assert (low, high) == pytest.approx((0.125, 0.23), abs=0.005)
    ends = [uniaxial(material, strain, 0)[0] for strain in (low, high)]
    assert tension == pytest.approx(ends[0], rel=0.05) == pytest.approx(ends[1], rel=0.05)
    assert uniaxial(material, 0.2, 0)[0] < 0.5 * tension
    for pull in (0.2, 0.4):
        tension, low, high = separated(material, pull, 1)
        assert high - low < 0.01 and tension == pytest.approx(uniaxial(material, pull, 1)[0], rel=0.03)


@pytest.mark.long
@published
def test_published_rib_lies_between_bars_in_the_two_bands_of_its_energy():
    """0.01 of the strains, of which 12 columns of quads can only have so many each; none is at the pull."""
    material = read_published(PUBLISHED / "rib1.json")
    _, low, high = separated(material, 0.2, 0)
    sideways = uniaxial(material, 0.2, 0)[2]
    (found,) = between_bars(material, 12, 0, [0.2], [sideways], [0.5 * sideways])
    assert np.minimum(np.abs(found.along - low), np.abs(found.along - high)).max() < 0.01


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
