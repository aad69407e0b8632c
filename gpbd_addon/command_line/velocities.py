"""Velocities of the played frames, in the attribute that Blender's exporters read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ...solver.errors import CacheError
from ..bake import attribute_nodes, cache_path
from ..identifiers import ATTRIBUTES_MODIFIER, VELOCITY_ATTRIBUTE


@contextmanager
def on(bodies: list[bpy.types.Object], wanted: bool = True) -> Iterator[None]:
    """Inside, the mesh of each body that is shown has its velocities, in units a second along its own axes, or has none.

    Raises: CacheError if a body plays no cache.
    """
    before = [ob.gpbd.use_velocity_attribute for ob in bodies]
    try:
        for ob in bodies:
            ob.gpbd.use_velocity_attribute = wanted  # which makes or removes them
            if wanted:
                if ATTRIBUTES_MODIFIER not in ob.modifiers:
                    raise CacheError(
                        f"{ob.name}: {cache_path.of(ob)} cannot be played. Bake it again, or use --no-velocities."
                    )
                attribute_nodes.set_inputs(ob.modifiers[ATTRIBUTES_MODIFIER], {"Velocity Name": VELOCITY_ATTRIBUTE})
        yield
    finally:
        for ob, used in zip(bodies, before, strict=True):
            ob.gpbd.use_velocity_attribute = used
