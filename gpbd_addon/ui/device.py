"""Compute device: the choice, the detected GPU, or why none can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..bake import devices
from .message import draw_message
from .value_row import draw_field

if TYPE_CHECKING:
    from ..properties.scene_properties import GPBD_PG_scene


def draw_device(layout: bpy.types.UILayout, context: bpy.types.Context, settings: GPBD_PG_scene) -> None:
    """settings: `scene.gpbd`."""
    column = layout.column(align=True)
    draw_field(column, settings, "device", *(["gpu"] if settings.device == "CUDA" else []))
    detected = devices.detected()
    if settings.device != "CPU" or (detected is not None and detected.devices):  # where none is wanted none is missed
        draw_detected(layout, context)
    if detected is not None and detected.lacks_packages:
        row = layout.row()
        row.enabled = not context.window_manager.gpbd_status
        row.operator("gpbd.install_cuda", icon="IMPORT")


def draw_detected(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The GPUs, or why there is none."""
    detected = devices.detected()
    if detected is None:
        layout.label(text="Looking for a GPU", icon="TIME")
        return
    column = layout.column(align=True)
    for device in detected.devices:
        text = f"{device.index + 1}: {device.name}, {device.free / 1e9:.1f} of {device.memory / 1e9:.1f} GB free"
        column.label(text=text, icon="ERROR" if device.why else "CHECKMARK")
        if device.why and device.why != detected.why:
            draw_message(column, context, device.why, "BLANK1")
    if detected.why:
        draw_message(layout, context, detected.why, "INFO")
