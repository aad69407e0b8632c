"""Start of bodies at a later frame than the first, in their animated shape there."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from . import attachments, body_reading, evaluated_mesh, start_shape, taking_part
from .body_input import BodyInput
from .scene_input import World, depsgraph_of


def begin(scene: bpy.types.Scene, view_layer: str, world: World, bodies: Iterable[BodyInput], frame: int) -> None:
    """Let these bodies of the world begin at a frame, to which the scene is set. Call with our modifiers switched off.
    Raises: SceneError."""
    scene.frame_set(frame)
    depsgraph, by_identity = depsgraph_of(scene, view_layer), {ob.gpbd.uuid: ob for ob in taking_part.all_bodies(scene)}
    by_name = {world.called(ob): ob for ob in scene.objects}
    for body in bodies:
        ob = by_identity[body.uuid]
        pose = body_reading.pose(ob, depsgraph, world.scale, len(body.vertices), frame)
        if body.attachments.surfaces:
            at = attachments.at(body.attachments, by_name, depsgraph, world.scale, frame)
            pose[body.attachments.vertices] = at
        start = start_shape.read(ob, evaluated_mesh.evaluated(ob, depsgraph), world.scale)
        if start is not None or not np.array_equal(pose, body.vertices):
            body.start = pose if start is None else start
        body.pose = pose
