"""Blender's Time Stretching: frame f of the scene shows the keys and the cached pose of f x old / new."""

from __future__ import annotations

import bpy

from ...solver.json_value import JsonValue


def factor(scene: bpy.types.Scene) -> float:
    """New over old: frames of the scene that a frame of its animation takes."""
    render = scene.render
    return render.frame_map_new / render.frame_map_old


def identity(stretching: float) -> dict[str, JsonValue]:
    """Return JSON values that must be equal for a cache to be continued; empty without stretching."""
    return {} if stretching == 1.0 else {"stretching": stretching}
