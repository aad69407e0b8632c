"""A bunny of jelly, filled with tetrahedra, that hops onto the floor."""

from __future__ import annotations

import math

import bpy

from . import extension, modelled, stage

NAME = "bunny"
FRAMES = 72
SHEET = (1, 6, 8, 11, 15, 20, 28, 72)
STILL = 20
EDGE = 0.006  # m, of the mesh that is seen: some 6,000 vertices
HEIGHT = 0.06  # m, of its feet over the floor at the start
#: Centre and radii [m] of body, haunches, paws, tail and head; it looks along -y.
BALLS: list[modelled.Ball] = [
    ((0, 0.03, 0.075), (0.065, 0.09, 0.07)),
    ((0.05, 0.06, 0.05), (0.035, 0.055, 0.05)),
    ((-0.05, 0.06, 0.05), (0.035, 0.055, 0.05)),
    ((0.045, -0.045, 0.02), (0.022, 0.045, 0.02)),
    ((-0.045, -0.045, 0.02), (0.022, 0.045, 0.02)),
    ((0, 0.125, 0.065), (0.028, 0.026, 0.028)),
    ((0, -0.055, 0.13), (0.046, 0.055, 0.046)),
    ((0, -0.1, 0.118), (0.024, 0.02, 0.02)),
]


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene, colour=(0.55, 0.66, 0.5))
    ears = [
        ball
        for side in (-1, 1)
        for ball in modelled.limb((0.02 * side, -0.045, 0.16), (0.042 * side, -0.005, 0.255), 0.017, 0.013)
    ]
    ob = modelled.melted("Bunny", [*BALLS, *ears], EDGE)
    ob.data.materials.append(stage.material("Raspberry", (0.75, 0.04, 0.12), roughness=0.15))
    ob.location.z = HEIGHT
    ob.rotation_euler = (math.radians(6), math.radians(4), 0.0)
    extension.make_body(ob, "SOFT_BODY", "jelly")
    ob.gpbd.self_contact = True
    ob.gpbd.initial_velocity = (0.0, -0.25, 0.4)
    stage.camera(scene, (0.5, -1.1, 0.5), (0.0, -0.1, 0.13), lens=60)
    return scene
