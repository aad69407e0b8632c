"""Blender's Cloth and Soft Body of objects, read: their settings, and the mesh below them as it is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.topology.axes import warp_and_weft
from ..body_kinds import SHEET, SOLID
from ..read import evaluated_mesh, forces
from .cloth_source import ClothSource
from .soft_body_rope_source import SoftBodyRopeSource
from .soft_body_source import SoftBodySource
from .spring_network import Faces

#: Blender's modifiers that are converted, by type, and their names.
CONVERTED = {SHEET: "Cloth", SOLID: "Soft Body"}


def modifier_of(ob: bpy.types.Object) -> bpy.types.Modifier | None:
    """The first modifier of an object that can be converted; None without one."""
    return next((md for md in ob.modifiers if md.type in CONVERTED), None)


@contextmanager
def below(modifiers: Iterable[Any]) -> Iterator[None]:
    """Switch off these modifiers and those after them in the viewport inside this context."""
    shown = []
    for md in modifiers:
        stack = list(md.id_data.modifiers)
        shown += [other for other in stack[stack.index(md) :] if other.show_viewport]
    try:
        for md in shown:
            md.show_viewport = False
        yield
    finally:
        for md in shown:
            md.show_viewport = True


@contextmanager
def fresh(kind: str) -> Iterator[bpy.types.Modifier]:
    """A modifier of a type as Blender makes it."""
    ob = bpy.data.objects.new("fresh", bpy.data.meshes.new("fresh"))
    mesh = ob.data
    try:
        yield ob.modifiers.new("fresh", kind)
    finally:
        bpy.data.objects.remove(ob)
        bpy.data.meshes.remove(mesh)


def read(md: bpy.types.Modifier, depsgraph: bpy.types.Depsgraph, scene: bpy.types.Scene) -> ClothSource | SoftBodySource:
    """Call inside `below`. Raises: SceneError if the object is not evaluated, or if its mesh has no faces, and no edges that
    a Soft Body could be a rope of."""
    ob = md.id_data
    there = evaluated_mesh.evaluated(ob, depsgraph)
    scale = scene.unit_settings.scale_length
    is_line = md.type == SOLID and len(there.data.edges) > 0 and not len(there.data.polygons)
    faces = _edges(there, scale) if is_line else _faces(there, scale)
    gravity = float(np.linalg.norm(forces.gravity(scene)))
    if md.type == SHEET:
        return ClothSource(md.settings, md.collision_settings, faces, len(faces.x), scale, gravity)
    at = md.settings
    groups = {name for name in (at.vertex_group_goal, at.vertex_group_mass) if name}
    weights = {name: evaluated_mesh.weights(there, name) if name in there.vertex_groups else None for name in groups}
    return (SoftBodyRopeSource if is_line else SoftBodySource)(at, faces, weights, scale, gravity)


def _edges(ob: bpy.types.Object, scale: float) -> Faces:
    """A mesh without faces."""
    x, ends = evaluated_mesh.world_positions(ob, scale), evaluated_mesh.edges(ob.data)
    if not np.linalg.norm(x[ends[:, 1]] - x[ends[:, 0]], axis=1).all():
        raise SceneError(f"{ob.name_full}: has edges without length. Use Mesh > Merge > By Distance first.")
    return Faces(x, np.zeros((0, 2), np.int32), np.zeros(1, np.int32), ends, np.zeros((0, 2, 3)), np.zeros(0))


def _faces(ob: bpy.types.Object, scale: float) -> Faces:
    mesh = ob.data
    if not len(mesh.polygons):
        raise SceneError(f"{ob.name_full}: has no faces; wanted a mesh with some. Convert it by hand, or fill it.")
    begins = np.empty(len(mesh.polygons) + 1, np.int32)
    mesh.polygons.foreach_get("loop_start", begins[:-1])
    begins[-1] = len(mesh.loops)
    edges = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_edge"].data.foreach_get("value", edges)
    x, triangles = evaluated_mesh.world_positions(ob, scale), evaluated_mesh.triangles(mesh)
    owner = np.empty(len(triangles), np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", owner)
    normal = np.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]])
    areas = 0.5 * np.linalg.norm(normal, axis=1)
    largest = np.lexsort((-areas, owner))[np.searchsorted(np.sort(owner), np.arange(len(mesh.polygons)))]
    if not (areas[largest] > 0).all():
        raise SceneError(f"{ob.name_full}: has faces without area. Use Mesh > Clean Up > Degenerate Dissolve first.")
    return Faces(
        x,
        np.column_stack([evaluated_mesh.face_corners(mesh), edges]),
        begins,
        evaluated_mesh.edges(mesh),
        warp_and_weft(ob.name_full, x, triangles[largest]),
        np.bincount(owner, areas, minlength=len(mesh.polygons)),
    )
