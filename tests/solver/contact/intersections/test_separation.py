"""Separation constraints: a blade that cuts through a sheet leaves it again."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.broad_phase.neighbour_lists import NeighbourLists
from solver.contact.intersections.edge_triangle import edge_triangle_intersections
from solver.contact.intersections.intersections import Intersections
from solver.contact.intersections.separation import SeparationConstraints
from solver.contact.surfaces.collider_tables import ColliderTables
from solver.contact.surfaces.surfaces import BodySurface, Surfaces
from tests.solver.contact.worlds import grid

pytestmark = pytest.mark.slow  # compilation


def poked():
    """A horizontal sheet, and a small one that hangs through it edge on, by a third of its height."""
    x, t = grid(9, 9, 0.4)
    y, u = grid(7, 7, 0.12)
    y = np.c_[y[:, 0] + 0.0113, 0.2 * y[:, 0] + 0.0071, y[:, 1] + 0.02]
    bodies = [
        BodySurface("sheet", t, 0, len(x), 0.001, 0.001, 0.4),
        BodySurface("blade", u + len(x), len(x), len(x) + len(y), 0.001, 0.001, 0.4),
    ]
    start = np.r_[x, y]
    dtype = np.dtype(np.float64)
    surfaces = Surfaces(bodies, len(start), start, ColliderTables([], dtype), dtype)
    state = np.c_[start, np.ones(len(start))]
    return surfaces, NeighbourLists(surfaces, start, dtype), state, len(x)


def test_the_intersections_of_a_blade_through_a_sheet_are_one_contour_with_two_sides():
    """Exact: an edge of the blade counts as the one side, an edge of the sheet as the other."""
    surfaces, lists, x, first = poked()
    found = Intersections(surfaces, edge_triangle_intersections(lists, surfaces, x, np.ones(len(x), bool)))
    assert len(found.pairs) > 8
    assert set(found.contour) == {0}
    of_sheet = surfaces.edges[found.pairs[:, 0], 0] < first
    assert of_sheet.any()
    assert (~of_sheet).any()
    assert len(set(found.side[of_sheet])) == len(set(found.side[~of_sheet])) == 1
    assert found.side[of_sheet][0] == -found.side[~of_sheet][0]


def separated(surfaces, x, pairs, size=0.001):
    """The positions after a substep in which nothing acts but the separation constraints, swept ten times."""
    found, constraints, after = Intersections(surfaces, pairs), SeparationConstraints(x.dtype), x.copy()
    direction = found.directions(x, np.zeros((len(x), 3)))
    constraints.begin(surfaces, pairs, direction, np.ones(len(pairs)), size, x, x)
    for _ in range(10):
        constraints.sweep(x, after)
    return after


def test_separation_draws_the_shorter_part_back_until_nothing_is_left():
    """A third of the blade is below the sheet: it moves up, the sheet down, and further substeps end the intersection."""
    surfaces, lists, x, first = poked()
    everywhere = np.ones(len(x), bool)
    moved = (separated(surfaces, x, edge_triangle_intersections(lists, surfaces, x, everywhere)) - x)[:, :3]
    assert moved[first:, 2].max() > 0.0002
    assert moved[first:, 2].min() >= 0
    assert moved[:first, 2].max() <= 0
    for _ in range(120):
        pairs = edge_triangle_intersections(lists, surfaces, x, everywhere)
        if not len(pairs):
            break
        moved = (separated(surfaces, x, pairs, 0.002) - x)[:, :3]
        x[first:, :3] += moved[first:].sum(0) / max(1, np.count_nonzero(moved[first:].any(1)))  # as a stiff blade moves
        x[:first, :3] += moved[:first].sum(0) / max(1, np.count_nonzero(moved[:first].any(1)))
    assert not len(pairs)
    assert x[first:, 2].min() > x[:first, 2].max()


def test_what_does_not_move_is_not_pulled():
    surfaces, lists, x, first = poked()
    x[:first, 3] = 0
    moved = (separated(surfaces, x, edge_triangle_intersections(lists, surfaces, x, np.ones(len(x), bool))) - x)[:, :3]
    assert not moved[:first].any()
    assert moved[first:, 2].max() > 0.0004


def test_stretched_cloth_is_pulled_with_less_force_and_torn_cloth_not_at_all():
    """Exact: no force from the stretch SEPARATION_STRETCH on."""
    surfaces, lists, x, _ = poked()
    pairs = edge_triangle_intersections(lists, surfaces, x, np.ones(len(x), bool))
    strength = []
    for stretch in (1.0, 1.2, 2.0):
        longer = x.copy()
        longer[:, :3] *= stretch
        strength.append(Intersections(surfaces, pairs).strength(longer).max())
    assert strength[0] == pytest.approx(1.0)
    assert 0 < strength[1] < 0.5
    assert strength[2] == 0


def test_contact_leaves_alone_only_the_two_sides_of_a_contour():
    """Exact: the blade and the sheet around the contour are on different sides, and nothing far away is on any."""
    surfaces, lists, x, first = poked()
    sides = Intersections(surfaces, edge_triangle_intersections(lists, surfaces, x, np.ones(len(x), bool))).sides()
    own = set(map(tuple, sides[:first].tolist()))
    assert own in ({(0, 0), (1, 0)}, {(0, 0), (0, 1)})
    assert not (np.bitwise_or.reduce(sides[:first], axis=0) & np.bitwise_or.reduce(sides[first:], axis=0)).any()
    assert not sides[0].any()
