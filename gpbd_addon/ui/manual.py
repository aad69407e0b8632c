"""F1 on a field or a button of ours opens its page of the guide."""

from __future__ import annotations

import functools
from pathlib import Path

import bpy

_ROOT = Path(__file__).resolve().parents[2]
#: The site of the documentation, in the extension's folder, and its pages as they are written, which a clone has instead.
SITE, GUIDE = _ROOT / "site", _ROOT / "docs" / "guide"
#: Pattern of an identifier as Blender has it -> page; the first that fits counts.
PAGES = (
    ("bpy.types.gpbd_pg_plastic_neo_hookean.*", "creases"),
    ("bpy.types.gpbd_pg_creasing_shell.*", "creases"),
    ("bpy.types.gpbd_pg_plastic_membrane.*", "creases"),
    ("bpy.types.gpbd_pg_object.use_*_attribute*", "farm"),
    ("bpy.types.gpbd_pg_object.pin*", "pins"),
    ("bpy.types.gpbd_pg_object.follow*", "pins"),
    ("bpy.types.gpbd_pg_object.*goal*", "goal"),
    ("bpy.types.gpbd_pg_object.*tear*", "tearing"),
    ("bpy.types.gpbd_pg_object.fracture*", "tearing"),
    ("bpy.types.gpbd_pg_object.*velocity*", "first_cloth"),
    ("bpy.types.gpbd_pg_object.rest_shape_key*", "shape"),
    ("bpy.types.gpbd_pg_object.use_dynamic_mesh*", "shape"),
    ("bpy.types.gpbd_pg_object.*shrink*", "shape"),
    ("bpy.types.gpbd_pg_object.*pressure*", "shape"),
    ("bpy.types.gpbd_pg_object.target_volume*", "shape"),
    ("bpy.types.gpbd_pg_object.fluid_density*", "shape"),
    ("bpy.types.gpbd_pg_object.*sewing*", "shape"),
    ("bpy.types.gpbd_pg_object.seam_strength*", "shape"),
    ("bpy.types.gpbd_pg_object.attachment*", "shape"),
    ("bpy.types.gpbd_pg_attachment.*", "shape"),
    ("bpy.types.gpbd_pg_object.*contact*", "collisions"),
    ("bpy.types.gpbd_pg_object.layer*", "collisions"),
    ("bpy.types.gpbd_pg_object.thickness*", "collisions"),
    ("bpy.types.gpbd_pg_object.self_thickness*", "collisions"),
    ("bpy.types.gpbd_pg_object.o*_thickness*", "collisions"),
    ("bpy.types.gpbd_pg_object.friction*", "collisions"),
    ("bpy.types.gpbd_pg_object.collider*", "collisions"),
    ("bpy.types.gpbd_pg_object.flexibility*", "shape_matching"),
    ("bpy.types.gpbd_pg_object.cluster_size*", "shape_matching"),
    ("bpy.types.gpbd_pg_shape_matching.*", "shape_matching"),
    ("bpy.types.gpbd_pg_object.rope_*", "ropes"),
    ("bpy.types.gpbd_pg_object.turn_*", "ropes"),
    ("bpy.types.gpbd_pg_elastic_rod.*", "ropes"),
    ("bpy.types.gpbd_pg_yielding_rod.*", "ropes"),
    ("bpy.types.gpbd_pg_rod_stretch.*", "ropes"),
    ("bpy.types.gpbd_pg_object.charge*", "wind"),
    ("bpy.types.gpbd_pg_object.point_size*", "wind"),
    ("bpy.types.gpbd_pg_object.*air*", "wind"),
    ("bpy.types.gpbd_pg_object.drag*", "wind"),
    ("bpy.types.gpbd_pg_object.lift*", "wind"),
    ("bpy.types.gpbd_pg_effector_weights.*", "wind"),
    ("bpy.types.gpbd_pg_object.tet_*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.mass*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.*spin*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.initial_velocity*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.density_volume*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.solid_model*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_*neo_hookean.*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_fixed_corotated.*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_stvk_solid.*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_volume.*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.heat_map*", "statistics"),
    ("bpy.types.gpbd_pg_object.muted*", "from_blender"),
    ("bpy.types.gpbd_pg_object.*simulation_mesh*", "simulation_mesh"),
    ("bpy.types.gpbd_pg_object.*", "fabrics"),
    ("bpy.types.gpbd_pg_grab.*", "live"),
    ("bpy.types.gpbd_pg_maps.*", "keys_and_maps"),
    ("bpy.types.gpbd_pg_scene.speed*", "keys_and_maps"),
    ("bpy.types.gpbd_pg_scene.samples*", "keys_and_maps"),
    ("bpy.types.gpbd_pg_scene.wind*", "wind"),
    ("bpy.types.gpbd_pg_scene.air*", "wind"),
    ("bpy.types.gpbd_pg_scene.drag*", "wind"),
    ("bpy.types.gpbd_pg_scene.lift*", "wind"),
    ("bpy.types.gpbd_pg_scene.drape*", "drape"),
    ("bpy.types.gpbd_pg_scene.rest_*", "drape"),
    ("bpy.types.gpbd_pg_scene.grab_*", "live"),
    ("bpy.types.gpbd_pg_scene.live*", "live"),
    ("bpy.types.gpbd_pg_scene.own_range*", "first_cloth"),
    ("bpy.types.gpbd_pg_scene.frame_*", "first_cloth"),
    ("bpy.types.gpbd_pg_scene.cache*", "versions"),
    ("bpy.types.gpbd_pg_scene.checkpoint*", "versions"),
    ("bpy.types.gpbd_pg_scene.heat_map*", "statistics"),
    ("bpy.types.gpbd_pg_scene.device*", "gpu"),
    ("bpy.types.gpbd_pg_scene.gpu*", "gpu"),
    ("bpy.types.gpbd_pg_scene.*", "quality_and_time"),
    ("bpy.types.gpbd_pg_*", "fabrics"),
    ("bpy.ops.gpbd.*cuda*", "gpu"),
    ("bpy.ops.gpbd.drape*", "drape"),
    ("bpy.ops.gpbd.apply_shape*", "drape"),
    ("bpy.ops.gpbd.remove_start*", "drape"),
    ("bpy.ops.gpbd.*version*", "versions"),
    ("bpy.ops.gpbd.bake_from_here*", "versions"),
    ("bpy.ops.gpbd.bake_selected*", "versions"),
    ("bpy.ops.gpbd.resume*", "versions"),
    ("bpy.ops.gpbd.*cache*", "versions"),
    ("bpy.ops.gpbd.recover_bake*", "versions"),
    ("bpy.ops.gpbd.*statistics*", "statistics"),
    ("bpy.ops.gpbd.*_map*", "statistics"),
    ("bpy.ops.gpbd.find_intersections*", "statistics"),
    ("bpy.ops.gpbd.*preset*", "fabrics"),
    ("bpy.ops.gpbd.warp_lines*", "fabrics"),
    ("bpy.ops.gpbd.import_fabric*", "yarn_fabrics"),
    ("bpy.ops.gpbd.*simulation_mesh*", "simulation_mesh"),
    ("bpy.ops.gpbd.*attachment*", "shape"),
    ("bpy.ops.gpbd.*rope*", "ropes"),
    ("bpy.ops.gpbd.*grab*", "live"),
    ("bpy.ops.gpbd.freeze*", "live"),
    ("bpy.ops.gpbd.let_go*", "live"),
    ("bpy.ops.gpbd.*live*", "live"),
    ("bpy.ops.gpbd.convert_from_blender*", "from_blender"),
    ("bpy.ops.gpbd.*_selected*", "from_blender"),
    ("bpy.ops.gpbd.set_outer_thickness*", "collisions"),
    ("bpy.ops.gpbd.check_scene*", "troubleshooting"),
    ("bpy.ops.gpbd.fix_finding*", "troubleshooting"),
    ("bpy.ops.gpbd.*", "first_cloth"),
)


def manual() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the value for `bpy.utils.register_manual_map`: the base URL of the pages, and the path of each pattern."""
    folder, ending = (SITE / "guide", ".html") if SITE.is_dir() else (GUIDE, ".md")
    return f"{folder.as_uri()}/", tuple((pattern, page + ending) for pattern, page in PAGES)


@functools.cache
def front_page() -> str:
    """Address of what the button *Guide* opens; looked up once, for panels read no files."""
    return (SITE / "index.html" if SITE.is_dir() else GUIDE.with_name("README.md")).as_uri()


def register() -> None:
    bpy.utils.register_manual_map(manual)


def unregister() -> None:
    bpy.utils.unregister_manual_map(manual)
