"""Reference frames of bodies: an object or a bone, and the share of its velocity that they take over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.json_value import JsonValue
from ...solver.scene import ReferenceFrame
from ..body_kinds import BODY_KINDS
from . import evaluated_mesh, keyed

Array = np.ndarray


def follows(ob: bpy.types.Object) -> bool:
    """Return whether a body has a reference frame at some frame."""
    settings = ob.gpbd
    if "follow_share" not in BODY_KINDS[settings.body_type].rows:
        return False
    return settings.follow_share > 0 or keyed.is_animated(ob, "gpbd.follow_share")


def target(ob: bpy.types.Object) -> tuple[Any, str]:
    """The object that a body follows, None for none, and which of its bones, "" for itself."""
    settings = ob.gpbd
    if settings.follow_object is not None:
        return settings.follow_object, settings.follow_bone
    bone = ob.parent_bone if ob.parent_type == "BONE" else ""
    return ob.parent, settings.follow_bone or bone


def identity(ob: bpy.types.Object) -> list[JsonValue] | None:
    """Return the reference frame as JSON values; None without one."""
    if not follows(ob):
        return None
    followed, bone = target(ob)
    return [None if followed is None else followed.name_full, bone]


def lost(ob: bpy.types.Object) -> list[str]:
    """A sentence where there is nothing to follow."""
    if not follows(ob) or target(ob)[0] is not None:
        return []
    return [f"{ob.name}: Follow Parent is set, and it has no parent. Parent it, or choose an object to follow."]


def poses(bodies: Mapping[str, bpy.types.Object], depsgraph: bpy.types.Depsgraph, scale: float) -> dict[str, Array]:
    """Return the pose of each body's reference frame, without scale, in metres, (4, 4). Raises: SceneError."""
    there = {name: _pose(ob, depsgraph, scale) for name, ob in bodies.items() if follows(ob)}
    return {name: pose for name, pose in there.items() if pose is not None}


def references(
    bodies: Mapping[str, bpy.types.Object], before_last: Mapping[str, Array], before: Mapping[str, Array],
    now: Mapping[str, Array],
) -> dict[str, ReferenceFrame]:  # fmt: skip
    """Return of each body the motion of its reference frame over a frame, from its poses two frames and one before,
    and now."""
    shares = {name: float(ob.gpbd.follow_share) for name, ob in bodies.items() if name in now}
    return {
        name: ReferenceFrame(np.array([before_last[name], before[name], now[name]]), share)
        for name, share in shares.items()
        if share > 0 and name in before and name in before_last
    }


def _pose(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> Array | None:
    followed, bone = target(ob)
    if followed is None:
        return None
    there = followed.evaluated_get(depsgraph)
    matrix = there.matrix_world
    if bone:
        if there.pose is None or bone not in there.pose.bones:
            raise SceneError(
                f"{ob.name}: follows the bone '{bone}', which '{followed.name}' does not have. Choose one of its bones, or "
                "clear the field."
            )
        matrix = matrix @ there.pose.bones[bone].matrix
    evaluated_mesh.in_metres(followed.name_full, np.array(matrix), scale)  # raises for a matrix that is not finite
    place, turn, _ = matrix.decompose()
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.array(turn.to_matrix()), scale * np.array(place)
    return pose
