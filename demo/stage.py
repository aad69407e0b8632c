"""Common parts of the demo scenes: an empty file with the Workbench look, a camera, a floor, plain meshes and colliders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import mathutils

FPS = 24
SIZE = (640, 360)
Colour = tuple[float, float, float]
FLOOR: Colour = (0.72, 0.75, 0.78)
WOOD: Colour = (0.45, 0.25, 0.13)


def empty_file(frames: int, cache_folder: str, quality: str = "PRODUCTION") -> bpy.types.Scene:
    """A new file whose scene bakes frames 1 to `frames` and renders them with Workbench."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps = FPS
    world = scene.gpbd
    world.frame_start, world.frame_end = 1, frames
    world.quality = quality
    world.cache_folder = cache_folder
    look(scene)
    return scene


def look(scene: bpy.types.Scene) -> None:
    """Workbench with studio light, shadows and cavities, against a pale sky."""
    render, display = scene.render, scene.display
    render.engine = "BLENDER_WORKBENCH"
    render.resolution_x, render.resolution_y = SIZE
    render.resolution_percentage = 100
    scene.view_settings.view_transform = "Standard"
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.color = (0.62, 0.7, 0.79)
    shading = display.shading
    shading.light = "STUDIO"
    shading.color_type = "MATERIAL"
    shading.show_cavity = True
    shading.cavity_type = "BOTH"
    shading.cavity_ridge_factor = 1.0
    shading.cavity_valley_factor = 1.4
    shading.curvature_ridge_factor = 0.6
    shading.curvature_valley_factor = 0.8
    shading.show_shadows = True
    shading.shadow_intensity = 0.35
    shading.show_specular_highlight = True
    shading.show_object_outline = False
    display.light_direction = (-0.45, 0.55, 0.7)
    display.shadow_focus = 0.6
    display.render_aa = "FXAA"  # the samples of "8" cost three times as long


def camera(scene: bpy.types.Scene, place: Sequence[float], target: Sequence[float], lens: float = 50.0) -> None:
    """A camera at `place` [m] that looks at `target` [m]. lens: focal length [mm]."""
    data = bpy.data.cameras.new("Camera")
    data.lens = lens
    data.clip_start, data.clip_end = 0.01, 100.0
    ob = add(scene, "Camera", data, place)
    ob.rotation_euler = (mathutils.Vector(target) - mathutils.Vector(place)).to_track_quat("-Z", "Y").to_euler()
    scene.camera = ob


def add(scene: bpy.types.Scene, name: str, data: bpy.types.ID, place: Sequence[float] = (0, 0, 0)) -> bpy.types.Object:
    """A new object at `place` [m]."""
    ob = bpy.data.objects.new(name, data)
    ob.location = place
    scene.collection.objects.link(ob)
    return ob


def material(name: str, colour: Colour, roughness: float = 0.6, metallic: float = 0.0) -> bpy.types.Material:
    """A material for the solid view. colour: linear RGB."""
    new_material = bpy.data.materials.new(name)
    new_material.diffuse_color = (*colour, 1.0)
    new_material.roughness, new_material.metallic = roughness, metallic
    return new_material


def mesh(name: str, vertices: Iterable[Sequence[float]], faces: Iterable[Sequence[int]], smooth: bool) -> bpy.types.Mesh:
    """A mesh of vertices [m] and faces, shaded smooth or flat."""
    new_mesh = bpy.data.meshes.new(name)
    new_mesh.from_pydata([tuple(map(float, v)) for v in vertices], [], [tuple(map(int, f)) for f in faces])
    new_mesh.polygons.foreach_set("use_smooth", [smooth] * len(new_mesh.polygons))
    new_mesh.update()
    return new_mesh


def grid(name: str, columns: int, rows: int, u: Sequence[float], v: Sequence[float]) -> bpy.types.Mesh:
    """A sheet of columns x rows quads, from the origin along the vectors u and v [m], with a UV map whose U is along u."""
    across, up = mathutils.Vector(u), mathutils.Vector(v)
    n = columns + 1
    vertices = [across * (i / columns) + up * (j / rows) for j in range(rows + 1) for i in range(n)]
    corners = [j * n + i for j in range(rows) for i in range(columns)]
    sheet = mesh(name, vertices, [(a, a + 1, a + n + 1, a + n) for a in corners], smooth=True)
    uv = sheet.uv_layers.new(name="UVMap")
    for loop in sheet.loops:
        j, i = divmod(loop.vertex_index, n)
        uv.data[loop.index].uv = (i / columns, j / rows)
    return sheet


def box(name: str, low: Sequence[float], high: Sequence[float]) -> bpy.types.Mesh:
    """A closed box between two corners [m]."""
    vertices = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh(name, vertices, faces, smooth=False)


def collide(ob: bpy.types.Object, friction: float = 5.0, thickness: float = 0.002) -> None:
    """Add Blender's own Collision physics. friction: Blender's, 0 to 80. thickness: outer [m]."""
    ob.modifiers.new("Collision", "COLLISION")
    ob.collision.cloth_friction = friction
    ob.collision.thickness_outer = thickness


def floor(scene: bpy.types.Scene, size: float = 20.0, colour: Colour = FLOOR) -> bpy.types.Object:
    """A ground at z = 0 that bodies land on. size: [m]."""
    data = grid("Floor", 8, 8, (size, 0, 0), (0, size, 0))
    data.materials.append(material("Floor", colour, roughness=0.9))
    ob = add(scene, "Floor", data, (-size / 2, -size / 2, 0))
    collide(ob)
    return ob
