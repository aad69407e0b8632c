"""The extension's page in Preferences > Add-ons.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

import bpy
from bpy.props import BoolProperty

from ..bake import compile_ahead
from ..identifiers import ADDON_ID
from ..user_folder import user_presets_folder
from . import device
from .bake_progress import draw_progress
from .compiling import draw_compiling
from .message import draw_message


def _follow(preferences: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    compile_ahead.end()
    compile_ahead.problems.clear()
    compile_ahead.begin()  # or not, as the preferences now say


class GPBD_preferences(bpy.types.AddonPreferences):
    bl_idname = ADDON_ID

    compile_ahead: BoolProperty(  # type: ignore[valid-type]
        name="Compile Kernels Beforehand",
        description=(
            "Compile the kernels of most scenes after installing, in a process of low "
            "priority that pauses during a bake. Off: the first bake compiles them, and takes"
            " longer"
        ),
        default=True,
        update=_follow,
    )

    def draw(self, context):
        folder = str(user_presets_folder())
        layout = self.layout
        layout.label(text="Your own material presets (one .toml file each):")
        row = layout.row()
        row.label(text=folder)
        row.operator("wm.path_open", text="Open", icon="FILE_FOLDER").filepath = folder
        _draw_kernels(layout, context, self)
        layout.label(text="Bakes on a GPU of NVIDIA's need packages of their own:")
        device.draw_detected(layout, context)
        row = layout.row()
        row.enabled = not context.window_manager.gpbd_status
        row.operator("gpbd.install_cuda", icon="IMPORT")
        row.operator("gpbd.remove_cuda", icon="TRASH")
        draw_progress(layout, context)
        layout.label(text="Settings of the simulation are in Properties > Physics, and are kept in each .blend file.")


def _draw_kernels(layout: bpy.types.UILayout, context: bpy.types.Context, preferences: bpy.types.AddonPreferences) -> None:
    layout.label(text="The solver is compiled for this computer:")
    layout.prop(preferences, "compile_ahead")
    draw_compiling(layout, context)
    if compile_ahead.waits():
        layout.label(text="Another Blender is compiling the kernels", icon="TIME")
    for problem in compile_ahead.problems:
        draw_message(layout, context, problem, "ERROR")
    row = layout.row()
    row.enabled = not context.window_manager.gpbd_status
    row.operator("gpbd.compile_kernels", icon="FILE_REFRESH")
