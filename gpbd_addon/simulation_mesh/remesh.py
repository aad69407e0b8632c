"""An even mesh of a sheet: quads by Blender's QuadriFlow, and where that fails what its Decimate leaves."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import bmesh
import bpy
import numpy as np

from ...solver.topology.components import label_components
from ...solver.topology.surface_checks import triangle_heights
from ..read import evaluated_mesh
from .source import Array, Surface, areas

Made = TypeVar("Made")
#: Makes something in pieces of work, before each of which it yields how much of it is done, 0 to 1.
Pieces = Generator[float, None, Made]

#: Furthest that the new mesh and the sheet may be apart, in edges: to be taken at once, and to be taken at all.
NEAR, FAR = 0.75, 1.5
#: Attempts in turn: triangles of the thinned sheet over wanted faces, and wanted over requested faces. QuadriFlow closes an
#: opening now and then, of coarse meshes above all.
TRIED = ((5, 1.0), (5, 1.2), (12, 1.0), (5, 1.5), (5, 0.85), (12, 1.3))
#: Furthest that a vertex of the border is moved to the border of the sheet, in edges.
BORDER = 1.5
#: Least height of a triangle over its longest side, of a mesh that was evened, and of one as QuadriFlow makes it.
THIN, THINNEST = 0.05, 0.005
#: Times that vertices go half the way to the middle of their neighbours.
EVENED = 6
#: Least faces of a loose part.
LEAST = 12


@dataclass(frozen=True)
class Remeshed:
    """x: vertices [m], (n, 3). faces: each its vertices. irregular: loose parts that could not be made of quads. distance:
    the largest from the sheet to it, or from it to the sheet [m]."""

    x: Array
    faces: list[tuple[int, ...]]
    irregular: int
    distance: float

    def triangles(self) -> Array:
        """Triangles of its faces, (t, 3) int32."""
        return np.array([(f[0], f[k], f[k + 1]) for f in self.faces for k in range(1, len(f) - 1)], np.int32).reshape(-1, 3)


def remeshing(scene: bpy.types.Scene, x: Array, triangles: Array, edge: float, quads: bool) -> Pieces[Remeshed]:
    """Make a mesh of edges of about so many metres, with the borders of the sheet. x: (n, 3) [m]. triangles: (t, 3).

    Yields before each piece of work how far it is, 0 to 1.
    """
    part = label_components(np.concatenate([triangles[:, :2], triangles[:, 1:]]), len(x))[triangles[:, 0]]
    points: list[Array] = []
    faces: list[tuple[int, ...]] = []
    irregular, distance = 0, 0.0
    labels = np.unique(part)
    for k, label in enumerate(labels):
        used, corners = np.unique(triangles[part == label], return_inverse=True)
        there, part_triangles = x[used], corners.reshape(-1, 3)
        pieces = _part_made(scene, there, part_triangles, edge)
        made = yield from _shares(pieces, k / len(labels), 1 / len(labels))
        irregular += not made.quads
        distance = max(distance, made.distance)
        first = sum(map(len, points))
        points.append(made.x)
        faces += [tuple(first + k for k in face) for face in made.faces]
    if not quads:
        faces = [piece for face in faces for piece in ([face] if len(face) == 3 else [face[:3], (face[0], *face[2:])])]
    return Remeshed(np.concatenate(points), faces, irregular, distance)


@dataclass(frozen=True)
class _Part:
    x: Array
    faces: list[tuple[int, ...]]
    distance: float
    quads: bool


def _shares(pieces: Pieces[_Part], first: float, share: float) -> Pieces[_Part]:
    """The same, whose 0 to 1 are a share of another's."""
    while True:
        try:
            done = next(pieces)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        yield first + share * done


def _part_made(scene: bpy.types.Scene, x: Array, triangles: Array, edge: float) -> Pieces[_Part]:
    """Remesh one loose part. Between pieces nothing of it is in the scene."""
    wanted = max(round(areas(x, triangles).sum() / edge**2), LEAST)
    whole = bpy.data.meshes.new("GPBD Remesh")
    try:
        whole.from_pydata(x.tolist(), [], triangles.tolist())
        clean(whole)
        shape, surface, border = _shape(whole), Surface(x, triangles), _border(whole)
        best: _Part | None = None
        for k, (finer, more) in enumerate(TRIED):
            yield k / len(TRIED)
            with _object(scene, whole) as ob:
                _thin(scene, ob, finer * wanted)
                _quadriflow(ob, round(more * wanted))
                if not ob.data.polygons or _shape(ob.data) != shape:
                    continue
                before = evaluated_mesh.local_positions(ob.data)
                _even(ob.data, surface, border, BORDER * edge)
                even = _thinnest(ob.data) > THIN
                if not even:
                    _write(ob.data, before)
                    if _thinnest(ob.data) < THINNEST:
                        continue
                distance = _distance(ob.data, surface, x)
                if best is None or distance < best.distance:
                    best = _Part(*_read(ob.data), distance, True)
                if even and distance < NEAR * edge:
                    break
        if best is not None and best.distance < FAR * edge:
            return best
        with _object(scene, whole) as ob:
            _thin(scene, ob, 2 * wanted)
            _join(ob.data)
            return _Part(*_read(ob.data), _distance(ob.data, surface, x), False)
    finally:
        bpy.data.meshes.remove(whole)


def _border_edges(mesh: bpy.types.Mesh) -> Array:
    """The vertices of its edges with one face, (b, 2)."""
    ends = evaluated_mesh.edges(mesh)
    edge = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_edge"].data.foreach_get("value", edge)
    return ends[np.bincount(edge, minlength=len(ends)) == 1]


def _border(mesh: bpy.types.Mesh) -> Array:
    """The ends of the edges of its border, (b, 2, 3)."""
    return evaluated_mesh.local_positions(mesh).astype(float)[_border_edges(mesh)]


def _even(mesh: bpy.types.Mesh, surface: Surface, border: Array, most: float) -> None:
    """Even the spacing of its vertices, on the sheet, and those of its border on that of the sheet.

    most: distance to the border that a vertex is moved by at most [m]. Border vertices have neighbours on the border only.
    """
    x, ends = evaluated_mesh.local_positions(mesh).astype(float), evaluated_mesh.edges(mesh)
    rim = _border_edges(mesh)
    on = np.zeros(len(x), bool)
    on[rim] = True
    links = np.concatenate([ends[~on[ends[:, 0]]], ends[~on[ends[:, 1]]][:, ::-1], rim, rim[:, ::-1]])  # to the first
    count = np.maximum(np.bincount(links[:, 0], minlength=len(x)), 1)[:, None]
    for _ in range(EVENED):
        means = np.stack([np.bincount(links[:, 0], x[links[:, 1], k], len(x)) for k in range(3)], 1) / count
        x = (x + means) / 2
        x[~on] = surface.nearest(x[~on])[0]
        x[on] = _on_lines(x[on], border, most)
    _write(mesh, x)


def _on_lines(points: Array, lines: Array, most: float) -> Array:
    """The nearest points of lines (l, 2, 3), or the points themselves where those are too far away."""
    start, along = lines[:, 0], lines[:, 1] - lines[:, 0]
    square = np.maximum((along**2).sum(1), 1e-30)
    moved = points.copy()
    for k, point in enumerate(points):
        share = np.clip(((point - start) * along).sum(1) / square, 0.0, 1.0)
        there = start + share[:, None] * along
        distance = np.linalg.norm(there - point, axis=1)
        nearest = int(distance.argmin())
        if distance[nearest] < most:
            moved[k] = there[nearest]
    return moved


def _write(mesh: bpy.types.Mesh, x: Array) -> None:
    mesh.attributes["position"].data.foreach_set("vector", x.astype(np.float32).ravel())
    mesh.update()


def _thinnest(mesh: bpy.types.Mesh) -> float:
    """The least height of a triangle over its longest side."""
    heights = triangle_heights(evaluated_mesh.local_positions(mesh), evaluated_mesh.triangles(mesh))
    return float(heights.min(initial=1.0))


@contextmanager
def _object(scene: bpy.types.Scene, mesh: bpy.types.Mesh) -> Iterator[bpy.types.Object]:
    """An object of a copy of this mesh, in the scene, and away again."""
    ob = bpy.data.objects.new(mesh.name, mesh.copy())
    scene.collection.objects.link(ob)
    try:
        yield ob
    finally:
        copied = ob.data
        bpy.data.objects.remove(ob)
        bpy.data.meshes.remove(copied)


def _replaced(old: Any, new: Any) -> Any:
    """A copy of `new`; `old` is of nobody after this."""
    made = new.copy()
    old.user_remap(made)
    bpy.data.meshes.remove(old)
    return made


def clean(mesh: bpy.types.Mesh) -> None:
    """Leave a mesh in which at most two faces meet at an edge."""
    work = bmesh.new()
    try:
        work.from_mesh(mesh)
        crowded = [edge for edge in work.edges if len(edge.link_faces) > 2]
        bmesh.ops.split_edges(work, edges=crowded)
        bmesh.ops.delete(work, geom=[v for v in work.verts if not v.link_faces], context="VERTS")
        bmesh.ops.recalc_face_normals(work, faces=list(work.faces)) if crowded else None
        work.to_mesh(mesh)
    finally:
        work.free()


def _thin(scene: bpy.types.Scene, ob: bpy.types.Object, most: int) -> None:
    """Make the mesh one of at most so many triangles, by Decimate."""
    if len(ob.data.polygons) <= most:
        return
    md = ob.modifiers.new("Decimate", "DECIMATE")
    md.ratio = most / len(ob.data.polygons)
    layer = scene.view_layers[0] if bpy.context.scene != scene else bpy.context.view_layer
    layer.update()
    made = bpy.data.meshes.new_from_object(ob.evaluated_get(layer.depsgraph))
    ob.modifiers.clear()
    ob.data = _replaced(ob.data, made)
    bpy.data.meshes.remove(made)


def _quadriflow(ob: bpy.types.Object, faces: int) -> None:
    with bpy.context.temp_override(object=ob, active_object=ob, selected_objects=[ob], selected_editable_objects=[ob]):
        bpy.ops.object.quadriflow_remesh(
            use_mesh_symmetry=False, use_preserve_sharp=False, use_preserve_boundary=True, preserve_attributes=False,
            smooth_normals=False, mode="FACES", target_faces=faces, seed=0,
        )  # fmt: skip


def _join(mesh: bpy.types.Mesh) -> None:
    """Make quads of triangles where two make one."""
    work = bmesh.new()
    try:
        work.from_mesh(mesh)
        bmesh.ops.join_triangles(
            work, faces=list(work.faces), angle_face_threshold=0.7, angle_shape_threshold=0.7,
        )  # fmt: skip
        work.to_mesh(mesh)
    finally:
        work.free()


def _shape(mesh: bpy.types.Mesh) -> tuple[int, int, int]:
    """Loose parts, borders and Euler characteristic: what a remesh must keep."""
    ends = evaluated_mesh.edges(mesh)
    n = len(mesh.vertices)
    edge = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_edge"].data.foreach_get("value", edge)
    faces_of_edge = np.bincount(edge, minlength=len(ends))
    if (faces_of_edge > 2).any() or (faces_of_edge == 0).any():
        return (-1, -1, -1)
    border = ends[faces_of_edge == 1]
    loops = len(np.unique(label_components(border, n)[np.unique(border)])) if len(border) else 0
    parts = len(np.unique(label_components(ends, n)))
    return parts, loops, n - len(ends) + len(mesh.polygons)


def _read(mesh: Any) -> tuple[Array, list[tuple[int, ...]]]:
    return evaluated_mesh.local_positions(mesh).astype(float), [tuple(face.vertices) for face in mesh.polygons]


def _distance(mesh: bpy.types.Mesh, surface: Surface, x: Array) -> float:
    """The largest from one to the other, at vertices [m]."""
    made = evaluated_mesh.local_positions(mesh).astype(float)
    back = Surface(made, evaluated_mesh.triangles(mesh))
    used = np.unique(surface.triangles)
    return float(max(surface.nearest(made)[2].max(), back.nearest(x[used])[2].max()))
