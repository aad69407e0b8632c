"""Coupled vertices: soft bodies that touch with the mesh that they carry, instead of with the skin of their tetrahedra."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver.topology.lattice import fill_with_lattice
from tests.scenes.jelly import THICKNESS, jelly
from tests.scenes.materials import SOFT
from tests.scenes.meshes import ball, sheet
from tests.scenes.plain_settings import plain_settings

pytestmark = pytest.mark.slow  # compilation


def rest(body, colliders, frames: int = 20):
    simulation = solver.Simulation(solver.Scene([body], colliders), plain_settings(threads=1))
    for _ in range(frames):
        frame = simulation.advance_frame()
    return frame, simulation


def test_a_lattice_body_lies_on_the_ground_with_its_mesh():
    """Its lowest point is the thickness above the ground, to a tenth of it; with the tetrahedra's skin it floats at
    more than five."""
    ground = [solver.Plane("ground")]
    touching, _ = rest(jelly("mesh"), ground)
    lowest = touching.surfaces["ball"][:, 2].min()
    assert abs(lowest - THICKNESS) < 0.1 * THICKNESS
    floating, _ = rest(jelly("tetrahedra"), ground)
    assert floating.surfaces["ball"][:, 2].min() > 5 * THICKNESS


def test_a_lattice_body_lies_on_a_collider_with_its_mesh():
    """Facets of the ground are flat, so the lowest vertex is where the ground and the thickness are, to a tenth of that."""
    g, h = sheet(4, 1.0, (0, 0, 0))
    touching, _ = rest(jelly("mesh"), [solver.Collider("ground", g, h)])
    assert abs(touching.surfaces["ball"][:, 2].min() - THICKNESS) < 0.1 * THICKNESS
    assert touching.report.intersections == 0
    assert touching.report.unresolved == 0


def test_meshes_that_collide_keep_the_momentum_of_their_tetrahedra():
    """In float64, 1e-9 of one body's momentum: rounding. Contact passes every push on with weights that add up to one."""
    one, other = jelly("mesh", 0.11), jelly("mesh", -0.12)
    other.name = "other"
    one.velocities = np.tile([0.0, 0.1, -1.0], (len(one.vertices), 1))
    simulation = solver.Simulation(solver.Scene([one, other], gravity=(0, 0, 0)), plain_settings(threads=1, dtype="float64"))
    before = np.array(simulation.advance_frame().report.momentum)
    touched = 0
    for _ in range(8):
        report = simulation.advance_frame().report
        touched += report.contacts
        assert report.clamped == 0
    assert touched > 10
    assert abs(np.array(report.momentum) - before).max() < 1e-9 * np.linalg.norm(before)
    n = len(one.vertices)
    assert simulation.state.v[n : 2 * n, 2].mean() < -0.2


def test_a_mesh_without_triangles_is_refused():
    v, u = ball(1, 0.1)
    x, t, _ = fill_with_lattice("ball", v, u, 0.4)
    with pytest.raises(solver.SceneError, match="ball: contact_surface is 'mesh'"):
        solver.SoftBody("ball", x, t, solver.Material.solid(**SOFT), surface=v, contact_surface="mesh")
