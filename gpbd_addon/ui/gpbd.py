"""The panel in Properties > Physics: what every bake needs, and in it the panels of all the rest."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import KIND_MENU, PANEL, SELECTED_MENU
from . import bake_buttons, bake_state, live, manual, padding, preset, quality
from .paragraph import draw_paragraph


class GpbdPanel:
    """Base of all our panels: a mixin."""

    bl_space_type: Any = "PROPERTIES"
    bl_region_type: Any = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.gpbd.body_type != "NONE"


class GpbdSubPanel(GpbdPanel):
    """Base of a nested panel; closed at first, so that a body's first steps are seen without scrolling."""

    bl_parent_id = PANEL
    bl_options: Any = {"DEFAULT_CLOSED"}


class PHYSICS_PT_gpbd(GpbdPanel, bpy.types.Panel):
    bl_label = "GPBD"
    bl_idname = PANEL

    def draw_header(self, context):
        body_type = context.object.gpbd.body_type
        self.layout.label(text="", icon=BODY_KINDS[body_type].icon)

    def draw_header_preset(self, context):
        self.layout.operator("wm.url_open", text="Guide", icon="HELP", emboss=False).url = manual.front_page()

    def draw(self, context):
        layout, body = self.layout, context.object
        _draw_kind(layout, body)
        if not body.is_editable:
            draw_paragraph(layout, context, "Linked: make it local to change it", "LINKED")
        elif body.gpbd.muted:
            draw_paragraph(layout, context, "Muted: not simulated; a cache plays on", "MUTE_IPO_ON")
        if BODY_KINDS[body.gpbd.body_type].material is not None:
            preset.draw_menu(layout, body)
            preset.draw_slots(layout, context, body)
        quality.draw(layout, context)
        live.draw(layout, context)
        bake_buttons.draw(layout, context)
        bake_state.draw(layout, context, body)
        padding.draw(layout, context)


def _draw_kind(layout: bpy.types.UILayout, body: bpy.types.Object) -> None:
    kind = BODY_KINDS[body.gpbd.body_type]
    row = layout.row(align=True)
    row.menu(KIND_MENU, text=kind.name, icon=kind.icon)
    row.prop(body.gpbd, "muted", text="", icon="MUTE_IPO_ON" if body.gpbd.muted else "MUTE_IPO_OFF")
    row.menu(SELECTED_MENU, text="", icon="DOWNARROW_HLT")
    row.operator("gpbd.remove_body", text="", icon="X")
