"""Lines of *Check Scene*, stored with the window, not in the file.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

import bpy
from bpy.props import BoolProperty, StringProperty


class GPBD_PG_finding(bpy.types.PropertyGroup):
    """One line, and its button"""

    text: StringProperty(name="Text", options={"SKIP_SAVE"})
    button: StringProperty(name="Button", options={"SKIP_SAVE"})
    operator: StringProperty(name="Operator", options={"SKIP_SAVE"})
    values: StringProperty(name="Values", description="Of the operator's properties, as JSON", options={"SKIP_SAVE"})
    objects: StringProperty(name="Objects", description="Session uids of the named objects, as JSON", options={"SKIP_SAVE"})
    stays: BoolProperty(name="Stays", options={"SKIP_SAVE"})
    good: BoolProperty(name="Good", description="Nothing is to be done", options={"SKIP_SAVE"})
