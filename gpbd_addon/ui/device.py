"""Compute device: the choice, the detected GPU, or why none can be used."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import devices
from .message import draw_message


def draw_device(layout: Any, context: bpy.types.Context, settings: Any) -> None:
    """settings: `scene.gpbd`."""
    column = layout.column(align=True)
    column.use_property_split, column.use_property_decorate = True, False
    column.prop(settings, "device")
    if settings.device == "CUDA":
        column.prop(settings, "gpu")
    found = devices.detected()
    if settings.device != "CPU" or (found is not None and found.devices):  # where none is wanted none is missed
        draw_found(layout, context)
    if found is not None and found.lacks_packages:
        row = layout.row()
        row.enabled = not context.window_manager.gpbd_status
        row.operator("gpbd.install_cuda", icon="IMPORT")


def draw_found(layout: Any, context: bpy.types.Context) -> None:
    """The GPUs, or why there is none."""
    found = devices.detected()
    if found is None:
        layout.label(text="Looking for a GPU", icon="TIME")
        return
    column = layout.column(align=True)
    for device in found.devices:
        text = f"{device.index + 1}: {device.name}, {device.free / 1e9:.1f} of {device.memory / 1e9:.1f} GB free"
        column.label(text=text, icon="ERROR" if device.why else "CHECKMARK")
        if device.why and device.why != found.why:
            draw_message(column, context, device.why, "BLANK1")
    if found.why:
        draw_message(layout, context, found.why, "INFO")
