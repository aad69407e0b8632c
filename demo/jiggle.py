"""Blender's monkey as flesh that follows its keys by its goal, and jiggles where it stops.

Ears and forehead are loose, the chin follows: a painted goal group. The head goes to one side, stops, and comes back.
"""

from __future__ import annotations

import bpy
import numpy as np

from . import extension, stage

NAME = "jiggle"
FRAMES = 48
SHEET = (1, 10, 12, 13, 14, 16, 18, 20)
STILL = 14
SCALE = 0.1  # of a monkey that is 2.7 m wide
KEYS = ((1, -0.12), (8, -0.12), (12, 0.12), (26, 0.12), (30, -0.12))  # frame, place [m]
#: Weights of the goal at the chin and at the ears.
FIRM, LOOSE = 1.0, 0.15
JIGGLE = 0.25


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="PRODUCTION")
    stage.floor(scene, colour=(0.72, 0.76, 0.8))
    bpy.ops.mesh.primitive_monkey_add(location=(0, 0, 0.25))
    ob = bpy.context.object
    ob.name = ob.data.name = "Head"
    ob.scale = (SCALE, SCALE, SCALE)
    ob.data.polygons.foreach_set("use_smooth", [True] * len(ob.data.polygons))
    ob.data.materials.append(stage.material("Flesh", (0.85, 0.5, 0.38), roughness=0.4))
    for frame, place in KEYS:
        ob.location[0] = place
        ob.keyframe_insert("location", index=0, frame=frame)
    extension.make_body(ob, "SOFT_BODY", "jelly")
    ob.gpbd.tet_method, ob.gpbd.tet_resolution = "LATTICE", 0.05
    ob.gpbd.use_goal, ob.gpbd.goal_group, ob.gpbd.goal_jiggle = True, _paint(ob), JIGGLE
    smooth = ob.modifiers.new("Smooth", "SUBSURF")
    smooth.levels = smooth.render_levels = 2
    stage.camera(scene, (0.0, -1.0, 0.34), (0.0, 0.0, 0.22), lens=52)
    return scene


def _paint(ob: bpy.types.Object) -> str:
    """A group that holds the chin and leaves the ears and the top loose; its name."""
    x = np.array([vertex.co for vertex in ob.data.vertices])
    outside = np.clip(np.abs(x[:, 0]) - 0.4, 0, 0.6) / 0.6
    above = np.clip(x[:, 2] + 0.4, 0, 0.8) / 0.8
    group = ob.vertex_groups.new(name="Goal")
    for k, share in enumerate(np.maximum(outside, above)):
        group.add([k], FIRM * (LOOSE / FIRM) ** float(share), "REPLACE")
    return str(group.name)
