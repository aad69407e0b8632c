"""Untangling directions: where surfaces that pass through each other are pulled."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.broad_phase.neighbour_lists import NeighbourLists
from solver.contact.intersections.contours import contours
from solver.contact.intersections.directions import untangling_directions
from solver.contact.intersections.edge_triangle import edge_triangle_intersections
from solver.contact.surfaces.collider_tables import ColliderTables
from solver.contact.surfaces.surfaces import BodySurface, Surfaces
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # compilation


def crossed(place):
    """A sheet of 0.4 m, and a standing one of 0.6 m that cuts it from border to border at x = place."""
    x, t = grid(9, 9, 0.4)
    y, u = grid(13, 13, 0.6)
    y = np.c_[np.full(len(y), place), y[:, 0] + 0.0071, y[:, 1] + 0.013]
    bodies = [
        BodySurface("sheet", t, 0, len(x), 0.001, 0.001, 0.4),
        BodySurface("wall", u + len(x), len(x), len(x) + len(y), 0.001, 0.001, 0.4),
    ]
    start, dtype = np.r_[x, y], np.dtype(np.float64)
    surfaces = Surfaces(bodies, len(start), start, ColliderTables([], dtype), dtype)
    state = np.c_[start, np.ones(len(start))]
    return surfaces, NeighbourLists(surfaces, start, dtype), state, len(x)


def sheet_goes(surfaces, lists, x, previous=None):
    """The direction of the one contour, for the sheet."""
    found = edge_triangle_intersections(lists, surfaces, x, np.ones(len(x), bool))
    contour, side = contours(surfaces, found)
    assert set(contour) == {0}
    (direction,) = untangling_directions(
        surfaces, found, contour, side, x, np.zeros((len(x), 3)) if previous is None else previous
    )
    of_sheet = surfaces.owner[surfaces.edges[found[:, 0], 0]] == 0
    return direction * side[of_sheet][0]


@pytest.mark.parametrize("place", [0.113, -0.087])
def test_of_an_x_crossing_the_shortest_part_is_pulled_through(place):
    """A wall at x > 0 leaves the sheet's shorter part at x > place, which comes out towards -x: the wall's
    normal, to 1e-9."""
    surfaces, lists, x, _ = crossed(place)
    assert np.allclose(sheet_goes(surfaces, lists, x), (-np.sign(place), 0, 0), atol=1e-9)


def test_a_part_that_hangs_on_a_pin_is_not_pulled_through_while_a_free_one_is_not_much_longer():
    """0.087 m to the pinned border on the one side, 0.313 m on the other: less than FIXED times as long."""
    surfaces, lists, x, first = crossed(0.113)
    x[:first, 3][x[:first, 0] > 0.19] = 0
    assert np.allclose(sheet_goes(surfaces, lists, x), (1, 0, 0), atol=1e-9)


def test_a_part_that_is_being_pulled_goes_on_when_the_lengths_are_nearly_the_same():
    surfaces, lists, x, first = crossed(0.013)
    assert sheet_goes(surfaces, lists, x)[0] < 0
    previous = np.zeros((len(x), 3))
    previous[:first, 0], previous[first:, 0] = 1, -1
    assert sheet_goes(surfaces, lists, x, previous)[0] > 0
