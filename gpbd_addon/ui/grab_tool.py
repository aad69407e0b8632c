"""The grab tool in the toolbar of 3D views, and the key that grabs without it."""

from __future__ import annotations

from typing import Any

import bpy
from gpu_extras.presets import draw_circle_2d

from ..identifiers import OBJECT_KEYS
from ..properties.number import field_of

#: Key that, while pressed in Object Mode, grabs the body under the mouse.
KEY = "Y"
COLOUR = (1.0, 1.0, 1.0, 0.6)
_keys: list[tuple[Any, Any]] = []


class GPBD_WT_grab(bpy.types.WorkSpaceTool):
    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = "gpbd.grab_tool"
    bl_label = "Grab Bodies"
    bl_description = (
        "Drag GPBD bodies while they play live.\n"
        "\u2022 Shift when you let go: they stay held there.\n"
        "\u2022 Ctrl click: let go of what is held"
    )
    bl_icon = "ops.pose.push"
    bl_widget = None
    bl_keymap = (
        ("gpbd.grab", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
        ("gpbd.grab", {"type": "LEFTMOUSE", "value": "PRESS", "shift": True}, None),
        ("gpbd.let_go", {"type": "LEFTMOUSE", "value": "PRESS", "ctrl": True}, None),
    )

    def draw_settings(context: Any, layout: Any, tool: Any) -> None:
        settings: Any = context.scene.gpbd
        layout.prop(settings, field_of(settings, "grab_radius"))
        layout.prop(settings, field_of(settings, "grab_stiffness"), text="Stiffness [N/m]")
        layout.operator("gpbd.let_go", text="Let Go of All", icon="X").everything = True

    def draw_cursor(context: Any, tool: Any, xy: Any) -> None:
        """The brush as large as at the depth that the view turns about."""
        view, settings = context.region_data, context.scene.gpbd
        radius = settings.grab_radius / context.scene.unit_settings.scale_length
        depth = view.perspective_matrix @ view.view_location.to_4d()
        pixels = 0.5 * context.region.width * view.window_matrix[0][0] * radius / max(depth.w, 1e-6)
        draw_circle_2d(xy, COLOUR, max(pixels, 2.0))


def register() -> None:
    bpy.utils.register_tool(GPBD_WT_grab, after={"builtin.measure"}, separator=True)
    keyconfig = bpy.context.window_manager.keyconfigs.addon if bpy.context.window_manager is not None else None
    if keyconfig is not None:  # there is none without a window
        keymap = keyconfig.keymaps.new(name=OBJECT_KEYS)
        _keys.append((keymap, keymap.keymap_items.new("gpbd.grab", KEY, "PRESS")))


def unregister() -> None:
    while _keys:
        keymap, item = _keys.pop()
        keymap.keymap_items.remove(item)
    bpy.utils.unregister_tool(GPBD_WT_grab)
