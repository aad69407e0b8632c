"""Tells what would stop or spoil a bake, without baking."""

from __future__ import annotations

from typing import Any

import bpy

from ..bake import scene_check


class GPBD_OT_check_scene(bpy.types.Operator):
    """Look for everything that would stop or spoil a bake"""

    bl_idname = "gpbd.check_scene"
    bl_label = "Check Scene"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return not context.window_manager.gpbd_status

    def execute(self, context):
        problems = scene_check.check(context.scene)
        for problem in problems:
            self.report({"WARNING"}, problem)
        if problems:
            self._show(context, problems)
        else:
            self.report({"INFO"}, "The scene is ready to bake")
        return {"FINISHED"}

    def _show(self, context: bpy.types.Context, problems: list[str]) -> None:
        """All of them at once: the status bar has room for one."""
        if bpy.app.background:
            return

        def draw(menu: Any, context: bpy.types.Context) -> None:
            for problem in problems:
                menu.layout.label(text=problem)

        context.window_manager.popup_menu(draw, title=f"{len(problems)} to look at before the bake", icon="ERROR")
