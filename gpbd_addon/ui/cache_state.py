"""State of a body's cache in the panel; Blender itself reports problems of a cache on the console only."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..bake import cache_path, overview
from ..body_kinds import BODY_KINDS
from ..identifiers import DRAPED_KEY, SHAPE_KEY_PREFIX
from ..read import modifier


def problems(ob: bpy.types.Object, path: Path | None) -> list[str]:
    """Return why the object cannot play its cache, and the faults in it, as messages. path: see `cache_path.of`."""
    cache_modifier = modifier.find(ob)
    if cache_modifier is None:
        return [f"The GPBD modifier is missing. Click {BODY_KINDS[ob.gpbd.body_type].name} above."]
    sentences = list(modifier.misplaced(ob).values())
    if path is not None:
        header = overview.of(bpy.context.scene).headers.get(path)
        if isinstance(header, str):
            return [*sentences, header]
        below = list(ob.modifiers).index(cache_modifier)
        if header is not None and below == 0 and header.n_vertices != len(ob.data.vertices) and ob.mode != "EDIT":
            sentences.append(f"Cache: {header.n_vertices} vertices, mesh: {len(ob.data.vertices)}. Bake again.")
        if not (cache_modifier.show_viewport and cache_modifier.show_render) and not _plays_shape_keys(ob):
            where = "viewport" if not cache_modifier.show_viewport else "render"
            sentences.append(f"The cache is off in the {where}. Switch the GPBD modifier on.")
    return sentences


def _plays_shape_keys(ob: bpy.types.Object) -> bool:
    """Return whether the cache was converted to shape keys, which switches the modifier off."""
    keys = ob.data.shape_keys
    names = [] if keys is None else [kb.name for kb in keys.key_blocks]
    return any(name.startswith(SHAPE_KEY_PREFIX) and name != DRAPED_KEY for name in names)


def is_elsewhere(ob: bpy.types.Object, path: Path | None) -> bool:
    """Return whether an object plays a cache outside the cache folder of the open file. path: see `cache_path.of`."""
    return path is not None and ob.library is None and path.parent != cache_path.folder(bpy.context.scene)


def notes(ob: bpy.types.Object) -> list[str]:
    """Return notes before a bake, as messages."""
    sentences = []
    ours = modifier.find(ob)
    if _plays_shape_keys(ob) and not (ours is not None and ours.show_viewport and ours.show_render):
        sentences.append("Shape keys play, not the cache. Switch the GPBD modifier on.")
    path = cache_path.of(ob)
    if path is not None and cache_path.is_temporary(bpy.data.filepath):
        sentences.append("Recovered: the file is in a temporary folder. Press Save As: its frames go with it.")
    elif path is not None and not bpy.data.is_saved:
        sentences.append("Unsaved: frames are in a temporary folder. Save the file: its frames go with it.")
    elif path is not None and is_elsewhere(ob, path):
        if cache_path.is_unsaved(path):
            sentences.append("Plays from a temporary folder. Press Collect Caches.")
        else:
            sentences.append(
                f"Plays from another folder, {path.parent}. Press Collect Caches, or choose it as Cache Folder."
            )
    if ob.override_library is not None and bpy.app.version >= (5, 0, 0):
        sentences.append("Library override: not kept. Make the object local first.")
    twin = overview.of(bpy.context.scene).twins.get(ob.name_full)
    if twin is not None:
        sentences.append(f"A copy: '{twin}' has its cache. Bake to give each its own.")
    return sentences
