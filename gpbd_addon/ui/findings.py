"""Findings of *Check Scene*, each with the button that fixes it."""

from __future__ import annotations

import json
from typing import Any

import bpy

from ..bake import finding_objects
from ..bake.finding import SAVE
from ..translations import tr
from .message import draw_message

ALL = -1


def draw_findings(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw nothing where there are none."""
    manager = context.window_manager
    texts = {number: text for number, one in enumerate(manager.gpbd_findings) if (text := _text_now(one, context.scene))}
    if not texts or manager.gpbd_status:
        return
    box = layout.box()
    row = box.row()
    if manager.gpbd_findings[0].good:
        row.label(text=manager.gpbd_findings[0].text, icon="CHECKMARK")
    else:
        row.label(text=tr(f"{len(texts)} to look at before a bake"), icon="VIEWZOOM")
    row.operator("gpbd.fix_finding", text="", icon="X").index = ALL
    for number, text in texts.items():
        finding = manager.gpbd_findings[number]
        if finding.good:
            continue
        draw_message(box, context, text, "DOT")
        if finding.operator:
            row = box.row()
            row.label(text="", icon="BLANK1")
            row.operator("gpbd.fix_finding", text=finding.button).index = number


def _text_now(finding: Any, scene: bpy.types.Scene) -> str:
    """The text with the present names of its objects; "" once one of them is gone, or the file is saved that was not."""
    if finding.operator == SAVE and bpy.data.is_saved:
        return ""
    names = finding_objects.names_now(json.loads(finding.objects or "{}"), scene)
    return "" if names is None else finding_objects.as_now(finding.text, names)
