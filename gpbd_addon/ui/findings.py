"""Findings of *Check Scene*, each with the button that fixes it."""

from __future__ import annotations

from typing import Any

import bpy

from ..translations import tr
from .message import draw_message

ALL = -1


def draw_findings(layout: Any, context: bpy.types.Context) -> None:
    """Draw nothing where there are none."""
    manager: Any = context.window_manager
    if not manager.gpbd_findings or manager.gpbd_status:
        return
    box = layout.box()
    row = box.row()
    if manager.gpbd_findings[0].good:
        row.label(text=manager.gpbd_findings[0].text, icon="CHECKMARK")
    else:
        row.label(text=tr(f"{len(manager.gpbd_findings)} to look at before a bake"), icon="VIEWZOOM")
    row.operator("gpbd.fix_finding", text="", icon="X").index = ALL
    for number, finding in enumerate(manager.gpbd_findings):
        if finding.good:
            continue
        draw_message(box, context, finding.text, "DOT")
        if finding.operator:
            row = box.row()
            row.label(text="", icon="BLANK1")
            row.operator("gpbd.fix_finding", text=finding.button).index = number
