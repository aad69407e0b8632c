"""A rope bridge onto which a barrel falls, with a flag on one of its posts in the wind.

All ropes are one mesh, whose knots are vertices of more than two edges.
"""

from __future__ import annotations

from itertools import pairwise

import bpy

from . import extension, lathe, stage

NAME = "bridge"
FRAMES = 72
SHEET = (1, 8, 14, 20, 28, 40, 56, 72)
STILL = 40
SPAN, WIDTH, HEIGHT, RAIL = 3.2, 0.5, 1.1, 0.5  # m
#: Of the middle below the ends [m].
SAG = 0.28
#: Segments along the bridge, of a rung and of a hanger, and those from one rung to the next.
ALONG, RUNG, HANGER, EVERY = 64, 8, 8, 2
RADIUS = 0.01  # m
POLE, TOP, LENGTH, DROP = 0.014, 2.5, 0.75, 0.45  # of the flag, m
COLUMNS, ROWS = 45, 27


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene)
    wood = stage.material("Wood", stage.WOOD, roughness=0.7)
    for x in (-0.5 * SPAN - 0.04, 0.5 * SPAN + 0.04):
        for y in (-0.5 * WIDTH, 0.5 * WIDTH):
            post = stage.box("Post", (x - 0.04, y - 0.04, 0), (x + 0.04, y + 0.04, HEIGHT + RAIL + 0.08))
            post.materials.append(wood)
            stage.add(scene, "Post", post)
    _flag(scene)
    _ropes(scene)
    barrel = lathe.lathe("Barrel", lathe.rounded(0.11, 0.0, 0.26, 0.03), 48)
    barrel.materials.append(stage.material("Oak", (0.5, 0.3, 0.12), roughness=0.5))
    ob = stage.add(scene, "Barrel", barrel, (-0.35, 0.02, HEIGHT - SAG + 0.2))
    ob.rotation_euler = (0.3, 0.2, 0.0)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type="RIGID")
    ob.gpbd.density_volume = 600.0
    for frame, velocity in {1: (4.0, -1.0, 0.0), 20: (6.0, 1.2, 0.2), 44: (7.0, -1.5, 0.0), 72: (5.0, 0.8, 0.0)}.items():
        scene.gpbd.wind = velocity
        scene.gpbd.keyframe_insert("wind", frame=frame)
    stage.camera(scene, (0.75, -4.9, 1.9), (0.02, 0.0, 1.35), lens=42)
    return scene


def height(x: float) -> float:
    """Height of the foot ropes over the floor [m]: a parabola."""
    return HEIGHT - SAG * (1 - (2 * x / SPAN) ** 2)


def place(k: float) -> float:
    """Return x of a vertex along the bridge [m]."""
    return SPAN * (k / ALONG - 0.5)


def _ropes(scene: bpy.types.Scene) -> None:
    vertices: list[tuple[float, float, float]] = []
    edges: list[tuple[int, int]] = []

    def string(points, first=None, last=None) -> list[int]:
        """A row of edges through points; first, last: vertices that it begins and ends with."""
        inner = points[first is not None : len(points) - (last is not None)]
        row = list(range(len(vertices), len(vertices) + len(inner)))
        vertices.extend(inner)
        row = ([] if first is None else [first]) + row + ([] if last is None else [last])
        edges.extend(pairwise(row))
        return row

    feet, rails = (
        [string([(place(k), y, height(place(k)) + up) for k in range(ALONG + 1)]) for y in (-0.5 * WIDTH, 0.5 * WIDTH)]
        for up in (0.0, RAIL)
    )
    for k in range(EVERY, ALONG, EVERY):
        x, z = place(k), height(place(k))
        string([(x, WIDTH * (j / RUNG - 0.5), z) for j in range(RUNG + 1)], feet[0][k], feet[1][k])
    for k in range(2 * EVERY, ALONG, 2 * EVERY):
        for side, y in enumerate((-0.5 * WIDTH, 0.5 * WIDTH)):
            x, z = place(k), height(place(k))
            string([(x, y, z + RAIL * j / HANGER) for j in range(HANGER + 1)], feet[side][k], rails[side][k])
    mesh = bpy.data.meshes.new("Bridge")
    mesh.from_pydata(vertices, edges, [])
    ob = stage.add(scene, "Bridge", mesh)
    ends = [row[k] for row in (*feet, *rails) for k in (0, -1)]
    ob.vertex_groups.new(name="Posts").add(ends, 1.0, "REPLACE")
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type="ROPE")
    bpy.ops.gpbd.apply_preset(path=str(extension.ROOT / "presets" / "ropes" / "hemp_rope.toml"))
    bpy.ops.gpbd.show_rope()
    ob.gpbd.pin_group, ob.gpbd.rope_radius = "Posts", RADIUS
    from gpbd.gpbd_addon.bake import attribute_nodes

    hemp = stage.material("Hemp", (0.6, 0.44, 0.24), roughness=0.8)
    attribute_nodes.set_inputs(ob.modifiers["GPBD Rope Surface"], {"Material": hemp})


def _flag(scene: bpy.types.Scene) -> None:
    """A cloth on a pole that stands on the first post."""
    place_of_pole = (-0.5 * SPAN - 0.04, -0.5 * WIDTH)
    pole = lathe.lathe("Pole", lathe.rounded(POLE, HEIGHT + RAIL, TOP, 0.006), 24)
    pole.materials.append(stage.material("Steel", (0.6, 0.62, 0.65), roughness=0.3, metallic=0.4))
    stage.collide(stage.add(scene, "Pole", pole, (*place_of_pole, 0.0)))
    data = stage.grid("Flag", COLUMNS, ROWS, (LENGTH, 0, 0), (0, 0, DROP))
    for k, colour in enumerate(((0.75, 0.1, 0.06), (0.92, 0.85, 0.7), (0.75, 0.1, 0.06))):
        data.materials.append(stage.material(f"Stripe {k + 1}", colour, roughness=0.6))
    for face in data.polygons:
        face.material_index = 3 * (face.index // COLUMNS) // ROWS
    ob = stage.add(scene, "Flag", data, (place_of_pole[0] + POLE + 0.012, place_of_pole[1], TOP - DROP - 0.06))
    hoist = [j * (COLUMNS + 1) for j in range(ROWS + 1)]
    ob.vertex_groups.new(name="Hoist").add(hoist, 1.0, "REPLACE")
    extension.make_body(ob, "CLOTH", "flag_nylon")
    ob.gpbd.pin_group, ob.gpbd.uv_map = "Hoist", "UVMap"
