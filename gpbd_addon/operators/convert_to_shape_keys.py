"""Turns a body's cache into absolute shape keys, for export and for editing."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...solver.cache.pc2 import read_frames, read_header
from ...solver.errors import CacheError, GpbdError, SceneError
from .. import messages
from ..bake import cache_path, curve_playback, playback
from ..identifiers import ATTRIBUTES_MODIFIER, DRAPED_KEY, PLAYED_CURVE, SHAPE_KEY_PREFIX
from ..read import modifier, time_stretching
from ..read.shared_mesh import check_unshared
from ..translations import tr
from .add_body import check

#: Evaluation time of one frame. A power of two: the line through all frames then meets each of them without rounding.
TIME_PER_FRAME = 8.0


def convert_to_shape_keys(ob: bpy.types.Object) -> list[str]:
    """Convert a cache to absolute shape keys, one a frame; the animated evaluation time shows each frame its own.

    Of a rope that a curve plays, the curve gets them. The GPBD modifier is switched off, and so are the modifiers before it,
    whose work is in the cache.
    Keys of an earlier conversion are replaced. Returns a report, as sentences.
    Raises: CacheError without a cache that fits the mesh; SceneError if the mesh is shared or has other shape keys.
    """
    check(ob)
    cache_modifier = modifier.find(ob)
    path = cache_path.of(ob)
    if cache_modifier is None or path is None:
        raise CacheError(f"{ob.name}: has no cache; wanted a baked GPBD body. Bake it first.")
    curve = curve_playback.find(ob)
    if curve is not None:
        ob, path, cache_modifier = curve, cache_path.curve(path), curve.modifiers[PLAYED_CURVE]
    frames = read_frames(path)
    _check_mesh(ob, frames.shape[1])
    _remove_own_keys(ob)
    times = _add_keys(ob, frames)
    start, step = playback.keys(cache_modifier, read_header(path).samples)
    _animate(ob.data.shape_keys, start, step, times)
    switched_off = _switch_off(ob, cache_modifier)
    ob.data.update_tag()
    stretching = time_stretching.factor(bpy.context.scene)
    first, last = stretching * start, stretching * (start + step * (len(frames) - 1))
    sentences = [f"{ob.name}: {len(frames)} shape keys for the frames {first:g} to {last:g}."]
    return [*sentences, f"Switched off: {', '.join(switched_off)}."] if switched_off else sentences


def _check_mesh(ob: bpy.types.Object, n_cached: int) -> None:
    mesh = ob.data
    check_unshared(ob, "move")
    count = curve_playback.count(mesh) if ob.type == "CURVE" else len(mesh.vertices)
    if n_cached != count:
        raise CacheError(
            f"{ob.name}: the cache has {n_cached} vertices, the mesh {count}; shape keys need as many. "
            "Apply the modifiers before the GPBD modifier and bake again, or use the cache as it is."
        )
    names = [kb.name for kb in _key_blocks(mesh)[1:]]
    others = [name for name in names if not name.startswith(SHAPE_KEY_PREFIX) or name == DRAPED_KEY]
    if others:
        raise SceneError(
            f"{ob.name}: has {len(others)} shape keys of its own (first: '{others[0]}'), which absolute keys would play "
            "among the frames. Delete them, or convert a copy of the object without them."
        )


def _key_blocks(mesh: bpy.types.Mesh) -> list[Any]:
    return list(mesh.shape_keys.key_blocks) if mesh.shape_keys else []


def _remove_own_keys(ob: bpy.types.Object) -> None:
    for kb in reversed(_key_blocks(ob.data)[1:]):
        ob.shape_key_remove(kb)


def _add_keys(ob: bpy.types.Object, frames: np.ndarray) -> np.ndarray:
    """Add the keys, frames (f, n, 3) in object space; return the evaluation time of each, (f,)."""
    if not _key_blocks(ob.data):
        ob.shape_key_add(name="Basis", from_mix=False)
    key = ob.data.shape_keys
    key.animation_data_clear()
    key.use_relative = False
    times = TIME_PER_FRAME * np.arange(1, len(frames) + 1)
    for k, pose in enumerate(frames):
        key.eval_time = times[k]  # a new absolute key is put there
        kb = ob.shape_key_add(name=f"{SHAPE_KEY_PREFIX}{k + 1:04d}", from_mix=False)
        kb.interpolation = "KEY_LINEAR"
        if ob.type == "CURVE":
            curve_playback.write_key(ob.data, kb, pose)
        else:
            kb.data.foreach_set("co", np.ascontiguousarray(pose, dtype=np.float32).ravel())
    return times


def _animate(key: Any, start: float, step: float, times: np.ndarray) -> None:
    """Two keyframes with a straight line between them; outside, the first and the last frame stay.

    start: where the first is, step: how far one frame is from the next, in frames of the animation.
    """
    key.animation_data_create()
    action = bpy.data.actions.new(f"{key.name} GPBD")
    key.animation_data.action = action
    curve = action.fcurve_ensure_for_datablock(key, "eval_time")
    ends = sorted({0, len(times) - 1})
    curve.keyframe_points.add(len(ends))
    for point, k in zip(curve.keyframe_points, ends):
        point.co = (start + step * k, times[k])
        point.interpolation = "LINEAR"
    curve.update()


def _switch_off(ob: bpy.types.Object, ours: Any) -> list[str]:
    """Our modifiers and those before them, which the cache contains; returns the names of those that were on."""
    stack = list(ob.modifiers)
    names = []
    contained = stack[: stack.index(ours) + 1]
    for md in [*contained, *(md for md in stack if md.name == ATTRIBUTES_MODIFIER and md not in contained)]:
        if md.show_viewport or md.show_render:
            names.append(f"'{md.name}'")
        md.show_viewport = md.show_render = False
    return names


class GPBD_OT_convert_to_shape_keys(bpy.types.Operator):
    """Turn the cache of the active object into shape keys, one a frame, and switch the GPBD modifier off"""

    bl_idname = "gpbd.convert_to_shape_keys"
    bl_label = "Convert to Shape Keys"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.gpbd.body_type != "NONE" and not context.window_manager.gpbd_status

    def execute(self, context):
        try:
            sentences = convert_to_shape_keys(context.object)
        except GpbdError as error:
            messages.report(self, "ERROR", str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, " ".join(map(tr, sentences)))
        return {"FINISHED"}
