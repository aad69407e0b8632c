"""Settings of a body that another body can copy: all but its identity and its bakes."""

from __future__ import annotations

from typing import Any

import bpy

#: Of this one object: its identity, its caches and what its mesh shows.
OF_ITSELF = {
    "uuid", "muted", "cache_file", "cache_origin", "cache_info", "clearance", "start_elements", "heat_map", "contact_map",
    "warp_lines", "colour_before", "grabs", "simulation_mesh", "before_simulation_mesh", "anchor_reach",
}  # fmt: skip


def copy(source: Any, target: Any) -> list[str]:
    """Set all settings of one object's `gpbd` from another's; return the names that the mesh of the target lacks; they
    are left empty there. Both are objects."""
    missing: list[str] = []
    _copy(source.gpbd, target.gpbd, target, missing)
    return missing


def _copy(source: Any, target: Any, owner: bpy.types.bpy_struct, missing: list[str]) -> None:
    for prop in source.bl_rna.properties:
        name = prop.identifier
        if name == "rna_type" or name in OF_ITSELF or prop.is_skip_save:
            continue
        value = getattr(source, name)
        if prop.type == "POINTER" and prop.is_readonly:
            _copy(value, getattr(target, name), owner, missing)
        elif prop.type == "COLLECTION":
            _copy_rows(value, getattr(target, name), owner, missing)
        elif not prop.is_readonly:
            if prop.type == "STRING" and value and not _has(owner, name, value):
                missing.append(value)
                value = ""
            setattr(target, name, value)


def _copy_rows(source: Any, target: Any, owner: bpy.types.bpy_struct, missing: list[str]) -> None:
    target.clear()
    for row in source:
        _copy(row, target.add(), owner, missing)


def _has(owner: Any, name: str, value: str) -> bool:
    """Return whether the mesh has the group or attribute that a text names; True for texts that name none."""
    if "group" in name:
        return value in owner.vertex_groups or value in owner.data.attributes
    if name == "uv_map":
        return value in owner.data.uv_layers
    if name == "rest_shape_key":
        return owner.data.shape_keys is not None and value in owner.data.shape_keys.key_blocks
    return True
