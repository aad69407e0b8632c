"""Shape of a body at a frame, applied as the start of its simulation or as a shape key."""

from __future__ import annotations

from typing import Any

import bpy

from ...solver.errors import CacheError
from ..bake import cache_path, draped_key
from ..bake.drape_job import SHAPE_KEY
from ..read import start_shape
from . import shown


def apply(scene: bpy.types.Scene, bodies: list[Any], result: str) -> list[str]:
    """Apply the current shapes of bodies. result: SHAPE_KEY or START. Returns side effects, as sentences.

    Raises: CacheError, SceneError; then nothing was written."""
    positions = []
    for ob in bodies:
        path = cache_path.of(ob)
        if path is None or not path.exists():
            raise CacheError(f"{ob.name}: plays no frames whose shape it could take. Play or bake it first.")
        x = shown.positions(scene, ob)
        start_shape.check_mesh(ob, len(x))
        if result == SHAPE_KEY:
            draped_key.check(ob)
        positions.append(x)
    sentences: list[str] = []
    for ob, x in zip(bodies, positions, strict=True):
        if result == SHAPE_KEY:
            sentences += draped_key.write(ob, x)
        else:
            start_shape.write(ob, x)
    return sentences
