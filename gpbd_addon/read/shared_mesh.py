"""Check that an object has its mesh for itself."""

from __future__ import annotations

import bpy

from ...solver.counted import counted
from ...solver.errors import SceneError


def check_unshared(ob: bpy.types.Object, change: str = "change") -> None:
    """Raises: SceneError if other objects share the mesh of an object. change: verb for the effect on them."""
    others = ob.data.users - 1
    if others > 0:
        raise SceneError(
            f"{ob.name}: shares its mesh '{ob.data.name}' with {counted(others, 'other user', 'other users')}, which would "
            f"{change} with it. Use Object > Relations > Make Single User > Object & Data first."
        )
