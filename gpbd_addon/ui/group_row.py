"""A field for a vertex group or an attribute."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.group_names import weights_of


def draw_group(layout: Any, context: bpy.types.Context, settings: Any, name: str, **how: Any) -> None:
    """Draw a field whose value names weights of the points; red if there are none of this name."""
    column = layout.column(align=True)
    group = getattr(settings, name)
    column.alert = bool(group) and group not in weights_of(settings.id_data, context.view_layer)
    column.prop(settings, name, icon="GROUP_VERTEX", **how)
