"""The selected objects that an operator acts on."""

from __future__ import annotations

from typing import Any

import bpy


def chosen(context: Any) -> list[bpy.types.Object]:
    """The active object, which need not be selected, and the selected ones."""
    active = [context.object] if context.object is not None else []
    return list(dict.fromkeys([*active, *context.selected_objects]))


def others(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected meshes but the active one."""
    return [ob for ob in context.selected_objects if ob != context.object and ob.type == "MESH"]
