"""A garment as it is read: its mesh below all that deforms it with the scene, and its triangles in metres."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ..read import evaluated_mesh, modifier, scene_input

Array = np.ndarray

#: Blender's own simulations.
PHYSICS = {"CLOTH", "SOFT_BODY", "COLLISION"}


@dataclass(frozen=True)
class Source:
    """mesh: as evaluated. x: its vertices [m], (n, 3) float64, turned and scaled as in the world, about the object's origin.
    triangles: (t, 3) int32. linear: object space -> x, (3, 3)."""

    mesh: Any
    x: Array
    triangles: Array
    linear: Array


class Surface:
    """Some triangles, to look for the nearest point of."""

    def __init__(self, x: Array, triangles: Array) -> None:
        self.x, self.triangles = x, triangles
        self.tree = BVHTree.FromPolygons(x.tolist(), triangles.tolist(), all_triangles=True)

    def nearest(self, points: Array) -> tuple[Array, Array, Array]:
        """The nearest points (n, 3), their triangles (n,) and their distances (n,)."""
        hits = [self.tree.find_nearest(point) for point in points.tolist()]
        at = np.array([one[0] for one in hits], dtype=np.float64).reshape(-1, 3)
        return at, np.array([one[2] for one in hits], int), np.array([one[3] for one in hits])

    def normals(self) -> Array:
        """Unit normals of the triangles, (t, 3)."""
        return unit_normals(self.x, self.triangles)

    def shares(self, points: Array, triangle: Array) -> Array:
        """Barycentric coordinates of points in the planes of triangles, (n, 3), also outside of them."""
        a, b, c = (self.x[self.triangles[triangle, k]] for k in range(3))
        u, v, w = b - a, c - a, points - a
        uu, uv, vv = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1)
        wu, wv = (w * u).sum(1), (w * v).sum(1)
        scale = np.maximum(uu * vv - uv * uv, 1e-30)
        s, t = (vv * wu - uv * wv) / scale, (uu * wv - uv * wu) / scale
        return np.stack([1 - s - t, s, t], 1)


def unit_normals(x: Array, triangles: Array) -> Array:
    """Return the unit normals of triangles, (t, 3)."""
    normal = np.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]])
    return normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)


def areas(x: Array, triangles: Array) -> Array:
    """Return the areas of triangles [m^2], (t,)."""
    normal = np.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]])
    return np.linalg.norm(normal, axis=1) / 2


def moving(ob: bpy.types.Object) -> list[Any]:
    """Its modifiers that move it with an animation, and are on."""
    ours = modifier.find(ob)
    return [
        md for md in ob.modifiers if md.type in modifier.ANIMATION and md != ours and (md.show_viewport or md.show_render)
    ]


def first_detail(ob: bpy.types.Object) -> int:
    """Return the index of the first modifier in the stack that adds detail, or the stack's length."""
    return next((k for k, md in enumerate(ob.modifiers) if md.type in modifier.DETAIL), len(ob.modifiers))


@contextmanager
def read(ob: bpy.types.Object, scene: bpy.types.Scene, skip: tuple[str, ...] = ()) -> Iterator[Source]:
    """The garment at rest: its mesh and those modifiers that make its shape. skip: names of modifiers that are left out."""
    ours, stack, detail = modifier.find(ob), list(ob.modifiers), first_detail(ob)
    moved = moving(ob)
    off = [
        md
        for k, md in enumerate(stack)
        if md.show_viewport and (k >= detail or md in moved or md == ours or md.type in PHYSICS or md.name in skip)
    ]
    for md in off:
        md.show_viewport = False
    try:
        depsgraph = scene_input.depsgraph_of(scene, scene_input.view_layer_of(scene))
        there = evaluated_mesh.evaluated(ob, depsgraph)
        mesh = bpy.data.meshes.new_from_object(there, preserve_all_data_layers=True, depsgraph=depsgraph)
    finally:
        for md in off:
            md.show_viewport = True
    try:
        linear = np.array(ob.matrix_world, dtype=np.float64)[:3, :3] * scene.unit_settings.scale_length
        x = evaluated_mesh.local_positions(mesh).astype(np.float64) @ linear.T
        triangles = evaluated_mesh.triangles(mesh)
        if np.linalg.det(linear) < 0:
            triangles = np.ascontiguousarray(triangles[:, ::-1])
        yield Source(mesh, x, triangles, linear)
    finally:
        bpy.data.meshes.remove(mesh)
