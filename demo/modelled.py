"""Closed, smooth, evenly meshed figures of balls that melt into each other: mannequin and bunny of the demo scenes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import mathutils
import numpy as np

from . import lathe, stage

#: Centre and radii along the axes [m].
Ball = tuple[Sequence[float], Sequence[float]]
#: Of the radius: between the balls of a limb, near enough to show no waist.
SPACING = 0.3


def limb(start: Sequence[float], end: Sequence[float], thick: float, thin: float) -> list[Ball]:
    """Balls from one point to another [m], whose radius goes from `thick` to `thin`."""
    a, b = mathutils.Vector(start), mathutils.Vector(end)
    count = int((b - a).length / (SPACING * thin)) + 2
    shares = [k / (count - 1) for k in range(count)]
    return [(a.lerp(b, t), (thick + (thin - thick) * t,) * 3) for t in shares]


def melted(name: str, balls: Iterable[Ball], edge: float, smooth: int = 8) -> bpy.types.Object:
    """What the balls cover, as a mesh of quads with edges of this length [m]. smooth: passes of the Smooth modifier."""
    vertices, faces = [], []
    unit = lathe.ball("Ball", 1.0, 24)
    corners = np.array([vertex.co for vertex in unit.vertices])
    for centre, radii in balls:
        faces += [[len(vertices) + k for k in face.vertices] for face in unit.polygons]
        vertices += (np.array(centre) + corners * np.array(radii)).tolist()
    bpy.data.meshes.remove(unit)
    ob = stage.add(bpy.context.scene, name, stage.mesh(name, vertices, faces, smooth=True))
    return even(ob, edge, smooth)


def even(ob: bpy.types.Object, edge: float, smooth: int) -> bpy.types.Object:
    """Meshes what the object's stack gives anew, evenly, and smooths it; the stack is empty then."""
    remesh: Any = ob.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", edge, True
    soft: Any = ob.modifiers.new("Smooth", "SMOOTH")
    soft.factor, soft.iterations = 0.5, smooth
    made = bpy.data.meshes.new_from_object(ob.evaluated_get(_depsgraph()))
    old, ob.data = ob.data, made
    made.name = old.name
    bpy.data.meshes.remove(old)
    ob.modifiers.clear()
    return ob


def keep(ob: bpy.types.Object, kept: np.ndarray) -> None:
    """Leaves the faces whose corners are all kept. kept: (n,) bool, of its vertices."""
    rows = np.cumsum(kept) - 1
    faces = [[int(rows[k]) for k in face.vertices] for face in ob.data.polygons if kept[list(face.vertices)].all()]
    vertices = positions(ob)[kept]
    used = np.zeros(len(vertices), bool)
    used[[k for face in faces for k in face]] = True
    rows = np.cumsum(used) - 1
    old = ob.data
    ob.data = stage.mesh(ob.name, vertices[used].tolist(), [[int(rows[k]) for k in face] for face in faces], smooth=True)
    bpy.data.meshes.remove(old)


def smooth_rims(ob: bpy.types.Object, passes: int = 6) -> None:
    """Takes the steps out of the rims that `keep` has left: each of their vertices goes between its neighbours there."""
    edges = np.array([face.edge_keys for face in ob.data.polygons if len(face.vertices) == 4]).reshape(-1, 2)
    found, times = np.unique(edges, axis=0, return_counts=True)
    rim, x = found[times == 1], positions(ob)
    count = np.bincount(rim.ravel(), minlength=len(x))
    for _ in range(passes):
        total = np.zeros_like(x)
        np.add.at(total, rim[:, 0], x[rim[:, 1]])
        np.add.at(total, rim[:, 1], x[rim[:, 0]])
        x[count == 2] = 0.5 * x[count == 2] + 0.25 * total[count == 2]
    ob.data.attributes["position"].data.foreach_set("vector", x.astype(np.float32).ravel())
    ob.data.update()


def positions(ob: bpy.types.Object) -> np.ndarray:
    """Of its mesh's vertices [m], (n, 3)."""
    x = np.empty(3 * len(ob.data.vertices), np.float32)
    ob.data.attributes["position"].data.foreach_get("vector", x)
    return x.reshape(-1, 3).astype(float)


def step(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 up to `low`, 1 from `high` on, smooth between."""
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3 - 2 * t)


def _depsgraph() -> bpy.types.Depsgraph:
    layer = bpy.context.view_layer
    layer.update()
    return layer.depsgraph
