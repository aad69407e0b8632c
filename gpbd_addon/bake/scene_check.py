"""What would stop or spoil a bake, found without baking."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import bpy
import numpy as np

from ...solver.errors import GpbdError
from ..read import modifier, scene_input
from ..read.scene_input import FrameData
from . import cache_path, kernel_cache


def _build(world: scene_input.World) -> Any:
    """The solver's model: where it refuses a mesh, or an energy with this method, or warns of one, or of its start."""
    kernel_cache.prepare()
    from ...solver.contact.setup import starts_inside  # imports Numba
    from ...solver.methods import make_method
    from ...solver.model.build import build
    from ...solver.model.state import start_state

    model = build(world.build(), world.settings)
    method = make_method(model)
    model.warnings += starts_inside(model, start_state(model, method.state_numbers).rigid)
    return model


def _played(scene: bpy.types.Scene, layer: str, bodies: list[bpy.types.Object]) -> list[str]:
    """What jumps between two frames of the bake, read as a bake reads them. Raises: SceneError for what it cannot read."""
    from ...solver.stepping.jumps import Jumps  # imports Numba
    from ...solver.stepping.poses import Poses

    world = scene_input.gather(scene, layer, bodies)
    pinned = {body.name: body.weights > 0 for body in world.bodies if body.weights is not None}
    if not pinned and not world.colliders:
        return []

    def poses(data: FrameData) -> Poses:
        pins = [data.poses[body.name][pinned[body.name]] for body in world.bodies if body.name in pinned]
        return Poses(pins, np.concatenate([np.zeros((0, 3)), *(data.colliders[c.name] for c in world.colliders)]))

    start = np.concatenate([body.vertices for body in world.bodies])
    jumps = Jumps(start, list(pinned), {c.name: len(world.first.colliders[c.name]) for c in world.colliders})
    told, before, drift = list[str](), poses(world.first), np.zeros(3)
    for frame in range(world.start + 1, world.end + 1):
        after = poses(scene_input.read_frame(scene, layer, world, frame))
        told += jumps.between(before, after, drift, frame)
        if pinned:  # bodies go on as their pins went
            drift = np.concatenate(after.pins).mean(0) - np.concatenate(before.pins).mean(0)
        before = after
    return told


def check(scene: bpy.types.Scene) -> list[str]:
    """Everything that would stop or spoil a bake, as sentences, without baking; an empty list if all is well.

    Soft bodies are filled with tetrahedra, which takes seconds; with colliders or pins all frames of the bake are played.
    """
    problems: list[str] = []

    def collect(action: Callable[[], Any]) -> Any:
        try:
            return action()
        except GpbdError as error:
            if str(error) not in problems:
                problems.append(str(error))
            return None

    bodies = collect(lambda: scene_input.bodies_of(scene)) or []
    collect(lambda: scene_input.frame_range(scene))
    frame, start, layer = scene.frame_current, scene.gpbd.frame_start, scene_input.view_layer_of(scene)
    problems += cache_path.make_unique(bodies)
    with modifier.switched_off(ob for ob in bodies if ob.is_editable):
        try:
            for ob in bodies:
                world = collect(partial(scene_input.gather, scene, layer, [ob], (start, start)))
                if world is not None:
                    problems += [sentence for sentence in world.warnings if sentence not in problems]
                    built = collect(partial(_build, world))
                    problems += built.warnings if built is not None else []
            if bodies:
                problems += collect(partial(_played, scene, layer, bodies)) or []
        finally:
            scene.frame_set(frame)
    if not bpy.data.is_saved:
        problems.append("The file is not saved: caches go to a temporary folder. Save it to keep them.")
    return problems
