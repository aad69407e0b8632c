"""Redraw of the editors that show progress."""

from __future__ import annotations

import bpy


def redraw() -> None:
    """Properties and Preferences, in all windows."""
    _redraw("PROPERTIES", "PREFERENCES")


def redraw_views() -> None:
    """3D views and timelines, in all windows."""
    _redraw("VIEW_3D", "DOPESHEET_EDITOR")


def _redraw(*types: str) -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in types:
                area.tag_redraw()
