"""Panels, menus and buttons; one a file. A new one is a file and a line here."""

from __future__ import annotations

import bpy

from ..live import overlay
from ..maps import response_picture
from . import (
    body,
    cache,
    collider,
    collisions,
    drape,
    field_weights,
    goal,
    gpbd,
    grab_tool,
    grabs,
    kind_menu,
    manual,
    maps,
    material,
    modifier_add,
    physics_add,
    pins,
    preferences,
    preset_gallery,
    preset_menu,
    preset_shelf,
    scene_divider,
    selected_menu,
    shape,
    simulation,
    simulation_mesh,
    statistics,
    tearing,
)

CLASSES = (
    preferences.GPBD_preferences,
    preset_menu.GPBD_MT_presets,
    preset_menu.GPBD_MT_presets_selected,
    preset_gallery.GPBD_PT_preset_gallery,
    preset_shelf.GPBD_AST_presets,
    kind_menu.GPBD_MT_kind,
    selected_menu.GPBD_MT_selected,
    gpbd.PHYSICS_PT_gpbd,
    material.PHYSICS_PT_gpbd_material,
    pins.PHYSICS_PT_gpbd_pins,
    goal.PHYSICS_PT_gpbd_goal,
    grabs.PHYSICS_PT_gpbd_grabs,
    body.PHYSICS_PT_gpbd_body,
    shape.PHYSICS_PT_gpbd_garment,
    shape.PHYSICS_PT_gpbd_shape,
    shape.PHYSICS_PT_gpbd_pressure,
    shape.PHYSICS_PT_gpbd_sewing,
    tearing.PHYSICS_PT_gpbd_tearing,
    tearing.PHYSICS_PT_gpbd_rope_tearing,
    shape.PHYSICS_PT_gpbd_attachments,
    shape.PHYSICS_PT_gpbd_rope_attachments,
    simulation_mesh.PHYSICS_PT_gpbd_simulation_mesh,
    collisions.PHYSICS_PT_gpbd_collisions,
    maps.PHYSICS_PT_gpbd_maps,
    field_weights.PHYSICS_PT_gpbd_field_weights,
    field_weights.PHYSICS_PT_gpbd_air,
    scene_divider.PHYSICS_PT_gpbd_scene,
    simulation.PHYSICS_PT_gpbd_simulation,
    drape.PHYSICS_PT_gpbd_drape,
    cache.PHYSICS_PT_gpbd_cache,
    statistics.PHYSICS_PT_gpbd_statistics,
    collider.PHYSICS_PT_gpbd_collider,
)
BUTTONS = (physics_add, modifier_add, manual, field_weights, preset_gallery, grab_tool, overlay)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    for button in BUTTONS:
        button.register()


def unregister() -> None:
    for button in reversed(BUTTONS):
        button.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    response_picture.remove()
