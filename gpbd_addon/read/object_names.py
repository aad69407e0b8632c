"""Names of objects in a simulation: those at its start, so that renaming an object changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

#: Gives the name of an object.
Called = Callable[[Any], str]


def now(ob: bpy.types.Object) -> str:
    """Return its current name."""
    return ob.name_full


class Names:
    """Names of all objects at construction; holds no Blender reference."""

    def __init__(self) -> None:
        self._then = {ob.session_uid: ob.name_full for ob in bpy.data.objects}
        self._taken = set(self._then.values())

    def __call__(self, ob: bpy.types.Object) -> str:
        """ob: an object, or an evaluated one. A newer object never gets the name of another one at construction."""
        then = self._then.get(ob.original.session_uid)
        if then is not None:
            return then
        return f"{ob.name_full}, new" if ob.name_full in self._taken else ob.name_full
