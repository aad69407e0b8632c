"""Anchors: the points of a simulation mesh that the vertices of a garment are tied to."""

from __future__ import annotations

import bpy
import numpy as np

from ..identifiers import ANCHOR_ATTRIBUTE, REST_ATTRIBUTE
from ..read import evaluated_mesh
from .sheet import Sheet
from .source import Array, Source, Surface

#: Trims that are smaller than so many edges of the simulation mesh keep their shape.
SMALL = 4.0
#: Where the nearest point is of a layer that looks elsewhere, others are looked for within so many times its distance.
REACH = 3.0
#: Share of the reach by which an anchor may be further away later, and least [share of the size].
MORE, LEAST = 1.5, 1e-3


def rest_of(twin: bpy.types.Object) -> Array:
    """Return the rest positions of the simulation mesh, object space [m], (n, 3) float64."""
    x = np.empty(3 * len(twin.data.vertices), np.float32)
    twin.data.attributes[REST_ATTRIBUTE].data.foreach_get("vector", x)
    return x.reshape(-1, 3).astype(np.float64)


def write_rest(twin: bpy.types.Object) -> None:
    """Store the current mesh as the rest shape."""
    x = evaluated_mesh.local_positions(twin.data)
    twin.data.attributes.new(REST_ATTRIBUTE, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", x.ravel())


def bind(ob: bpy.types.Object, source: Source, sheet: Sheet, twin: bpy.types.Object, edge: float) -> tuple[float, float]:
    """Tie a garment to its simulation mesh; return the largest distance of the sheet, and of all of it, to that mesh [m].

    edge: of the simulation mesh [m].
    """
    rest, faces = rest_of(twin) @ source.linear.T, evaluated_mesh.triangles(twin.data)
    if np.linalg.det(source.linear) < 0:
        faces = faces[:, ::-1]
    surface = Surface(rest, faces)
    at, _, distance = surface.nearest(source.x)
    layer, trim = sheet.layer[sheet.vertex], np.isin(sheet.part[sheet.vertex], sheet.trims)
    _look_alike(surface, source.x, sheet.normals[sheet.vertex] * layer[:, None], at, distance)
    for label in sheet.trims:
        vertices = np.flatnonzero(sheet.part[sheet.vertex] == label)
        size = np.linalg.norm(np.ptp(source.x[vertices], axis=0))
        if len(vertices) and size < SMALL * edge:
            at[vertices] = surface.nearest(source.x[vertices].mean(0)[None])[0]
    on_sheet = distance[(layer == 1) & ~trim]
    _write(ob, source, at)
    return float(on_sheet.max(initial=0.0)), float(np.linalg.norm(source.x - at, axis=1).max(initial=0.0))


def _look_alike(surface: Surface, x: Array, normals: Array, at: Array, distance: Array) -> None:
    """Replace nearest points whose normal differs from the vertex's by slightly farther ones whose normal agrees.

    normals: of the vertices, those of inner layers turned round, zero where it does not matter. Changes at, distance.
    """
    of_faces = surface.normals()
    _, triangle, _ = surface.nearest(x)
    wrong = np.flatnonzero((of_faces[triangle] * normals).sum(1) < 0)
    for k in wrong:
        near = surface.tree.find_nearest_range(x[k].tolist(), REACH * distance[k])
        alike = [one for one in near if of_faces[one[2]] @ normals[k] > 0.3]
        if alike:
            best = min(alike, key=lambda one: one[3])
            at[k], distance[k] = best[0], best[3]


def _write(ob: bpy.types.Object, source: Source, at: Array) -> None:
    """As an attribute; a mesh whose modifiers make vertices has no place for them, and takes the nearest points."""
    mesh = ob.data
    if ANCHOR_ATTRIBUTE in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[ANCHOR_ATTRIBUTE])
    if len(mesh.vertices) == len(at):
        local = at @ np.linalg.inv(source.linear).T
        attribute = mesh.attributes.new(ANCHOR_ATTRIBUTE, "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", local.astype(np.float32).ravel())
    mesh.update_tag()


def stale(ob: bpy.types.Object, x: Array) -> int:
    """Vertices of a garment that have no anchor, or one that is further away than any was when it was bound.

    x: vertices of its own mesh, object space, (n, 3).
    """
    attribute = ob.data.attributes.get(ANCHOR_ATTRIBUTE)
    if attribute is None:
        return 0
    at = np.empty((len(x), 3), np.float32)
    attribute.data.foreach_get("vector", at.ravel())
    reach = MORE * ob.gpbd.anchor_reach + LEAST * float(np.linalg.norm(np.ptp(at, axis=0)))
    return int(((at == 0).all(1) | (np.linalg.norm(x - at, axis=1) > reach)).sum())
