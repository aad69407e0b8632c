"""A steel ball falls through a sheet of rubber that is held at its border.

A tear runs along edges, so the mesh has triangles without order. The tear group leaves the border whole.
"""

from __future__ import annotations

import bpy
import numpy as np

from . import extension, stage

NAME = "tear"
FRAMES = 24
SHEET = (1, 4, 5, 6, 7, 8, 12, 24)
STILL = 5
SIZE, COLUMNS = 0.5, 40  # m
#: Of an edge that vertices are moved by at random, at most.
JITTER = 0.28
HEIGHT = 0.3  # m
#: Radius [m], density [kg/m^3] and speed [m/s] of the ball at frame 1.
RADIUS, STEEL, SPEED = 0.06, 7800.0, 2.5


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene, colour=(0.42, 0.34, 0.27))
    x, faces = _triangles()
    sheet = stage.add(scene, "Sheet", stage.mesh("Sheet", x, faces, smooth=True), (0, 0, HEIGHT))
    sheet.data.materials.append(stage.material("Sheet", (0.75, 0.32, 0.25), roughness=0.6))
    extension.make_body(sheet, "CLOTH", "rubber_sheet")
    out = np.abs(x).max(1)
    for name, rows in (("Held", out > 0.5 * SIZE - 1e-4), ("Tears", out < 0.47 * SIZE)):
        sheet.vertex_groups.new(name=name).add(np.flatnonzero(rows).tolist(), 1.0, "REPLACE")
    settings = sheet.gpbd
    settings.pin_group, settings.tear_group = "Held", "Tears"
    settings.tear_strength, settings.fracture_energy = 250.0, 2.0
    settings.use_tearing = True
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=RADIUS, location=(0.04, 0.03, HEIGHT + RADIUS + 0.05))
    ball = bpy.context.object
    ball.name = "Ball"
    ball.data.polygons.foreach_set("use_smooth", [True] * len(ball.data.polygons))
    ball.data.materials.append(stage.material("Steel", (0.3, 0.32, 0.36), roughness=0.25))
    bpy.context.view_layer.objects.active = ball
    bpy.ops.gpbd.add_body(body_type="RIGID")
    ball.gpbd.density_volume, ball.gpbd.initial_velocity = STEEL, (0.0, 0.0, -SPEED)
    stage.camera(scene, (0.75, -0.85, 0.85), (0.0, 0.0, HEIGHT - 0.05), lens=50)
    return scene


def _triangles() -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """Vertices [m], (n, 3), and triangles of a square whose inner vertices are moved at random."""
    rng, n = np.random.default_rng(7), COLUMNS + 1
    u = np.linspace(-0.5 * SIZE, 0.5 * SIZE, n)
    x = np.stack([*np.meshgrid(u, u), np.zeros((n, n))], 2)
    x[1:-1, 1:-1, :2] += JITTER * SIZE / COLUMNS * rng.uniform(-1, 1, (n - 2, n - 2, 2))
    faces = []
    for j in range(COLUMNS):
        for i in range(COLUMNS):
            a, b, c, d = j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i
            faces += [(a, b, c), (a, c, d)] if rng.random() < 0.5 else [(a, b, d), (b, c, d)]
    return x.reshape(-1, 3), faces
