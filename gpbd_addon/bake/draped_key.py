"""The shape key that *Drape* makes: relative to the basis, with value 1, so that the mesh shows the draped shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ...solver.errors import SceneError
from ..identifiers import DRAPED_KEY
from ..read import modifier

Array = np.ndarray


def find(ob: bpy.types.Object) -> bpy.types.ShapeKey | None:
    """Our key of an object, or None."""
    keys = ob.data.shape_keys
    return keys.key_blocks.get(DRAPED_KEY) if keys is not None else None


def check(ob: bpy.types.Object) -> None:
    """Raises: SceneError if the mesh plays absolute shape keys, among which a draped one has no place."""
    keys = ob.data.shape_keys
    if keys is not None and not keys.use_relative:
        raise SceneError(
            f"{ob.name}: has absolute shape keys, such as a converted cache; wanted relative ones. Delete them, or choose "
            "'Start' as the result."
        )


@contextmanager
def muted(bodies: Iterable[Any]) -> Iterator[None]:
    """Inside, the bodies have the shape that they had before they were draped."""
    keys = [key for ob in bodies if (key := find(ob)) is not None and not key.mute]
    for key in keys:
        key.mute = True
    try:
        yield
    finally:
        for key in keys:
            key.mute = False


def write(ob: bpy.types.Object, positions: Array) -> list[str]:
    """Make the mesh show `positions` (n, 3), object space; return what else was changed, as sentences.

    What other shape keys add at their present values is taken out of ours. The modifiers up to our own are switched off:
    they would deform the draped shape once more, or play a cache instead of it.
    """
    old = find(ob)
    if old is not None:
        ob.shape_key_remove(old)
    if ob.data.shape_keys is None:
        ob.shape_key_add(name="Basis", from_mix=False)
    key = ob.shape_key_add(name=DRAPED_KEY, from_mix=True)
    now, basis = _positions(key), _positions(ob.data.shape_keys.key_blocks[0])
    key.data.foreach_set("co", (np.asarray(positions, np.float32) - now + basis).ravel())
    key.slider_min, key.slider_max = 0.0, 1.0
    key.value = 1.0
    ob.data.update_tag()
    switched = _switch_off(ob)
    return [f"{ob.name}: switched off {', '.join(switched)}, whose work is in the key."] if switched else []


def _positions(key: Any) -> Array:
    x = np.empty(len(key.data) * 3, dtype=np.float32)
    key.data.foreach_get("co", x)
    return x.reshape(-1, 3)


def _switch_off(ob: bpy.types.Object) -> list[str]:
    """Names of the modifiers before ours that were on, and of ours where it plays a cache."""
    ours = modifier.find(ob)
    stack = list(ob.modifiers)
    end = stack.index(ours) + 1 if ours is not None else 0
    names = []
    for md in stack[:end]:
        plays = md != ours or modifier.filepath(ob)
        if plays and (md.show_viewport or md.show_render):
            names.append(f"'{md.name}'")
            md.show_viewport = md.show_render = False
    return names
