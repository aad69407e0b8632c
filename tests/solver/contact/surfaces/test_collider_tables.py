"""Tables of colliders: closed parts, and the outward direction."""

from __future__ import annotations

import numpy as np

from solver.contact.surfaces.collider_tables import ColliderShape, ColliderTables, PlaneShape, closed_parts, plane_arrays
from tests.solver.contact.worlds import box, cone, grid, sphere


def test_boxes_balls_and_cones_are_closed_and_sheets_are_not():
    for (_, t), closed in ((box(), True), (sphere(5), True), (cone(7, 1, 1), True), (grid(4, 4, 1.0), False)):
        assert (closed_parts(t) >= 0).all() == closed
        assert (closed_parts(t) >= 0).any() == closed


def test_a_hole_a_flipped_or_a_doubled_face_opens_only_its_own_part():
    _, t = box()
    for broken in (t[1:], np.r_[t[:1, ::-1], t[1:]], np.r_[t, t[:1]]):
        both = np.r_[broken, t + 8]
        assert (closed_parts(both) >= 0).tolist() == [False] * len(broken) + [True] * 12


def test_out_is_away_from_the_volume_whatever_the_winding():
    v, t = sphere(6, 1.0, (3, 2, 1))
    for triangles, sign in ((t, 1), (t[:, ::-1], -1)):
        tables = ColliderTables([ColliderShape("ball", triangles, 0.4, 0.0)], np.dtype(np.float32))
        tables.orient(v.astype(np.float32))
        assert (tables.outward == sign).all()
        assert tables.inside_out == ([] if sign > 0 else ["ball"])


def test_colliders_lie_one_after_the_other():
    v, t = box()
    g, u = grid(3, 3, 1.0)
    shapes = [ColliderShape("box", t, 0.4, 0.01), ColliderShape("sheet", u, 0.5, 0.02, len(v))]
    tables = ColliderTables(shapes, np.dtype(np.float32))
    assert tables.vertices == len(v) + len(g)
    assert tables.rows == [(0, 8), (8, 17)]
    assert tables.vertex_reserve.tolist() == np.array([0.01] * 8 + [0.02] * 9, np.float32).tolist()
    assert tables.owner.sum() == 17  # each vertex once
    assert np.unique(tables.triangles[tables.owner]).tolist() == list(range(17))
    assert tables.sided.tolist() == [0]
    for i in range(17):
        mine = tables.around[tables.around_offsets[i] : tables.around_offsets[i + 1]]
        assert sorted(mine) == sorted(np.flatnonzero((tables.triangles == i).any(1)))


def test_plane_normals_become_unit_vectors():
    plane = PlaneShape("p", (0, 0, 1), (0, 3, 4), 0.4, 0.1)
    points, normals, thickness, friction = plane_arrays([plane], np.dtype(np.float64))
    assert normals.tolist() == [[0, 0.6, 0.8]]
    assert (points.tolist(), thickness.tolist(), friction.tolist()) == ([[0, 0, 1]], [0.1], [0.4])
