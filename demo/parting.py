"""A curtain that is pulled from its pegs, which let go one after another, and a rope that parts where it is worn."""

from __future__ import annotations

import bpy
import numpy as np

from . import extension, stage

NAME = "parting"
FRAMES = 40
SHEET = (1, 8, 12, 16, 20, 24, 32, 40)
STILL = 20
WIDTH, DROP, TOP = 1.0, 0.6, 1.05  # m
COLUMNS, ROWS = 42, 26
#: Columns from one peg to the next, the pull at which a peg lets go [N], and the way of the pulled corner [m].
EVERY, PEG, PULL = 7, 6.0, (0.28, -0.1, -0.3)
#: Segments of the rope, its length and height, and the way by which its end is drawn away [m].
SEGMENTS, LENGTH, HEIGHT, WAY = 60, 1.1, 0.22, 0.12
ROPE_STRENGTH = 400.0  # N


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene)
    rail = stage.box("Rail", (-0.56, -0.012, TOP + 0.002), (0.56, 0.012, TOP + 0.026))
    rail.materials.append(stage.material("Wood", stage.WOOD, roughness=0.7))
    stage.add(scene, "Rail", rail)
    _curtain(scene)
    _rope(scene)
    stage.camera(scene, (0.5, -2.9, 1.0), (0.06, 0.0, 0.6), lens=50)
    return scene


def _curtain(scene: bpy.types.Scene) -> None:
    data = stage.grid("Curtain", COLUMNS, ROWS, (WIDTH, 0, 0), (0, 0, DROP))
    data.materials.append(stage.material("Curtain", (0.16, 0.32, 0.55), roughness=0.7))
    ob = stage.add(scene, "Curtain", data, (-0.5 * WIDTH, 0, TOP - DROP))
    extension.make_body(ob, "CLOTH", "cotton_poplin")
    n = COLUMNS + 1
    corner = [j * n + COLUMNS - i for j in range(3) for i in range(3)]
    ob.vertex_groups.new(name="Held").add([*range(ROWS * n, ROWS * n + n, EVERY), *corner], 1.0, "REPLACE")
    ob.vertex_groups.new(name="Hand").add(corner, 1.0, "REPLACE")
    _move(ob, corner, PULL, 3, 30)
    settings = ob.gpbd
    settings.pin_group, settings.pin_strength = "Held", PEG
    settings.maps.pin_strength_group, settings.maps.pin_strength_high = "Hand", 1000.0


def _rope(scene: bpy.types.Scene) -> None:
    """A rope stretched over its strength, of which half is left in its middle."""
    data = bpy.data.meshes.new("Rope")
    points = [(LENGTH * (k / SEGMENTS - 0.5), 0.0, 0.0) for k in range(SEGMENTS + 1)]
    data.from_pydata(points, [(k, k + 1) for k in range(SEGMENTS)], [])
    ob = stage.add(scene, "Rope", data, (0, -0.35, HEIGHT))
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type="ROPE")
    bpy.ops.gpbd.apply_preset(path=str(extension.ROOT / "presets" / "ropes" / "hemp_rope.toml"))
    ob.gpbd.rope_radius = 0.008
    bpy.ops.gpbd.show_rope()
    end = [SEGMENTS - 1, SEGMENTS]
    ob.vertex_groups.new(name="Held").add([0, 1, *end], 1.0, "REPLACE")
    ob.vertex_groups.new(name="Worn").add([SEGMENTS // 2 + 6], 1.0, "REPLACE")
    _move(ob, end, (WAY, 0.0, 0.0), 3, 30)
    settings = ob.gpbd
    settings.pin_group, settings.rope_strength = "Held", ROPE_STRENGTH
    settings.maps.tear_strength_group, settings.maps.tear_strength_high = "Worn", 0.5
    settings.use_tearing = True
    from gpbd.gpbd_addon.bake import attribute_nodes

    hemp = stage.material("Hemp", (0.6, 0.44, 0.24), roughness=0.8)
    attribute_nodes.set_inputs(ob.modifiers["GPBD Rope Surface"], {"Material": hemp})


def _move(ob: bpy.types.Object, rows: list[int], way: tuple[float, float, float], first: int, last: int) -> None:
    """Move vertices by a way [m] from a frame to another, with a shape key."""
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Moved")
    x = np.empty(3 * len(ob.data.vertices), np.float32)
    key.data.foreach_get("co", x)
    x.reshape(-1, 3)[rows] += np.array(way, np.float32)
    key.data.foreach_set("co", x)
    for frame, value in ((first, 0.0), (last, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
