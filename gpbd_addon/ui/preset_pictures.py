"""Pictures of presets as icons, loaded when they are first drawn."""

from __future__ import annotations

from typing import Any

import bpy.utils.previews

from ...solver.scene.presets import Preset
from ..read import preset_facts

_collection: Any = None


def icon(preset: Preset) -> int:
    """Number of the icon of a preset; 0 where it has no picture."""
    global _collection
    path = preset_facts.picture(preset)
    if path is None:
        return 0
    if _collection is None:
        _collection = bpy.utils.previews.new()
    if path.stem not in _collection:
        _collection.load(path.stem, str(path), "IMAGE")
    return int(_collection[path.stem].icon_id)


def remove() -> None:
    """Free all pictures."""
    global _collection
    if _collection is not None:
        bpy.utils.previews.remove(_collection)
        _collection = None
