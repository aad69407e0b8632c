"""The colour attribute that stands for a mesh's own while a map is on."""

from __future__ import annotations

from typing import Any


def remember(ob: Any) -> None:
    """Notes which colours are the mesh's own; call it before a map adds its attributes."""
    active = ob.data.color_attributes.active_color
    ob.gpbd.colour_before = active.name if active is not None else ""


def show(ob: Any, name: str) -> None:
    """Makes an attribute the active colour."""
    ob.data.color_attributes.active_color = ob.data.color_attributes[name]


def hide(ob: Any) -> None:
    """Shows the mesh's own colours again."""
    before = ob.data.color_attributes.get(ob.gpbd.colour_before)
    if before is not None:
        ob.data.color_attributes.active_color = before
    ob.gpbd.colour_before = ""
