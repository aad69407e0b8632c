"""What objects are called in a simulation: as they were when it began, so that renaming one changes nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

#: Gives the name of an object.
Called = Callable[[Any], str]


def now(ob: bpy.types.Object) -> str:
    """As it is called at the moment."""
    return ob.name_full


class Names:
    """Of all objects that there are when it is made; holds no Blender reference."""

    def __init__(self) -> None:
        self._then = {ob.session_uid: ob.name_full for ob in bpy.data.objects}
        self._taken = set(self._then.values())

    def __call__(self, ob: Any) -> str:
        """ob: an object, or an evaluated one. One that was made since is never called as another one was."""
        then = self._then.get(ob.original.session_uid)
        if then is not None:
            return then
        return f"{ob.name_full}, new" if ob.name_full in self._taken else ob.name_full
