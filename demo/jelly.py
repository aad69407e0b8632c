"""Blender's monkey as jelly, dropped on stairs.

Its surface is open at the eyes, so it is filled with a lattice. A Subdivision Surface below the GPBD modifier makes the
embedded mesh, another one above it smooths the rendered one.
"""

from __future__ import annotations

import math

import bpy

from . import extension, stage

NAME = "jelly"
FRAMES = 72
SHEET = (1, 6, 8, 11, 15, 20, 28, 72)
STILL = 8
SCALE = 0.1  # of a monkey that is 2.7 m wide: 0.27 m, which jelly bears
START = (0.0, -0.05, 0.5)  # m
STEPS, RISE, RUN, WIDTH = 3, 0.1, 0.22, 0.9  # m
LANDING = 0.45  # m


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="REFERENCE")
    stage.floor(scene, colour=(0.78, 0.72, 0.62))
    _stairs(scene)
    bpy.ops.mesh.primitive_monkey_add(location=START)
    ob = bpy.context.object
    ob.name = ob.data.name = "Jelly"
    ob.scale = (SCALE, SCALE, SCALE)
    ob.rotation_euler = (math.radians(-12), math.radians(8), math.radians(12))
    ob.data.polygons.foreach_set("use_smooth", [True] * len(ob.data.polygons))
    ob.data.materials.append(stage.material("Raspberry", (0.75, 0.04, 0.12), roughness=0.15))
    extension.make_body(ob, "SOFT_BODY", "jelly")
    _subdivide(ob, "Carried")
    ob.modifiers.move(1, 0)  # below the GPBD modifier
    _subdivide(ob, "Smooth")
    ob.gpbd.tet_method = "LATTICE"
    ob.gpbd.tet_resolution = 0.03
    ob.gpbd.initial_velocity = (0.08, -0.8, 0.0)
    stage.camera(scene, (0.95, -2.0, 0.85), (0.0, -0.5, 0.14), lens=44)
    return scene


def _subdivide(ob: bpy.types.Object, name: str) -> None:
    """The same level in the viewport and in renders, or the cache would not fit one of them."""
    modifier = ob.modifiers.new(name, "SUBSURF")
    modifier.levels = modifier.render_levels = 1


def _stairs(scene: bpy.types.Scene) -> None:
    """Steps that go down towards the camera: one closed mesh, a profile drawn across."""
    profile = [(RUN * (0.6 - STEPS), 0.0)]
    for k in range(STEPS):
        front = RUN * (0.6 - STEPS + k)
        profile += [(front, RISE * (k + 1)), (front + RUN, RISE * (k + 1))]
    profile[-1] = (LANDING, profile[-1][1])
    profile += [(LANDING, 0.0)]
    n = len(profile)
    vertices = [(x, y, z) for x in (-WIDTH / 2, WIDTH / 2) for y, z in profile]
    sides = [(n + k, n + (k + 1) % n, (k + 1) % n, k) for k in range(n)]
    data = stage.mesh("Stairs", vertices, [*sides, range(n), range(n, 2 * n)[::-1]], smooth=False)
    data.materials.append(stage.material("Stone", (0.6, 0.7, 0.72), roughness=0.8))
    stage.collide(stage.add(scene, "Stairs", data), friction=8.0)
