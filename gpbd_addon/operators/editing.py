"""Edit mode of the mesh of one object alone."""

from __future__ import annotations

import bpy


def make_alone(context: bpy.types.Context, ob: bpy.types.Object) -> None:
    """Leave any mode, and make an object active and selected, no other."""
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.view_layer.objects:
        other.select_set(other == ob)
    context.view_layer.objects.active = ob


def begin(context: bpy.types.Context, *parts: bool) -> None:
    """Enter edit mode. parts: whether vertices, edges and faces are selected."""
    context.tool_settings.mesh_select_mode = parts
    bpy.ops.object.mode_set(mode="EDIT")
