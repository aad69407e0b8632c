"""Mesh Cache modifier of a body: creation, playback of a cache, and removal."""

from __future__ import annotations

from typing import Any

import bpy

from ..body_kinds import BODY_KINDS
from ..identifiers import ATTRIBUTES_MODIFIER
from ..read import time_stretching
from ..read.modifier import DETAIL, check_editable, find
from . import tearing

#: Settings for exact playback of our files; `cache_format` has another default.
PLAYBACK = {
    "cache_format": "PC2", "interpolation": "LINEAR", "play_mode": "SCENE", "time_mode": "FRAME", "deform_mode": "OVERWRITE",
    "frame_scale": 1.0, "factor": 1.0, "vertex_group": "", "forward_axis": "POS_Y", "up_axis": "POS_Z",
    "flip_axis": (False, False, False),
}  # fmt: skip


def forget(cache_modifier: bpy.types.Modifier) -> None:
    """Make our modifier play nothing. Without influence Blender does not look for a file.

    An empty path alone does not suffice: on saving an unsaved file, Blender turns it into a folder ("//../").
    """
    cache_modifier.filepath = ""
    cache_modifier.factor = 0.0
    of_cache = cache_modifier.id_data.modifiers.get(ATTRIBUTES_MODIFIER)
    if of_cache is not None:
        cache_modifier.id_data.modifiers.remove(of_cache)


def make_play(made: Any) -> None:
    """Set a new Mesh Cache modifier up for our files, without a cache."""
    for name, value in PLAYBACK.items():
        setattr(made, name, value)
    forget(made)


def ensure(ob: bpy.types.Object) -> bpy.types.Modifier:
    """Return our modifier of a body. A missing one is added before the first modifier that adds detail, after all others.

    Raises: SceneError if the object is no mesh or comes from a linked library.
    """
    check_editable(ob)
    cache_modifier = find(ob)
    if cache_modifier is not None:
        return cache_modifier
    made = ob.modifiers.new(BODY_KINDS[ob.gpbd.body_type].label, "MESH_CACHE")
    make_play(made)
    detail = [k for k, md in enumerate(ob.modifiers) if md.type in DETAIL]
    if detail:
        ob.modifiers.move(len(ob.modifiers) - 1, detail[0])
    tearing.place(ob)
    return made


def switch_on(ob: bpy.types.Object) -> None:
    """Make our modifier of a body visible: a shape key of the simulated shape has switched it off. Raises: SceneError."""
    player = ensure(ob)
    player.show_viewport = player.show_render = True


def play(ob: bpy.types.Object, path: str, frame_start: int, samples: int = 1, stretching: float = 1.0) -> None:
    """Play a cache from a frame on. path: as Blender stores it. samples: poses of each frame, see `solver/cache/pc2.py`.

    stretching: the scene's factor when it was baked. A later change of the factor stretches the cache with the keys.
    """
    cache_modifier = ensure(ob)
    for name, value in PLAYBACK.items():
        setattr(cache_modifier, name, value)
    cache_modifier.frame_scale = samples * stretching
    cache_modifier.frame_start = samples * (frame_start - 1) + 1  # Blender takes it away after the scale
    if cache_modifier.filepath != path:
        cache_modifier.filepath = path


def pose_shown(cache_modifier: bpy.types.Modifier, scene: bpy.types.Scene) -> float:
    """Return the pose of its cache that our modifier shows at the scene's frame, from 0 on; an end outside of the cache."""
    return cache_modifier.frame_scale * scene.frame_current_final - cache_modifier.frame_start  # which is stretched


def frame_shown(cache_modifier: bpy.types.Modifier, scene: bpy.types.Scene, samples: int, frames: int) -> int:
    """Return the frame of its cache that our modifier shows, or the nearest of `frames`. samples: poses of each."""
    frame = (pose_shown(cache_modifier, scene) + 1) / samples - 1
    return min(max(round(frame), 0), frames - 1)


def keys(cache_modifier: bpy.types.Modifier, samples: int) -> tuple[float, float]:
    """Return the position of an F-curve's key for the first frame that our modifier plays, and the distance to the next key.

    samples: poses of a frame.
    """
    step = samples / cache_modifier.frame_scale
    return step * ((cache_modifier.frame_start - 1) / samples + 1), step


def first_frame(cache_modifier: bpy.types.Modifier, scene: bpy.types.Scene, samples: int) -> float:
    """The scene's frame at which our modifier shows the first frame of its cache. samples: poses of a frame."""
    return keys(cache_modifier, samples)[0] * time_stretching.factor(scene)


def remove(ob: bpy.types.Object) -> bool:
    """Remove our modifier from the stack; False if there was none. The cache file stays. Raises: SceneError."""
    check_editable(ob)
    cache_modifier = find(ob)
    if cache_modifier is None:
        return False
    forget(cache_modifier)
    ob.modifiers.remove(cache_modifier)
    return True
