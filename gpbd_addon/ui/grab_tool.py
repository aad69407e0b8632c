"""The grab tool in the toolbar of 3D views, and the key that grabs without it."""

from __future__ import annotations

from typing import Any

import bpy
from bpy_extras import view3d_utils
from gpu_extras.presets import draw_circle_2d
from mathutils import Vector

from ..bake import hands
from ..identifiers import OBJECT_KEYS
from ..live import player, shown
from ..properties.number import field_of

#: Key that, while pressed in Object Mode, grabs the body under the mouse.
KEY = "Y"
COLOUR = (1.0, 1.0, 1.0, 0.6)
_keys: list[tuple[Any, Any]] = []
#: The mouse, the frame and the view of the last point under the mouse, and the point.
_looked_up: tuple[tuple[float | None, ...], Vector] | None = None


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

    def draw_settings(context: Any, layout: bpy.types.UILayout, tool: bpy.types.WorkSpaceTool) -> None:
        settings = context.scene.gpbd
        layout.prop(settings, field_of(settings, "grab_radius"))
        layout.prop(settings, field_of(settings, "grab_stiffness"), text="Stiffness [N/m]")
        layout.operator("gpbd.let_go", text="Let Go of All", icon="X").everything = True

    def draw_cursor(context: Any, tool: bpy.types.WorkSpaceTool, xy: Any) -> None:
        """The brush as large as at the surface under the mouse. xy: of the mouse in the window [pixels]."""
        mouse = xy[0] - context.region.x, xy[1] - context.region.y
        draw_circle_2d(xy, COLOUR, max(brush_radius(context, mouse), 2.0))


def brush_radius(context: bpy.types.Context, mouse: tuple[float, float]) -> float:
    """Return the radius of the brush in a 3D view [pixels]. mouse: in its region [pixels]."""
    view, settings = context.region_data, context.scene.gpbd
    radius = settings.grab_radius / context.scene.unit_settings.scale_length
    depth = view.perspective_matrix @ _point(context, mouse).to_4d()
    return 0.5 * context.region.width * view.window_matrix[0][0] * radius / max(depth.w, 1e-6)


def _point(context: bpy.types.Context, mouse: tuple[float, float]) -> Vector:
    """Return the place of the hand that draws, else the surface under the mouse, else the point that the view turns about.

    It is looked up where mouse, view or frame at rest change: after a frame Blender sorts the faces of a mesh anew for it.
    """
    global _looked_up
    for hold in hands.all_of():
        if not hold.is_held:
            return Vector(hold.place.tolist())
    view, scene = context.region_data, context.scene
    frame = None if player.is_playing() else scene.frame_current
    at = (*mouse, frame, *(number for row in view.perspective_matrix for number in row))
    if _looked_up is None or _looked_up[0] != at:
        origin = view3d_utils.region_2d_to_origin_3d(context.region, view, mouse)
        direction = view3d_utils.region_2d_to_vector_3d(context.region, view, mouse)
        hit = shown.surface(scene, origin, direction)
        _looked_up = at, view.view_location.copy() if hit is None else Vector(hit.point.tolist())
    return _looked_up[1]


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
