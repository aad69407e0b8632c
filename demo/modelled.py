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
    """Return balls from one point to another [m], whose radius changes from `thick` to `thin`."""
    a, b = mathutils.Vector(start), mathutils.Vector(end)
    count = int((b - a).length / (SPACING * thin)) + 2
    shares = [k / (count - 1) for k in range(count)]
    return [(a.lerp(b, t), (thick + (thin - thick) * t,) * 3) for t in shares]


def melted(name: str, balls: Iterable[Ball], edge: float, smooth: int = 8) -> bpy.types.Object:
    """Return the union of the balls, as a mesh of quads with edges of this length [m]. smooth: passes of the Smooth
    modifier."""
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
    """Remesh the result of the object's stack evenly, and smooth it; the stack is empty then."""
    remesh: Any = ob.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size, remesh.use_smooth_shade = "VOXEL", edge, True
    soft: Any = ob.modifiers.new("Smooth", "SMOOTH")
    soft.factor, soft.iterations = 0.5, smooth
    remeshed = bpy.data.meshes.new_from_object(ob.evaluated_get(_depsgraph()))
    old, ob.data = ob.data, remeshed
    remeshed.name = old.name
    bpy.data.meshes.remove(old)
    ob.modifiers.clear()
    return ob


def keep(ob: bpy.types.Object, kept: np.ndarray) -> None:
    """Keep the faces whose corners are all kept, and cut off spikes at their rims. kept: (n,) bool."""
    faces = [list(face.vertices) for face in ob.data.polygons if kept[list(face.vertices)].all()]
    uses = np.bincount(np.concatenate(faces), minlength=len(kept))
    faces = [[k for k in face if uses[k] > 1] for face in faces]
    faces = [face for face in faces if len(face) > 2]
    used, rows = np.unique(np.concatenate(faces), return_inverse=True)
    ends = np.cumsum([len(face) for face in faces])[:-1]
    old, vertices = ob.data, positions(ob)[used]
    ob.data = stage.mesh(ob.name, vertices.tolist(), [part.tolist() for part in np.split(rows, ends)], smooth=True)
    bpy.data.meshes.remove(old)


def positions(ob: bpy.types.Object) -> np.ndarray:
    """Return the positions of its mesh's vertices [m], (n, 3)."""
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
