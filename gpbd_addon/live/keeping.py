"""*Keep*: what live play has solved becomes a version as a bake writes it."""

from __future__ import annotations

import bpy

from ...solver.errors import CacheError
from ..bake import overview
from ..bake.versions import Version
from ..read import scene_input, taking_part
from . import edits, files, player


def keep(scene: bpy.types.Scene) -> Version:
    """The version that it has become. Raises: CacheError where frames are missing or are of settings that were changed."""
    own = player.kept
    start, end = scene_input.range_of(scene)
    if own is None or not own.scene.is_of(scene) or own.solved != end:
        raise CacheError(f"Keep: not all frames from {start} to {end} are solved. Play to the end, then keep.")
    if own.is_mixed or edits.need(own.made, edits.state(scene, scene_input.bodies_of(scene))) != edits.NOTHING:
        raise CacheError(
            "Keep: settings were changed, or something was grabbed, while it played. Play all again, then keep."
        )
    player.end()
    found = next((one for one in files.find(scene, taking_part.simulated(scene)) if one.plays), None)
    if found is None or found.frames != end - start + 1:
        raise CacheError(f"Keep: the cache of frames {start} to {end} is not there any more. Play again, then keep.")
    files.make_baked(found)
    return overview.look(scene).playing or found
