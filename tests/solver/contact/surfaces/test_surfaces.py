"""Tables of surfaces: each side and corner is some one triangle's, and thickness is lowered where edges are short."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.surfaces.collider_tables import ColliderShape, ColliderTables
from solver.contact.surfaces.surfaces import BodySurface, Surfaces
from solver.steering import SHORTEST_EDGE_SHARE
from tests.solver.contact.worlds import box, grid

DTYPE = np.dtype(np.float32)


def surfaces(thickness: float = 0.01, **more) -> Surfaces:
    """A sheet of 4 x 5 vertices, 0.3 m wide, and a box."""
    x, t = grid(4, 5, 0.3)
    _, faces = box()
    collider = ColliderTables([ColliderShape("box", faces, 0.5, 0.02)], DTYPE)
    body = BodySurface("sheet", t, 0, len(x), 0.005, thickness, 0.3, **more)
    return Surfaces([body], len(x), x, collider, DTYPE)


def test_every_side_and_corner_is_of_exactly_one_triangle():
    s = surfaces()
    for first, elements in ((1, s.sides), (4, s.triangles)):
        owned = elements[s.features[:, first : first + 3]]
        assert len(owned) == len(np.unique(elements))
        assert set(owned.tolist()) == set(elements.ravel().tolist())


def test_neighbours_are_the_other_ends_of_the_edges_at_a_particle():
    s, t = surfaces(), surfaces().table
    for i in range(s.count):
        mine = sorted(t.neighbours[t.neighbour_first[i] : t.neighbour_first[i + 1]].tolist())
        assert mine == sorted((s.edges[(s.edges == i).any(1)].sum(1) - i).tolist())


def test_opposite_corners_lie_in_triangles_at_the_edge():
    s = surfaces()
    triangles = {frozenset(t) for t in s.triangles.tolist()}
    for edge, far in zip(s.edges.tolist(), s.opposite.tolist(), strict=True):
        mine = {frozenset((*edge, c)) for c in far if c >= 0}
        assert mine == {t for t in triangles if set(edge) <= t}


def test_thickness_is_lowered_to_a_share_of_the_shortest_edge_in_the_table_too():
    """Edges of 0.075 m at each vertex of the sheet, so no more than 0.45 of these is kept in all."""
    s = surfaces(thickness=0.1)
    assert len(s.cap_thickness()) == s.n
    assert s.table.half[: s.n] == pytest.approx(0.5 * SHORTEST_EDGE_SHARE * 0.075)
    assert s.table.half[s.n :] == pytest.approx(0.02)
    assert len(surfaces().cap_thickness()) == 0


def test_excluded_vertices_are_corners_of_nothing():
    s = surfaces(excluded=[0], loose=[])
    assert not (s.triangles == 0).any()
    assert not s.active[0]
    assert s.active[1:].all()
