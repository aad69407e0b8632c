"""Parts of a cloth that are of another fabric: the faces of a material slot whose material names a preset."""

from __future__ import annotations

import bpy
import numpy as np

from ...solver.errors import MaterialError, PresetError
from ...solver.scene import Material, Region
from ...solver.scene.presets import load_material
from ..user_folder import user_presets_folder

Array = np.ndarray


def names(ob: bpy.types.Object) -> list[str]:
    """Return the preset that each material slot names, "" for the body's own fabric."""
    slots = [slot.material for slot in ob.material_slots]
    return ["" if material is None else material.original.gpbd_preset for material in slots]


def read(ob: bpy.types.Object) -> list[Region]:
    """The triangles of an evaluated cloth that are of another fabric than the body's.

    Raises: MaterialError, naming the object and the material, if there is no such preset or if it is no fabric.
    """
    presets = names(ob)
    if not any(presets):
        return []
    slot = np.minimum(_slot_of_triangles(ob.data), len(presets) - 1)  # Blender shows faces of missing slots as the last
    regions = []
    for preset in dict.fromkeys(filter(None, presets)):
        mine = [number for number, name in enumerate(presets) if name == preset]
        elements = np.flatnonzero(np.isin(slot, mine))
        if len(elements):
            regions.append(Region(elements, _fabric(ob, ob.material_slots[mine[0]].material.name, preset)))
    return regions


def _fabric(ob: bpy.types.Object, owner: str, preset: str) -> Material:
    try:
        material = load_material(preset, user_presets_folder())
    except PresetError as error:
        raise MaterialError(
            f"{ob.name}: the material '{owner}' of a slot names a preset that is missing: {error}"
        ) from error
    if material.kind != "fabric":
        raise MaterialError(
            f"{ob.name}: the material '{owner}' of a slot names the preset '{preset}', a {material.kind}; wanted a fabric. "
            "Choose another preset in Material > Slot Materials."
        )
    return material


def _slot_of_triangles(mesh: bpy.types.Mesh) -> Array:
    """Material slot of each triangle, in the order of `evaluated_mesh.triangles`, (t,)."""
    slots = np.zeros(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    mesh.calc_loop_triangles()
    faces = np.empty(len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", faces)
    return slots[faces]
