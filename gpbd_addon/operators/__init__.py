"""What an artist can do; one operator a file. A new one is a file and a line here."""

from __future__ import annotations

import bpy

from . import (
    add_body,
    apply_preset,
    bake,
    check_scene,
    clear_cache,
    convert_to_shape_keys,
    remove_body,
    resume,
    save_preset,
)

CLASSES = (
    add_body.GPBD_OT_add_body,
    remove_body.GPBD_OT_remove_body,
    apply_preset.GPBD_OT_apply_preset,
    save_preset.GPBD_OT_save_preset,
    check_scene.GPBD_OT_check_scene,
    bake.GPBD_OT_bake,
    resume.GPBD_OT_resume,
    clear_cache.GPBD_OT_clear_cache,
    convert_to_shape_keys.GPBD_OT_convert_to_shape_keys,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
