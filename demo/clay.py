"""A ball of clay and one of rubber, equally stiff, under a plate that presses them flat and lifts: the clay stays flat."""

from __future__ import annotations

import bpy

from . import extension, stage

NAME = "clay"
FRAMES = 48
SHEET = (1, 8, 12, 16, 20, 24, 28, 48)
STILL = 36
RADIUS, APART = 0.06, 0.08  # m; of the balls' centres from the middle
PLATE = (0.2, 0.1, 0.02)  # m
#: Frame -> height of the plate's lower face [m].
HEIGHTS = {1: 0.125, 4: 0.125, 16: 0.06, 20: 0.06, 32: 0.19}


def make() -> bpy.types.Scene:
    """The scene in a new file, unsaved."""
    scene = stage.empty_file(FRAMES, cache_folder=f"//{NAME}_cache", quality="PRODUCTION")
    stage.floor(scene, colour=(0.6, 0.56, 0.5))
    for name, x, colour, keeps in (("Clay", -APART, (0.5, 0.2, 0.1), True), ("Rubber", APART, (0.1, 0.3, 0.6), False)):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=RADIUS, location=(x, 0, RADIUS + 0.002))
        ob = bpy.context.object
        ob.name = ob.data.name = name
        ob.data.polygons.foreach_set("use_smooth", [True] * len(ob.data.polygons))
        ob.data.materials.append(stage.material(name, colour, roughness=0.6))
        extension.make_body(ob, "SOFT_BODY", "clay")
        if not keeps:
            ob.gpbd.solid_model = "stable_neo_hookean"
            ob.gpbd.stable_neo_hookean.young = ob.gpbd.plastic_neo_hookean.young
            ob.gpbd.stable_neo_hookean.damping = ob.gpbd.plastic_neo_hookean.damping
        ob.gpbd.tet_method, ob.gpbd.tet_resolution = "TETWILD", 0.08
    _press(scene)
    stage.camera(scene, (0.0, -0.62, 0.22), (0.0, 0.0, 0.075), lens=50)
    return scene


def _press(scene: bpy.types.Scene) -> None:
    """A plate that comes down and lifts."""
    width, depth, thick = PLATE
    data = stage.box("Plate", (-width, -depth, 0), (width, depth, thick))
    data.materials.append(stage.material("Steel", (0.5, 0.52, 0.55), roughness=0.3))
    ob = stage.add(scene, "Plate", data)
    for frame, height in HEIGHTS.items():
        ob.location[2] = height
        ob.keyframe_insert("location", index=2, frame=frame)
    stage.collide(ob, friction=5.0)
