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
    ("bpy.types.gpbd_pg_object.use_*_attribute*", "farm"),
    ("bpy.types.gpbd_pg_object.pin*", "pins"),
    ("bpy.types.gpbd_pg_object.*goal*", "goal"),
    ("bpy.types.gpbd_pg_object.*tear*", "tearing"),
    ("bpy.types.gpbd_pg_object.fracture*", "tearing"),
    ("bpy.types.gpbd_pg_object.*velocity*", "first_cloth"),
    ("bpy.types.gpbd_pg_object.*contact*", "collisions"),
    ("bpy.types.gpbd_pg_object.layer*", "collisions"),
    ("bpy.types.gpbd_pg_object.thickness*", "collisions"),
    ("bpy.types.gpbd_pg_object.friction*", "collisions"),
    ("bpy.types.gpbd_pg_object.collider*", "collisions"),
    ("bpy.types.gpbd_pg_object.flexibility*", "shape_matching"),
    ("bpy.types.gpbd_pg_object.cluster_size*", "shape_matching"),
    ("bpy.types.gpbd_pg_object.tet_*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.mass*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.*spin*", "soft_and_rigid_bodies"),
    ("bpy.types.gpbd_pg_object.*", "fabrics"),
    ("bpy.types.gpbd_pg_maps.*", "keys_and_maps"),
    ("bpy.types.gpbd_pg_scene.speed*", "keys_and_maps"),
    ("bpy.types.gpbd_pg_scene.samples*", "keys_and_maps"),
    ("bpy.types.gpbd_pg_scene.wind*", "wind"),
    ("bpy.types.gpbd_pg_scene.air*", "wind"),
    ("bpy.types.gpbd_pg_scene.drag*", "wind"),
    ("bpy.types.gpbd_pg_scene.lift*", "wind"),
    ("bpy.types.gpbd_pg_scene.drape*", "drape"),
    ("bpy.types.gpbd_pg_scene.rest_*", "drape"),
    ("bpy.types.gpbd_pg_scene.device*", "gpu"),
    ("bpy.types.gpbd_pg_scene.gpu*", "gpu"),
    ("bpy.types.gpbd_pg_scene.*", "quality_and_time"),
    ("bpy.types.gpbd_pg_*", "fabrics"),
    ("bpy.ops.gpbd.*cuda*", "gpu"),
    ("bpy.ops.gpbd.drape*", "drape"),
    ("bpy.ops.gpbd.*version*", "versions"),
    ("bpy.ops.gpbd.bake_from_here*", "versions"),
    ("bpy.ops.gpbd.bake_selected*", "versions"),
    ("bpy.ops.gpbd.resume*", "versions"),
    ("bpy.ops.gpbd.*cache*", "versions"),
    ("bpy.ops.gpbd.recover_bake*", "versions"),
    ("bpy.ops.gpbd.*statistics*", "statistics"),
    ("bpy.ops.gpbd.*map*", "statistics"),
    ("bpy.ops.gpbd.find_intersections*", "collisions"),
    ("bpy.ops.gpbd.*preset*", "fabrics"),
    ("bpy.ops.gpbd.*simulation_mesh*", "simulation_mesh"),
    ("bpy.ops.gpbd.check_scene*", "troubleshooting"),
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
