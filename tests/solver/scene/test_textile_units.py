import math

import pytest

from solver.scene import textile_units as units


def test_kes_bending_is_gram_force_times_centimetres():
    """One gf cm^2/cm is 9.80665e-3 N x 1e-2 m."""
    assert units.kes_bending(1.0) == pytest.approx(9.80665e-5, rel=1e-12)


def test_kes_shear_turns_degrees_into_radians():
    """One gf/cm is 0.980665 N/m; a degree is pi/180: 56.19 N/m."""
    assert units.kes_shear(1.0) == pytest.approx(0.980665 * 180 / math.pi, rel=1e-12)


def test_the_initial_modulus_belongs_to_a_cubic_curve_with_that_work():
    """The curve with that first slope through the load at EMT does the work LT times a straight line's; integrated, to
    1e-6."""
    emt, lt = 5.0, 0.65
    slope, e, load = units.kes_initial_modulus(emt, lt), emt / 100, units.KES_TENSILE_LOAD
    cubic = (load - slope * e) / e**3
    work = sum((slope * s + cubic * s**3) * e / 10000 for s in (e * (k + 0.5) / 10000 for k in range(10000)))
    assert work / (0.5 * load * e) == pytest.approx(lt, rel=1e-6)
    assert units.kes_initial_modulus(emt, 1.0) == pytest.approx(load / e)


def test_fast_shear_is_the_bias_extension_of_a_strip():
    """A strip at 45 degrees under f lengthens by f / (4 G); the laboratory's constant is rounded to three figures:
    0.5 %."""
    shear, load = 41.0, 5 * units.GRAM_FORCE / 0.01
    assert units.fast_shear(100 * load / (4 * shear)) == pytest.approx(shear, rel=0.005)


def test_gents_relation_at_a_known_hardness():
    """40 Shore A is 1.7 MPa, to 2 %, in every table of the relation."""
    assert units.shore_a_young(40) == pytest.approx(1.7e6, rel=0.02)


def test_the_bending_length_of_a_sheet_that_weighs_what_it_bears():
    assert units.bending_length(9.81e-6, 1.0) == pytest.approx(0.01, rel=1e-12)
