"""Ropes: one that falls onto a bollard and coils on the floor beside it, and one that is pulled to a knot."""

from __future__ import annotations

import math

import bpy

from . import extension, lathe, stage

NAME = "ropes"
FRAMES = 72
SHEET = (1, 10, 18, 26, 36, 48, 60, 72)
STILL = 72
BOLLARD, HEIGHT = 0.11, 0.32  # m
TURNS, RADIUS, PITCH = 7, 0.16, 0.05  # of the coil, m
PULL = 0.16  # m, of each end of the knot
KNOT = 0.11  # m, size of the knot


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="DRAFT")
    stage.floor(scene)
    post = lathe.lathe("Bollard", lathe.rounded(BOLLARD, 0.0, HEIGHT, 0.03), 64)
    post.materials.append(stage.material("Iron", (0.09, 0.1, 0.11), roughness=0.4, metallic=0.5))
    stage.collide(stage.add(scene, "Bollard", post), friction=0.5)
    steps = 40 * TURNS
    spiral = [2 * math.pi * k / 40 for k in range(steps + 1)]
    coil = [(RADIUS * math.cos(a) + 0.1, RADIUS * math.sin(a), HEIGHT + 0.08 + PITCH * a / (2 * math.pi)) for a in spiral]
    rope(scene, "Climbing Rope", coil, "climbing_rope", (0.75, 0.1, 0.04), pins=False)
    knot = rope(scene, "Hemp Rope", overhand(), "hemp_rope", (0.55, 0.38, 0.18), pins=True)
    ends = knot.data.splines[0].points
    for first, sign in ((0, -1), (len(ends) - 3, 1)):
        hand = bpy.data.objects.new("Hand", None)
        scene.collection.objects.link(hand)
        hand.empty_display_size = 0.02
        hook = knot.modifiers.new("Hook", "HOOK")
        hook.object, hook.strength = hand, 1.0
        hook.vertex_indices_set(range(first, first + 3))
        for frame, way in ((1, 0.0), (6, 0.0), (50, sign * PULL)):
            hand.location = (way, 0, 0)
            hand.keyframe_insert("location", frame=frame)
    stage.camera(scene, (0.5, -1.5, 0.85), (0.05, -0.22, 0.1), lens=58)
    return scene


def rope(scene, name: str, points, preset: str, colour: stage.Colour, pins: bool):
    """A rope along a polygon; returns its curve."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions, data.bevel_depth = "3D", 0.006 if preset == "hemp_rope" else 0.005
    own = data.splines.new("POLY")
    own.points.add(len(points) - 1)
    for point, place in zip(own.points, points, strict=True):
        point.co = (*place, 1.0)
    curve = stage.add(scene, name, data)
    bpy.context.view_layer.objects.active = curve
    bpy.ops.gpbd.rope_from_curve(pin_start=pins, pin_end=pins)
    made = bpy.context.object
    bpy.ops.gpbd.apply_preset(path=str(extension.ROOT / "presets" / "ropes" / f"{preset}.toml"))
    from gpbd.gpbd_addon.bake import attribute_nodes

    surface = stage.material(name, colour, roughness=0.7)
    attribute_nodes.set_inputs(made.modifiers["GPBD Rope Surface"], {"Material": surface})
    return curve


def overhand() -> list[tuple[float, float, float]]:
    """A loose overhand knot with straight ends along x, over the floor."""
    knot = []
    for k in range(121):
        t = -2.1 + 4.2 * k / 120  # the polynomial trefoil, Shastri 1992
        knot.append((KNOT * (t**5 / 5 - 2 * t) / 2, KNOT * (t**4 - 4 * t**2) / 4, KNOT * (t**3 - 3 * t) / 4))
    sign = 1 if knot[-1][0] > 0 else -1
    first = [(knot[0][0] - sign * 0.02 * k, knot[0][1], knot[0][2]) for k in range(12, 0, -1)]
    last = [(knot[-1][0] + sign * 0.02 * k, knot[-1][1], knot[-1][2]) for k in range(1, 13)]
    return [(x, y - 0.5, z + 0.2) for x, y, z in (*first, *knot, *last)]
