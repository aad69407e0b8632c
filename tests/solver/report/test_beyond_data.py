"""Warnings on triangles strained beyond their fabric's data."""

import numpy as np
import pytest

from solver.report.beyond_data import _sentence
from tests.scenes.linear_table import linear_table


def strains(count=5):
    s = np.random.default_rng(0).uniform(-1, 1, (count, 6)) * [0.5, 0.5, 0.5, 50, 50, 50]
    s[0] = 0
    return s


def test_within_the_data_nothing_is_said():
    assert _sentence(strains(), linear_table(), 3) == ""


@pytest.mark.parametrize(
    ("axis", "values", "said"),
    [
        (0, [0.95], "1 of 5 triangles of the fabric 'linear' are strained beyond its data, most in stretch along U"),
        (2, [-0.7, 1e9], "2 of 5 triangles of the fabric 'linear' are strained beyond its data, most in stretch along V"),
        (1, [0.9], "1 of 5 triangles of the fabric 'linear' are strained beyond its data, most in shear"),
        (3, [-500.0, 500.0, 1e9], "3 of 5 triangles of the fabric 'linear' are strained beyond its data, most in curvature"),
    ],
)
def test_beyond_it_how_many_are_and_along_what(axis, values, said):
    s = strains()
    s[: len(values), axis] = values
    told = _sentence(s, linear_table(), 3)
    assert told.startswith("Frame 3: " + said) and "its force no longer grows" in told
