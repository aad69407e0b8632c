"""The warp of a cloth, drawn over it in 3D views: a short line in each triangle along the warp yarns of its fabric.

It is the warp of the simulation, of the UV map that the body names or along world X, transformed with the shown mesh.
Nothing is written to the mesh. Hooks follow the frame and edits, only while a body has its lines on.
"""

from __future__ import annotations

import threading
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...solver.errors import GpbdError
from ...solver.topology.axes import warp_and_weft
from ..bake import frame_reader
from ..body_kinds import material_of
from ..read import evaluated_mesh, scene_input
from . import frame_hook, intersections

Array = np.ndarray

#: Half the length of a line over the root of twice its triangle's area: those of neighbours nearly meet.
REACH = 0.35
#: Distance of lines from both sides of the surface, over their length, so that it does not hide them.
RAISED = 0.05
#: Pixels, and the colour of the warp in the picture of a fabric's response (RGBA).
WIDTH, COLOUR = 1.5, (0.95, 0.45, 0.25, 1.0)

#: By name of the object: the ends of its lines, or why there are none.
_shown: dict[str, Array | str] = {}
_handle: Any = None


def switch_on(ob: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Draw the lines from now on. Raises: SceneError, see `lines`."""
    depsgraph = scene_input.depsgraph_of(scene, scene_input.view_layer_of(scene))
    lines(ob, scene, depsgraph)
    ob.gpbd.warp_lines = True
    follow()
    update(scene, depsgraph)


def switch_off(ob: bpy.types.Object) -> None:
    """Draw them no more."""
    ob.gpbd.warp_lines = False
    _shown.pop(ob.name_full, None)
    follow()


def lines(ob: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Array:
    """End of the lines at the current frame, (4 t, 3), in world space and Blender's units: of each triangle a line on both
    sides.

    Raises: SceneError if the mesh is not shown as it is simulated, or the UV map is missing or folds a triangle to nothing.
    """
    scale = scene.unit_settings.scale_length
    x, triangles = intersections.body_mesh(ob, scene, depsgraph, scale)
    rest = evaluated_mesh.positions_at(ob, evaluated_mesh.world_matrix(ob, scale))
    uv = evaluated_mesh.vertex_uv(ob, ob.gpbd.uv_map) if ob.gpbd.uv_map else None
    warp = warp_and_weft(ob.name_full, rest, triangles, uv)[:, 0]
    sides, now = (at[triangles[:, 1:]] - at[triangles[:, :1]] for at in (rest, x))  # (t, 2, 3)
    gram = sides @ sides.transpose(0, 2, 1)
    shares = np.linalg.solve(gram, sides @ warp[:, :, None])  # of both sides in the warp, (t, 2, 1)
    along = (shares * now).sum(1)
    normal = np.cross(now[:, 0], now[:, 1])
    twice_area = np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    length = REACH * np.sqrt(twice_area)
    along *= length / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-30)
    middle, lift = x[triangles].mean(1), RAISED * length * normal / twice_area
    ends = [middle + side * lift + end * along for side in (-1, 1) for end in (-1, 1)]
    return np.stack(ends, 1).reshape(-1, 3) / scale


def update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Take the lines of all bodies of a scene that have them on."""
    _shown.clear()
    for ob in scene.objects:
        if ob.gpbd.warp_lines and material_of(ob.gpbd.body_type) == "fabric" and ob.mode == "OBJECT":
            try:
                _shown[ob.name_full] = lines(ob, scene, depsgraph)
            except GpbdError as error:
                _shown[ob.name_full] = str(error)


def problem(ob: bpy.types.Object) -> str:
    """Return the reason why lines are not drawn, as a sentence; "" if they are."""
    shown = _shown.get(ob.name_full, "")
    return shown if isinstance(shown, str) else ""


def _draw() -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    visible = {ob.name_full for ob in bpy.context.visible_objects}
    gpu.state.depth_test_set("LESS_EQUAL")
    for name, ends in _shown.items():
        if name in visible and not isinstance(ends, str):
            batch = batch_for_shader(shader, "LINES", {"pos": ends.astype(np.float32)})  # type: ignore[dict-item]
            shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
            shader.uniform_float("lineWidth", WIDTH)
            shader.uniform_float("color", COLOUR)
            batch.draw(shader)
    gpu.state.depth_test_set("NONE")


@persistent
def _on_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    # Renders call it in threads of their own; a bake reads other frames than the user sees.
    if threading.current_thread() is threading.main_thread() and not frame_reader.is_reading():
        update(scene, depsgraph)


def follow() -> None:
    """Draw, and hook on to frames and edits, if a body of the file has its lines on; stop both otherwise."""
    _follow(any(ob.gpbd.warp_lines for ob in bpy.data.objects))


def unfollow() -> None:
    """Hook off."""
    _follow(False)


def _follow(wanted: bool) -> None:
    global _handle
    for hooks in (bpy.app.handlers.frame_change_post, bpy.app.handlers.depsgraph_update_post):
        frame_hook.put(hooks, _on_change, wanted)
    if wanted and _handle is None:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")
    elif not wanted and _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
        _shown.clear()
