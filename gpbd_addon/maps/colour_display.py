"""The colour attribute that replaces a mesh's own while a map is on, and the views that show it."""

from __future__ import annotations

import bpy

ATTRIBUTE, MATERIAL = "VERTEX", "MATERIAL"  # source of colours in solid shading


def remember(ob: bpy.types.Object) -> None:
    """Store which colours are the mesh's own; call it before a map adds its attributes."""
    active = ob.data.color_attributes.active_color
    ob.gpbd.colour_before = active.name if active is not None else ""


def show(ob: bpy.types.Object, name: str) -> None:
    """Make an attribute the active colour."""
    ob.data.color_attributes.active_color = ob.data.color_attributes[name]


def hide(ob: bpy.types.Object) -> None:
    """Restore the mesh's own colours."""
    before = ob.data.color_attributes.get(ob.gpbd.colour_before)
    if before is not None:
        ob.data.color_attributes.active_color = before
    ob.gpbd.colour_before = ""


def show_in_views(context: bpy.types.Context) -> None:
    """Show colour attributes in all 3D views and Workbench while a body has a map on, and materials again when none has."""
    scene = context.scene
    on = any(ob.gpbd.heat_map or ob.gpbd.contact_map for ob in scene.objects)
    windows = context.window_manager.windows
    areas = [area for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]
    for shading in (scene.display.shading, *(space.shading for area in areas for space in area.spaces[:1])):
        if on:
            if shading.type not in ("SOLID", "WIREFRAME"):
                shading.type = "SOLID"
            shading.color_type = ATTRIBUTE
        elif shading.color_type == ATTRIBUTE:
            shading.color_type = MATERIAL
