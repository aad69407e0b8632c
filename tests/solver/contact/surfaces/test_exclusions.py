"""Pairs excluded from contact."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.surfaces.exclusions import Exclusions, is_excluded
from solver.device.cpu import kernel
from tests.solver.contact.surfaces.test_surfaces import surfaces


@kernel
def ask(corners, vertex, table, exclusions):
    i, j, k, m = corners
    return is_excluded(i, j, k, m, vertex, table, exclusions)


def excluded(corners: tuple[int, int, int, int], vertex: bool, inside: dict = {}, sides: dict = {}) -> bool:  # noqa: B006
    """inside: vertex -> collider + 1. sides: particle -> bits of its first and second sides. Body vertices are 0..19."""
    s = surfaces()
    given = Exclusions(True, np.zeros(s.n, np.int32), np.zeros((s.count, 2), np.uint64))
    for i, number in inside.items():
        given.enclosing[i] = number
    for i, bits in sides.items():
        given.contour_sides[i] = bits
    return bool(ask(corners, vertex, s.table, given))


@pytest.mark.parametrize("vertex", [True, False])
def test_two_sides_of_one_contour_are_left_alone_and_one_side_is_not(vertex):
    assert excluded((0, 5, 10, 11), vertex, sides={0: (1, 0), 11: (0, 1)})
    assert not excluded((0, 5, 10, 11), vertex, sides={0: (1, 0), 11: (1, 0)})
    assert not excluded((0, 5, 10, 11), vertex, sides={0: (1, 0), 11: (0, 2)})


@pytest.mark.parametrize("vertex", [True, False])
def test_what_is_inside_a_collider_is_left_alone_with_that_one_only(vertex):
    corners = (0, 20, 21, 22) if vertex else (0, 1, 20, 21)
    assert excluded(corners, vertex, inside={0: 1})
    assert not excluded(corners, vertex, inside={0: 2})
    assert not excluded((0, 5, 10, 11), vertex, inside={0: 1})
