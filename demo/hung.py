"""Bodies on ropes: a crane that hoists a crate, a bridge of planks onto which a ball falls, and a pendulum.

The crane shortens its rope by a keyed *Shrink*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import bpy

from . import extension, lathe, stage

NAME = "hung"
FRAMES = 60
SHEET = (1, 8, 16, 24, 32, 40, 50, 60)
STILL = 40
RADIUS = 0.006  # of the ropes, m
#: Span and sag of the bridge, the height of its ends, and its width [m]; planks, and segments from one to the next.
SPAN, SAG, TOP, WIDTH, PLANKS, EVERY = 1.7, 0.22, 0.75, 0.36, 13, 3
#: Place and height of the jib's end, length of its rope, and the share by which it is hoisted.
JIB, JIB_TOP, ROPE, HOISTED = -1.55, 1.55, 1.1, 0.35
#: Place, height and length of the pendulum [m], and its first angle [rad].
SWING, SWING_TOP, PENDULUM, ANGLE = 1.55, 1.5, 0.95, 0.9


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene)
    wood, iron = stage.material("Wood", stage.WOOD, roughness=0.7), stage.material("Iron", (0.12, 0.13, 0.15), metallic=0.4)
    _crane(scene, wood, iron)
    _bridge(scene, wood)
    _pendulum(scene, iron)
    stage.camera(scene, (0.35, -5.4, 1.7), (0.0, 0.0, 0.78), lens=45)
    return scene


def _crane(scene: bpy.types.Scene, wood: bpy.types.Material, iron: bpy.types.Material) -> None:
    for low, high in (
        ((-0.5, -0.05, 0), (-0.4, 0.05, JIB_TOP + 0.1)),
        ((-0.5, -0.03, JIB_TOP), (0.06, 0.03, JIB_TOP + 0.06)),
    ):
        part = stage.box("Crane", low, high)
        part.materials.append(iron)
        stage.add(scene, "Crane", part, (JIB, 0.0, 0.0))
    crate = _load(scene, "Crate", stage.box("Crate", (-0.14, -0.14, -0.2), (0.14, 0.14, 0.0)), wood, 300.0)
    crate.location, crate.rotation_euler = (JIB, 0, JIB_TOP - ROPE), (0, 0, 0.5)
    line = [(JIB, 0.0, JIB_TOP - ROPE * k / 40) for k in range(41)]
    rope = _rope(scene, "Crane Rope", [line], (0.25, 0.25, 0.27), "steel_cable")
    _hold(rope, [0])
    _attach(rope, crate, [40])
    for frame, share in ((1, 0.0), (4, 0.0), (36, HOISTED)):
        rope.gpbd.shrink_min = share
        rope.gpbd.keyframe_insert("shrink_min", frame=frame)


def _bridge(scene: bpy.types.Scene, wood: bpy.types.Material) -> None:
    count = (PLANKS + 1) * EVERY
    height = lambda x: TOP - SAG * (1 - (2 * x / SPAN) ** 2)
    along = [SPAN * (k / count - 0.5) for k in range(count + 1)]
    for side in (-1, 1):
        post = stage.box("Post", (-0.05, -0.26, 0.0), (0.05, 0.26, TOP))
        post.materials.append(wood)
        stage.add(scene, "Post", post, (side * (0.5 * SPAN + 0.05), 0.0, 0.0))
    lines = [[(x, y, height(x)) for x in along] for y in (-0.5 * WIDTH, 0.5 * WIDTH)]
    rope = _rope(scene, "Bridge", lines, (0.6, 0.44, 0.24), "hemp_rope")
    _hold(rope, [row + end for row in (0, count + 1) for end in (0, count)])
    for number in range(1, PLANKS + 1):
        k = number * EVERY
        data = stage.box(f"Plank {number}", (-0.045, -0.22, -0.012), (0.045, 0.22, 0.012))
        plank = _load(scene, f"Plank {number}", data, wood, 500.0)
        plank.location = (along[k], 0.0, height(along[k]) - 0.012 - RADIUS)
        plank.rotation_euler = (0.0, -math.atan(8 * SAG * along[k] / SPAN**2), 0.0)
        _attach(rope, plank, [k, count + 1 + k])
    ball = lathe.ball("Ball", 0.09)
    red = stage.material("Ball", (0.75, 0.1, 0.06), roughness=0.35)
    _load(scene, "Ball", ball, red, 400.0).location = (0.12, 0.03, TOP - SAG + 0.32)


def _pendulum(scene: bpy.types.Scene, iron: bpy.types.Material) -> None:
    for low, high in (
        ((-0.04, 0.28, 0), (0.04, 0.36, SWING_TOP + 0.03)),
        ((-0.03, -0.04, SWING_TOP), (0.03, 0.36, SWING_TOP + 0.06)),
    ):
        part = stage.box("Gallows", low, high)
        part.materials.append(iron)
        stage.add(scene, "Gallows", part, (SWING, 0.0, 0.0))
    down = (math.sin(ANGLE), 0.0, -math.cos(ANGLE))
    line = [tuple(a + PENDULUM * k / 40 * b for a, b in zip((SWING, 0, SWING_TOP), down, strict=True)) for k in range(41)]
    bob = lathe.lathe("Bob", lathe.rounded(0.1, -0.2, 0.0, 0.06), 48)
    weight = _load(scene, "Bob", bob, stage.material("Bob", (0.8, 0.55, 0.12), roughness=0.3, metallic=0.4), 2000.0)
    weight.location, weight.rotation_euler = line[-1], (0.0, -ANGLE, 0.0)
    rope = _rope(scene, "Pendulum", [line], (0.75, 0.72, 0.66), "climbing_rope")
    _hold(rope, [0])
    _attach(rope, weight, [40])


def _load(
    scene: bpy.types.Scene, name: str, data: bpy.types.Mesh, look: bpy.types.Material, density: float
) -> bpy.types.Object:
    """A rigid body. density: [kg/m^3]."""
    data.materials.append(look)
    ob = stage.add(scene, name, data)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type="RIGID")
    ob.gpbd.density_volume = density
    return ob


def _rope(
    scene: bpy.types.Scene, name: str, lines: Sequence[Sequence[Sequence[float]]], colour: stage.Colour, preset: str
) -> bpy.types.Object:
    """A rope through points [m], a row of edges for each line."""
    data, first, edges = bpy.data.meshes.new(name), 0, []
    for line in lines:
        edges += pairwise(range(first, first + len(line)))
        first += len(line)
    data.from_pydata([point for line in lines for point in line], edges, [])
    ob = stage.add(scene, name, data)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.gpbd.add_body(body_type="ROPE")
    bpy.ops.gpbd.apply_preset(path=str(extension.ROOT / "presets" / "ropes" / f"{preset}.toml"))
    bpy.ops.gpbd.show_rope()
    ob.gpbd.rope_radius = RADIUS
    from gpbd.gpbd_addon.bake import attribute_nodes

    attribute_nodes.set_inputs(ob.modifiers["GPBD Rope Surface"], {"Material": stage.material(name, colour, roughness=0.8)})
    return ob


def _hold(rope: bpy.types.Object, vertices: list[int]) -> None:
    rope.vertex_groups.new(name="Held").add(vertices, 1.0, "REPLACE")
    rope.gpbd.pin_group = "Held"


def _attach(rope: bpy.types.Object, target: bpy.types.Object, vertices: list[int]) -> None:
    rope.vertex_groups.new(name=target.name).add(vertices, 1.0, "REPLACE")
    item = rope.gpbd.attachments.add()
    item.target, item.vertex_group, item.distance = target, target.name, 0.02
