"""A field for a vertex group or an attribute."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.group_names import weights_of
from .value_row import labelled


def draw_group(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    settings: bpy.types.bpy_struct,
    name: str,
    share: float | None = None,
    **how: Any,
) -> None:
    """Draw a field whose value names weights of the points; red if there are none of this name. share: of the width, for the
    label, in place of Blender's."""
    field = layout.column(align=True)
    if share is not None:
        field, how = labelled(field, settings, name, share, how.get("text")), {**how, "text": ""}
    group = getattr(settings, name)
    field.alert = bool(group) and group not in weights_of(settings.id_data, context.view_layer)
    field.prop(settings, name, icon="GROUP_VERTEX", **how)
