"""Draws a thick coat, its simulation mesh, and the coat as that moves it: `python tools/simulation_mesh_picture.py`.

Left the coat as it is modelled, with two layers and buttons, in the middle its simulation mesh, right the coat in the wind,
held by its collar. `dev.py docs presets` runs it too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import bpy  # noqa: E402

from demo import extension, modelled, stage  # noqa: E402

OUT = ROOT / "docs" / "pictures" / "simulation_mesh.jpg"
#: Of a picture [pixels], and frames of the bake.
SIZE, FRAMES = (400, 440), 12
#: Edge of the faces and thickness of the coat, and edge of its simulation mesh [m].
EDGE, THICKNESS, SIMULATED = 0.012, 0.006, 0.018
#: Cutting planes: a point, and the direction of the removed side.
CUTS = (
    ((0, 0, 0.85), (0, 0, -1)), ((0.4, 0, 1.21), (0.28, 0, -0.18)), ((-0.4, 0, 1.21), (-0.28, 0, -0.18)),
    ((0, 0, 1.52), (0, 0, 1)),
)  # fmt: skip
COLLAR = 1.44


def coat(scene: Any) -> Any:
    """Two layers, their rims, and four buttons in one mesh."""
    import bmesh  # is there once Blender is

    balls: list[modelled.Ball] = [((0, 0, 1.1), (0.2, 0.14, 0.32)), ((0, 0, 1.3), (0.22, 0.14, 0.15))]
    for side in (-1, 1):
        balls += modelled.limb((side * 0.17, 0, 1.38), (side * 0.45, 0, 1.2), 0.08, 0.07)
    balls += modelled.limb((0, 0.01, 1.38), (0, 0, 1.6), 0.08, 0.075)
    ob = modelled.melted("Coat", balls, EDGE)
    if ob.name not in scene.objects:
        scene.collection.objects.link(ob)
    work = bmesh.new()
    work.from_mesh(ob.data)
    for point, normal in CUTS:
        geometry = [*work.verts, *work.edges, *work.faces]
        bmesh.ops.bisect_plane(work, geom=geometry, plane_co=point, plane_no=normal, clear_outer=True)
    work.to_mesh(ob.data)
    work.free()
    ob.modifiers.new("Solidify", "SOLIDIFY").thickness = THICKNESS
    ob.modifiers.new("Subdivision", "SUBSURF").levels = 1
    bpy.context.view_layer.objects.active = ob
    for name in ("Solidify", "Subdivision"):
        bpy.ops.object.modifier_apply(modifier=name)
    buttons = []
    for k in range(4):
        where = (0, -0.153 + 0.006 * k, 0.95 + 0.11 * k)
        bpy.ops.mesh.primitive_cylinder_add(vertices=20, radius=0.014, depth=0.008, location=where, rotation=(1.5708, 0, 0))
        bpy.context.object.data.materials.append(stage.material("Button", (0.8, 0.7, 0.5)))
        buttons.append(bpy.context.object)
    ob.data.materials.append(stage.material("Wool", (0.12, 0.16, 0.28)))
    with bpy.context.temp_override(active_object=ob, object=ob, selected_editable_objects=[ob, *buttons]):
        bpy.ops.object.join()
    top = [vertex.index for vertex in ob.data.vertices if vertex.co.z > COLLAR]
    ob.vertex_groups.new(name="Collar").add(top, 1.0, "REPLACE")
    ob.data.shade_smooth()
    bpy.context.view_layer.objects.active = ob
    return ob


def main() -> None:
    extension.enable()
    from gpbd.gpbd_addon import picture_file
    from gpbd.gpbd_addon.bake.job import BakeJob

    folder = Path(tempfile.mkdtemp())
    scene: Any = stage.empty_file(FRAMES, cache_folder=str(folder / "cache"), quality="DRAFT")
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    stage.camera(scene, (0.9, -2.1, 1.35), (0.02, 0.0, 1.17), lens=70)
    ob = coat(scene)
    pictures = [_rendered(scene, folder, picture_file)]
    bpy.ops.gpbd.make_simulation_mesh(edge=SIMULATED)
    twin = bpy.context.object
    twin.gpbd.pin_group = "Collar"
    ob.hide_render, twin.hide_render = True, False
    wire = twin.modifiers.new("Wireframe", "WIREFRAME")
    wire.thickness, wire.use_replace, wire.material_offset = 0.004, False, 1
    twin.data.materials.clear()
    for name, colour in (("Faces", stage.FLOOR), ("Edges", (0.03, 0.03, 0.03))):
        twin.data.materials.append(stage.material(name, colour))
    twin.data.polygons.foreach_set("material_index", [0] * len(twin.data.polygons))
    pictures.append(_rendered(scene, folder, picture_file))
    ob.hide_render, twin.hide_render = False, True
    twin.modifiers.remove(wire)
    bpy.ops.gpbd.apply_preset(path=str(ROOT / "presets" / "fabrics" / "wool_suiting.toml"))
    scene.gpbd.wind = (1.0, 1.5, 0.0)
    BakeJob(scene).run()
    scene.frame_set(FRAMES)
    pictures.append(_rendered(scene, folder, picture_file))
    picture_file.write(OUT, picture_file.joined(pictures, 3))


def _rendered(scene: Any, folder: Path, picture_file: Any) -> Any:
    scene.render.filepath = str(folder / "picture.png")
    bpy.ops.render.render(write_still=True)
    return picture_file.read(Path(scene.render.filepath))


if __name__ == "__main__":
    main()
