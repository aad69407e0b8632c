"""Simulated meshes of bodies as the window shows them, and the face under the mouse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np
from mathutils.interpolate import poly_3d_calc

from ...solver.cache.pc2 import read_frames, read_header
from ...solver.errors import CacheError
from ..bake import cache_path, playback
from ..read import evaluated_mesh, modifier, scene_input

Array = np.ndarray

#: How far from the mouse a vertex may be where there is no face under it [pixels].
NEAR = 20.0


@dataclass(frozen=True)
class Hit:
    """body: its object. point: where it was hit, world space in Blender units, (3,). face: vertices of the face there in the
    object's mesh; none where later modifiers make others."""

    body: bpy.types.Object
    point: Array
    face: tuple[int, ...] = ()


def positions(scene: bpy.types.Scene, ob: bpy.types.Object) -> Array:
    """Simulated vertices at the scene's frame, (n, 3) float32, object space; of the mesh itself where no cache is played."""
    cache_modifier, path = modifier.find(ob), cache_path.of(ob)
    if cache_modifier is None or path is None or not path.exists():
        return evaluated_mesh.local_positions(ob.data)
    frames, header = read_frames(path), read_header(path)
    if not len(frames):
        raise CacheError(f"{ob.name}: its cache has no frame yet. Play first.")
    return np.array(frames[playback.frame_shown(cache_modifier, scene, header.samples, len(frames))])


def world_positions(scene: bpy.types.Scene, ob: bpy.types.Object) -> Array:
    """The same in world space, Blender units, (n, 3)."""
    matrix = np.array(ob.matrix_world)
    return positions(scene, ob) @ matrix[:3, :3].T + matrix[:3, 3]


def under(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object], origin: Any, direction: Any) -> Hit | None:
    """The first thing that a ray hits in the window, where that is one of these bodies. origin, direction: world space."""
    hit, known = surface(scene, origin, direction), {one.name_full: one for one in bodies}
    return None if hit is None or hit.body.name_full not in known else replace(hit, body=known[hit.body.name_full])


def surface(scene: bpy.types.Scene, origin: Any, direction: Any) -> Hit | None:
    """The same of any object of the scene, as evaluated."""
    depsgraph = scene_input.depsgraph_of(scene, scene_input.view_layer_of(scene))
    hit, point, _, face, ob, _ = scene.ray_cast(depsgraph, origin, direction)
    return Hit(ob, np.array(point), _corners(ob, ob.evaluated_get(depsgraph).data, face)) if hit else None


def _corners(ob: bpy.types.Object, there: bpy.types.Object, face: int) -> tuple[int, ...]:
    """Return the vertices of a face of the evaluated mesh, of `Hit`."""
    mesh = ob.data
    if not isinstance(there, bpy.types.Mesh) or not isinstance(mesh, bpy.types.Mesh):
        return ()
    same = len(there.vertices) == len(mesh.vertices) and len(there.polygons) == len(mesh.polygons)
    corners: Any = mesh.polygons[face].vertices if same else ()
    return tuple(corners)


def beside(
    scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object], perspective: Array, size: tuple[int, int],
    mouse: tuple[float, float],
) -> Hit | None:  # fmt: skip
    """The vertex of these bodies that is nearest to the mouse in a window's region. perspective: (4, 4). size, mouse:
    [pixels]."""
    best: tuple[float, Hit] | None = None
    for ob in bodies:
        x = world_positions(scene, ob)
        there = x @ perspective[:3, :3].T + perspective[:3, 3]
        depth = x @ perspective[3, :3] + perspective[3, 3]
        flat = (0.5 + 0.5 * there[:, :2] / np.maximum(depth, 1e-6)[:, None]) * size
        away = np.where(depth > 0, np.linalg.norm(flat - mouse, axis=1), np.inf)
        row = int(away.argmin())
        if away[row] < (NEAR if best is None else best[0]):
            best = float(away[row]), Hit(ob, x[row])
    return None if best is None else best[1]


def within(x: Array, point: Array, radius: float, face: Sequence[int] = ()) -> tuple[Array, Array]:
    """Return the vertices in a brush and the weight of each, 1 in the middle and 0 at its edge, (k,) float32. Of a brush
    without vertices those of the face under it, whose weighted mean is the point, else the nearest one.

    x: (n, 3), point: (3,), radius: in the same units. face: of `Hit`.
    """
    away = np.linalg.norm(x - point, axis=1)
    if len(face) and away.min() >= radius and max(face) < len(x):
        corners = np.array(face)
        weights: Array = np.array(poly_3d_calc([x[corner].tolist() for corner in face], point.tolist()))
        return corners[weights > 0], weights[weights > 0].astype(np.float32)
    share = np.square(1.0 - np.square(np.minimum(away / radius, 1.0)))
    share[away.argmin()] = max(share[away.argmin()], 1e-3)
    rows = np.flatnonzero(share > 0)
    return rows, share[rows].astype(np.float32)
