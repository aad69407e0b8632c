"""A cotton tablecloth that falls over a round table; then a ball rolls through its skirt, under the table's rim."""

from __future__ import annotations

import bpy

from . import extension, lathe, stage

NAME = "tablecloth"
FRAMES = 96
SHEET = (1, 8, 14, 24, 44, 60, 72, 92)
STILL = 60
SIDE = 1.6  # m
QUADS = 80
CHECK = 5  # quads of a stripe
COLOURS: tuple[stage.Colour, ...] = ((0.88, 0.86, 0.82), (0.8, 0.33, 0.27), (0.62, 0.05, 0.04))
RADIUS, TOP = 0.55, 0.74  # m
BALL = 0.16  # m
PATH = {1: (-1.25, -0.42, 0.38), 44: (-1.25, -0.42, 0.38), 96: (1.3, -0.42, 0.38)}


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache")
    stage.floor(scene)
    _table(scene)
    _ball(scene)
    data = stage.grid("Tablecloth", QUADS, QUADS, (SIDE, 0, 0), (0, SIDE, 0))
    for k, colour in enumerate(COLOURS):
        data.materials.append(stage.material(f"Gingham {k + 1}", colour, roughness=0.8))
    for face in data.polygons:
        j, i = divmod(face.index, QUADS)
        face.material_index = (i // CHECK) % 2 + (j // CHECK) % 2
    ob = stage.add(scene, "Tablecloth", data, (-SIDE / 2, -SIDE / 2, TOP + 0.25))
    extension.make_body(ob, "CLOTH", "cotton_poplin")
    ob.gpbd.uv_map = "UVMap"
    stage.camera(scene, (1.0, -2.9, 1.75), (0.0, 0, 0.47), lens=50)
    return scene


def _table(scene: bpy.types.Scene) -> None:
    wood = stage.material("Wood", stage.WOOD, roughness=0.5)
    top = lathe.lathe("Table Top", lathe.rounded(RADIUS, TOP - 0.04, TOP, 0.015), 96)
    leg = lathe.lathe("Table Leg", [(0.25, 0.0), (0.25, 0.02), (0.05, 0.06), (0.04, 0.4), (0.05, TOP - 0.045)], 48)
    for data in (top, leg):
        data.materials.append(wood)
        stage.collide(stage.add(scene, data.name, data))


def _ball(scene: bpy.types.Scene) -> None:
    data = lathe.ball("Ball", BALL)
    data.materials.append(stage.material("Ball", (0.05, 0.3, 0.33), roughness=0.3))
    ob = stage.add(scene, "Ball", data)
    stage.collide(ob, friction=2.0)
    for frame, place in PATH.items():
        ob.location = place
        ob.keyframe_insert("location", frame=frame)
