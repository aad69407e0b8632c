"""Velocities of what a cache plays, as a point attribute of the mesh: Blender's exporters write it for motion blur."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...solver.cache.pc2 import read_header, read_samples
from ...solver.errors import CacheError
from ..bake import cache_path, playback
from ..read import modifier, time_stretching

#: The name by which Blender's exporters of Alembic and USD know velocities.
VELOCITY = "velocity"


@contextmanager
def on(scene: bpy.types.Scene, bodies: list[bpy.types.Object]) -> Iterator[None]:
    """Inside, the mesh of each body has its velocities at the current frame, in units a second along its own axes.

    Raises: CacheError if a mesh has an attribute of that name, or other vertices than its cache.
    """
    caches = [(ob, _checked(ob)) for ob in bodies]
    played = [(ob, modifier.find(ob), *_poses(path)) for ob, path in caches]

    def follow(now: bpy.types.Scene, *_: Any) -> None:
        rate = now.render.fps / now.render.fps_base / time_stretching.factor(now)
        for ob, found, poses, samples in played:
            first = samples - 1  # of the poses that there are
            values = velocity(poses, round(playback.pose_shown(found, now)) - first, found.frame_scale * rate)
            ob.data.attributes[VELOCITY].data.foreach_set("vector", np.ascontiguousarray(values, np.float32).ravel())
            ob.data.update_tag()

    try:
        for ob, *_ in played:
            ob.data.attributes.new(VELOCITY, "FLOAT_VECTOR", "POINT")
        bpy.app.handlers.frame_change_pre.append(follow)
        yield
    finally:
        if follow in bpy.app.handlers.frame_change_pre:
            bpy.app.handlers.frame_change_pre.remove(follow)
        for ob, *_ in played:
            if (made := ob.data.attributes.get(VELOCITY)) is not None:
                ob.data.attributes.remove(made)


def _poses(path: Path) -> tuple[np.ndarray, int]:
    """All poses from the first frame on, (p, n, 3), and how many there are a frame."""
    found = read_samples(path)
    frames, samples, n, _ = found.shape
    return found.reshape(frames * samples, n, 3)[samples - 1 :], samples


def velocity(frames: np.ndarray, index: int, rate: float) -> np.ndarray:
    """Of each vertex at a frame, (n, 3): the difference of the frames around it, of two at an end, none beyond.

    frames: positions (f, n, 3). rate: frames a second.
    """
    if not 0 <= index < len(frames):  # where the modifier holds the first or the last frame
        return np.zeros(frames.shape[1:], np.float32)
    before, after = max(index - 1, 0), min(index + 1, len(frames) - 1)
    return (frames[after] - frames[before]) * np.float32(rate / max(after - before, 1))


def _checked(ob: bpy.types.Object) -> Path:
    """The cache of a body whose mesh can have velocities."""
    path = cache_path.of(ob)
    if path is None:
        raise CacheError(f"{ob.name}: has no cache; wanted a baked body. Bake it first.")
    cached, vertices = read_header(path).n_vertices, len(ob.data.vertices)
    problem = ""
    if ob.data.users > 1:
        problem = f"shares its mesh '{ob.data.name}' with others"
    elif VELOCITY in ob.data.attributes:
        problem = f"its mesh has an attribute '{VELOCITY}' already"
    elif cached != vertices:
        problem = f"its mesh has {vertices} vertices, its cache {cached}"
    if problem:
        raise CacheError(f"{ob.name}: {problem}, so there is no place for its velocities. Use --no-velocities.")
    return path
