"""Letting Blender draw again what shows how far something is."""

from __future__ import annotations

import bpy


def redraw() -> None:
    """Properties and Preferences, in all windows."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in ("PROPERTIES", "PREFERENCES"):
                area.tag_redraw()
