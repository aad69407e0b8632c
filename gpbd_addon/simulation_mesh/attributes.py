"""Attributes that a simulation mesh takes over from the garment: vertex groups, maps, UV maps, seams, materials."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np

from ...solver.topology.components import label_components
from ..read import evaluated_mesh
from .source import Array, Source, Surface

#: How far a corner is moved to the middle of its face before it is looked up, so that it is on the face's side of a seam.
INWARDS = 0.05
#: UVs that differ by more than this share of the size of their face are of two sides of a seam.
CUT = 0.3
#: Seams nearer than so many edges are looked for.
NEAR = 1.2


def take_over(ob: bpy.types.Object, source: Source, surface: Surface, of: Array, twin: bpy.types.Object) -> None:
    """Write them to the mesh of the simulation mesh.

    surface: of the sheet in the source [m]; of: the source's triangle of each of its triangles, (t,).
    """
    local = evaluated_mesh.local_positions(twin.data).astype(np.float64) @ source.linear.T
    at, triangle, _ = surface.nearest(local)
    shares = np.clip(surface.shares(at, triangle), 0.0, 1.0)
    corners = source.triangles[of[triangle]]
    _points(ob, source, twin, corners, shares / shares.sum(1, keepdims=True))
    faces = _Faces(twin.data, local, surface, of)
    _materials(ob, source, twin, faces)
    for layer in source.mesh.uv_layers:
        _uv_map(source, twin, faces, layer.name)
    _seams(source, twin, faces, local)


class _Faces:
    """Faces of the simulation mesh. Vertex and face of each corner; centre of each face, and the triangle there."""

    def __init__(self, mesh: bpy.types.Mesh, x: Array, surface: Surface, of: Array) -> None:
        self.vertex = evaluated_mesh.face_corners(mesh)
        count = np.array([face.loop_total for face in mesh.polygons])
        self.face = np.repeat(np.arange(len(count)), count)
        self.centre = np.stack([np.bincount(self.face, x[self.vertex, k]) for k in range(3)], 1) / count[:, None]
        self.x, self.surface, self.of = x[self.vertex], surface, of
        _, self.triangle, _ = surface.nearest(self.centre)
        first = np.cumsum(count) - count
        follow = np.arange(len(self.face)) + 1
        self.next = np.where(follow == (first + count)[self.face], first[self.face], follow)
        self.edge = np.empty(len(self.face), np.int32)
        mesh.attributes[".corner_edge"].data.foreach_get("value", self.edge)

    def pairs(self) -> tuple[Array, Array]:
        """Corners that begin the same edge, of two faces, both (k,)."""
        order = np.argsort(self.edge, kind="stable")
        same = np.flatnonzero(self.edge[order][1:] == self.edge[order][:-1])
        return order[same], order[same + 1]


def _points(ob: bpy.types.Object, source: Source, twin: bpy.types.Object, corners: Array, shares: Array) -> None:
    """Vertex groups and numbers of points."""
    n = len(source.mesh.vertices)
    groups = [group.name for group in ob.vertex_groups]
    weights = np.zeros((n, len(groups)), np.float32)
    work = bmesh.new()
    try:
        work.from_mesh(source.mesh)
        deform = work.verts.layers.deform.active
        for vertex in work.verts if deform is not None else ():
            for group, weight in vertex[deform].items():
                if group < len(groups):
                    weights[vertex.index, group] = weight
    finally:
        work.free()
    taken = np.einsum("vc,vcg->vg", shares, weights[corners])
    for name, column in zip(groups, taken.T, strict=True):
        group = twin.vertex_groups.new(name=name)
        for k in np.flatnonzero(column > 1e-6):
            group.add([int(k)], float(column[k]), "REPLACE")
    for attribute in source.mesh.attributes:
        if attribute.domain == "POINT" and attribute.data_type == "FLOAT" and not attribute.name.startswith("."):
            values = np.empty(n, np.float32)
            attribute.data.foreach_get("value", values)
            made = twin.data.attributes.new(attribute.name, "FLOAT", "POINT")
            made.data.foreach_set("value", (shares * values[corners]).sum(1).astype(np.float32))


def _materials(ob: bpy.types.Object, source: Source, twin: bpy.types.Object, faces: _Faces) -> None:
    """Assign the materials of the slots to the faces."""
    for slot in ob.material_slots:
        twin.data.materials.append(slot.material)
    if len(ob.material_slots) < 2:
        return
    of_polygon = np.empty(len(source.mesh.polygons), np.int32)
    source.mesh.polygons.foreach_get("material_index", of_polygon)
    polygon = np.empty(len(source.mesh.loop_triangles), np.int32)
    source.mesh.loop_triangles.foreach_get("polygon_index", polygon)
    twin.data.polygons.foreach_set("material_index", of_polygon[polygon[faces.of[faces.triangle]]])


def _uv_map(source: Source, twin: bpy.types.Object, faces: _Faces, name: str) -> None:
    uv = np.empty((len(source.mesh.loops), 2), np.float32)
    source.mesh.attributes[name].data.foreach_get("vector", uv.ravel())
    loops = np.empty(len(source.mesh.loop_triangles) * 3, np.int32)
    source.mesh.loop_triangles.foreach_get("loops", loops)
    of_corner = uv[loops.reshape(-1, 3)[faces.of]].astype(np.float64)  # of each triangle of the sheet
    if np.linalg.det(source.linear) < 0:
        of_corner = of_corner[:, ::-1]
    surface = faces.surface
    inwards = faces.x + INWARDS * (faces.centre[faces.face] - faces.x)
    at, triangle, _ = surface.nearest(inwards)
    there = _looked_up(surface, of_corner, at, triangle)
    middle = _looked_up(surface, of_corner, faces.centre, faces.triangle)
    straight = _looked_up(surface, of_corner, faces.x, faces.triangle[faces.face])
    size = np.linalg.norm(straight - middle[faces.face], axis=1)
    size = np.maximum.reduceat(size, np.flatnonzero(np.r_[True, np.diff(faces.face) > 0]))[faces.face]
    across = np.linalg.norm(there - straight, axis=1) > 2 * size
    places = np.where(across[:, None], straight, there)
    one, other = faces.pairs()
    ends = [(one, faces.next[other]), (faces.next[one], other)]
    near = np.ones(len(one), np.bool_)
    for a, b in ends:
        near &= np.linalg.norm(places[a] - places[b], axis=1) < CUT * np.minimum(size[a], size[b])
    links = np.concatenate([np.stack([a[near], b[near]], 1) for a, b in ends])
    label = label_components(links, len(places))
    count = np.maximum(np.bincount(label, minlength=len(places)), 1)
    means = np.stack([np.bincount(label, places[:, k], len(places)) / count for k in range(2)], 1)[label]
    layer = twin.data.uv_layers.new(name=name, do_init=False)
    twin.data.attributes[layer.name].data.foreach_set("vector", means.astype(np.float32).ravel())


def _looked_up(surface: Surface, of_corner: Array, points: Array, triangle: Array) -> Array:
    """UVs at points in the planes of triangles."""
    return np.einsum("pc,pcd->pd", surface.shares(points, triangle), of_corner[triangle])


def _seams(source: Source, twin: bpy.types.Object, faces: _Faces, x: Array) -> None:
    """Mark the edges between faces whose middles cannot be joined, near them, without crossing a seam of the garment."""
    marked = source.mesh.attributes.get("uv_seam")
    if marked is None:
        return
    seam = np.empty(len(source.mesh.edges), bool)
    marked.data.foreach_get("value", seam)
    if not seam.any():
        return
    of, surface = faces.of, faces.surface
    triangles = source.triangles[of]
    ends = np.sort(evaluated_mesh.edges(source.mesh), 1)[seam].astype(np.int64)
    n = len(source.x)
    cut = set((ends[:, 0] * n + ends[:, 1]).tolist())
    neighbours: dict[int, list[int]] = {}
    known: dict[int, int] = {}
    for k, corners in enumerate(triangles.tolist()):
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True):
            key = min(a, b) * n + max(a, b)
            if key in cut:
                continue
            if key in known:
                neighbours.setdefault(k, []).append(known[key])
                neighbours.setdefault(known[key], []).append(k)
            known[key] = k
    middle = surface.x[surface.triangles].mean(1)
    on_seam = source.x[ends].mean(1)
    one, other = faces.pairs()
    edges = []
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        here = (faces.x[a] + faces.x[faces.next[a]]) / 2
        reach = NEAR * float(np.linalg.norm(faces.centre[faces.face[a]] - faces.centre[faces.face[b]]))
        if ((on_seam - here) ** 2).sum(1).min() > reach**2:
            continue
        start, goal = int(faces.triangle[faces.face[a]]), int(faces.triangle[faces.face[b]])
        if not _joined(start, goal, neighbours, middle, here, reach):
            edges.append(int(faces.edge[a]))
    values = np.zeros(len(twin.data.edges), np.bool_)
    values[edges] = True
    made = twin.data.attributes.new("uv_seam", "BOOLEAN", "EDGE")
    made.data.foreach_set("value", values)


def _joined(start: int, goal: int, neighbours: dict[int, list[int]], middle: Array, here: Array, reach: float) -> bool:
    """Return whether a path over neighbours connects two triangles near a point."""
    seen, ahead = {start}, [start]
    while ahead:
        k = ahead.pop()
        if k == goal:
            return True
        for other in neighbours.get(k, ()):
            if other not in seen and (((middle[other] - here) ** 2).sum() < reach**2 or other == goal):
                seen.add(other)
                ahead.append(other)
    return False
