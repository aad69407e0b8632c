"""*Keep*: the frames of live play become a version as a bake writes it."""

from __future__ import annotations

import bpy

from ...solver.errors import CacheError
from ..bake import overview
from ..bake.versions import Version
from ..read import scene_input, taking_part
from . import edits, files, player


def keep(scene: bpy.types.Scene) -> Version:
    """The version that it has become. Raises: CacheError where frames are missing or are of settings that were changed."""
    inputs = player.live_inputs
    start, end = scene_input.range_of(scene)
    if inputs is None or not inputs.scene.is_of(scene) or inputs.solved != end:
        raise CacheError(f"Keep: not all frames from {start} to {end} are solved. Play to the end, then keep.")
    if inputs.is_mixed or edits.need(inputs.made, edits.state(scene, scene_input.bodies_of(scene))) != edits.NOTHING:
        raise CacheError(
            "Keep: settings were changed, or something was grabbed, while it played. Play all again, then keep."
        )
    player.end()
    live_version = next((one for one in files.find(scene, taking_part.simulated(scene)) if one.plays), None)
    if live_version is None or live_version.frames != end - start + 1:
        raise CacheError(f"Keep: the cache of frames {start} to {end} is not there any more. Play again, then keep.")
    files.make_baked(live_version)
    return overview.look(scene).playing or live_version
