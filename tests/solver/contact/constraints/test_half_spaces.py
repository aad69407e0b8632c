"""Contacts of vertices with half-spaces: the interface that the global step takes them by."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Material, Plane, Scene, Simulation
from solver.contact.constraints.half_spaces import HalfSpaceContacts, plane_table
from solver.contact.constraints.tables import HALF_SPACE, VertexTable
from solver.contact.surfaces.collider_tables import PlaneShape
from tests.scenes.plain_cloth import plain_cloth
from tests.scenes.plain_settings import plain_settings
from tests.validation.meshes import grid

H2_OVER_M = 0.25


def corner_of_two_planes(count: int = 20):
    """Vertices in a row 1 mm over a floor that keeps 2 mm, every other one 1 mm from a wall as well."""
    shapes = [
        PlaneShape("floor", (0, 0, 0), (0, 0, 1), 0.5, 0.002),
        PlaneShape("wall", (0, 0, 0), (1, 0, 0), 0.5, 0.002),
    ]
    contacts = HalfSpaceContacts(count, plane_table(shapes, 1, None, np.dtype(np.float64)))
    x0 = np.zeros((count, 4))
    x0[:, 0], x0[:, 1], x0[:, 2], x0[:, 3] = 1.0, np.arange(count), 0.001, H2_OVER_M
    x0[::2, 0] = 0.001
    vertices = VertexTable(np.ones(count, bool), np.zeros(count), np.full(count, 0.5), np.zeros(count, np.int32))
    contacts.clear()
    contacts.begin(x0, x0.copy(), vertices, 1.0)
    return contacts, x0


def test_a_vertex_occurs_once_in_the_packs_that_are_swept_whole():
    """20 vertices on the floor fill one pack of 16; the wall's 10 contacts come after the floor's."""
    contacts, _ = corner_of_two_planes()
    vertices = contacts.table.vertices
    assert len(vertices) == 30 and contacts.table.whole == 1
    assert len(set(vertices[:16])) == 16
    assert sorted(vertices[20:]) == list(range(0, 20, 2))


def test_forces_that_are_set_are_what_sweeps_take_back():
    """The multiplier is the force times h^2/m. Of a push of 4 mm where 0.2 mm suffice, a sweep takes 3.8 mm back and
    leaves the 0.2 mm to 1e-6 of them, as that share is known in single precision. Vertices at the wall have friction
    there."""
    contacts, x0 = corner_of_two_planes()
    which = np.arange(20)
    assert contacts.without_force().all()
    contacts.set_forces(which, np.tile([0.016, 0.0, 0.0, 0.0], (20, 1)))
    assert not contacts.without_force()[which].any() and contacts.without_force()[20:].all()
    x = x0.copy()
    x[:, 2] += 0.016 * H2_OVER_M
    contacts.sweep(x0, x)
    assert (x - x0)[1::2, 2] == pytest.approx(np.full(10, 0.2 * 0.001), rel=1e-6)


def test_a_plane_pushes_and_does_not_pull():
    """Swept at the start it moves a vertex out by 0.2 mm; above it, it takes that back and then leaves it alone."""
    contacts, x0 = corner_of_two_planes()
    x = x0.copy()
    contacts.sweep(x0, x)
    assert (x - x0)[1::2, 2] == pytest.approx(np.full(10, 0.2 * 0.001), rel=1e-6)
    x[:, :3] += 0.01
    contacts.sweep(x0, x)
    assert (x - x0)[1::2, 2] == pytest.approx(np.full(10, 0.01), rel=1e-6)
    assert contacts.without_force().all()


def test_what_starts_too_near_is_moved_apart_slowly_and_not_thrown():
    """A sheet 2 mm over a plane, at a contact distance of 5 mm, without gravity: the first substep closes a fifth of the
    deficit, and none exceeds the contact distance, to 1e-6 m."""
    vertices, triangles = grid(4, 4, 0.2, 0.2)
    sheet = plain_cloth("sheet", vertices + [0, 0, 0.002], triangles, Material.fabric(0.2, 500, 100, thickness=0.005))
    scene = Scene([sheet], [Plane("floor", thickness=0.0)], gravity=(0, 0, 0))
    simulation = Simulation(scene, plain_settings(fps=480, substeps=1, iterations=4))
    height = [simulation.advance_frame().positions["sheet"][:, 2].max() for _ in range(60)]
    assert height[0] == pytest.approx(0.002 + 0.2 * 0.003, abs=1e-6)
    assert 0.0049 < height[-1] <= max(height) < 0.005 + 1e-6


def test_rows_are_what_is_swept():
    contacts, _ = corner_of_two_planes()
    normal, gap, drift, friction, last = contacts.rows(np.array([0, 29]))
    assert normal.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert gap == pytest.approx([-0.2 * 0.001] * 2) and not drift.any()
    assert friction == pytest.approx([0.5, 0.5]) and not last.any()
    assert contacts.table.packs.shape == (2, 16 * HALF_SPACE.width)
