"""Settings that Blender announces as edited when a script sets them, as it does when a panel sets them.

Blender tags the owner of a property of an extension for an update if a panel sets it; if a script does, only of a property
with an update function.
"""

from collections.abc import Iterable

import bpy


def announce(groups: Iterable[type]) -> None:
    """Give each stored property of these groups an update function, unless it has one; call it before registering them."""
    for group in groups:
        for base in group.__mro__:
            for annotation in getattr(base, "__annotations__", {}).values():
                if (
                    annotation.function is not bpy.props.CollectionProperty
                    and not {"get", "update"} & annotation.keywords.keys()
                ):
                    annotation.keywords["update"] = _announced


def _announced(settings: bpy.types.bpy_struct, context: bpy.types.Context) -> None:
    """Blender tags the owner of the settings when this returns."""
