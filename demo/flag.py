"""A nylon flag on a pole in a gusting wind: pins along the hoist, the wind keyframed in the scene's GPBD panel."""

from __future__ import annotations

import bpy

from . import extension, lathe, stage

NAME = "flag"
FRAMES = 96
SHEET = (1, 10, 22, 36, 50, 64, 80, 96)
STILL = 50
WIDTH, HEIGHT = 1.5, 0.9  # m
COLUMNS, ROWS = 80, 48
POLE, TOP = 0.022, 2.6  # m
STRIPES: tuple[stage.Colour, ...] = ((0.02, 0.16, 0.34), (0.9, 0.87, 0.8), (0.8, 0.16, 0.06))
GUSTS = {  # frame: velocity of the air [m/s]
    1: (4.0, 0.8, 0.0), 14: (7.5, 1.2, 0.2), 34: (8.5, -1.4, 0.3),
    52: (5.0, 1.2, 0.0), 70: (9.5, -0.8, 0.5), 96: (6.5, 1.0, 0.0),
}  # fmt: skip


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache")
    stage.floor(scene)
    _pole(scene)
    data = stage.grid("Flag", COLUMNS, ROWS, (WIDTH, 0, 0), (0, 0, HEIGHT))
    for k, colour in enumerate(STRIPES):
        data.materials.append(stage.material(f"Stripe {k + 1}", colour, roughness=0.45))
    for face in data.polygons:
        face.material_index = 3 * (face.index // COLUMNS) // ROWS
    ob = stage.add(scene, "Flag", data, (POLE + 0.012, 0, TOP - HEIGHT - 0.12))
    hoist = [j * (COLUMNS + 1) for j in range(ROWS + 1)]
    ob.vertex_groups.new(name="Hoist").add(hoist, 1.0, "REPLACE")
    extension.make_body(ob, "CLOTH", "flag_nylon")
    ob.gpbd.pin_group = "Hoist"
    ob.gpbd.uv_map = "UVMap"
    for frame, velocity in GUSTS.items():
        scene.gpbd.wind = velocity
        scene.gpbd.keyframe_insert("wind", frame=frame)
    stage.camera(scene, (1.35, -4.3, 1.75), (0.72, 0, 1.98), lens=48)
    return scene


def _pole(scene: bpy.types.Scene) -> None:
    data = lathe.lathe("Pole", lathe.rounded(POLE, 0.0, TOP, 0.008), 24)
    data.materials.append(stage.material("Steel", (0.6, 0.62, 0.65), roughness=0.3, metallic=0.4))
    stage.collide(stage.add(scene, "Pole", data))
    knob = lathe.ball("Knob", 0.045, 32)
    knob.materials.append(stage.material("Brass", (0.75, 0.5, 0.12), roughness=0.25, metallic=0.6))
    stage.add(scene, "Knob", knob, (0, 0, TOP + 0.03))
