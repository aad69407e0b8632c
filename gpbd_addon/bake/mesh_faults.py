"""Faults of a mesh that spoil a simulation, and their repair: UV maps, groups, attributes and shape keys stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import bmesh
import bpy
import numpy as np

from ...solver.counted import counted
from ...solver.topology.surface_checks import triangle_heights
from ..read import evaluated_mesh, modifier

Array = np.ndarray

#: Vertices nearer than this are one, as a share of the median edge: files of other programs are split at seams.
DOUBLED = 1e-4
#: Height of a triangle over its longest side, below which it is a sliver: linear systems with it are ill-conditioned.
SLIVER = 0.01
#: Of the median edge, the longest that is taken for a sliver's short side.
SHORT = 0.2


@dataclass(frozen=True)
class Fault:
    """Fault of a mesh. button: label of its repair. tip: tooltip of it. count: of faults in an object's mesh, 0 for none.
    text: message with a count. repair: changes a bmesh."""

    button: str
    tip: str
    count: Callable[[Any], int]
    text: Callable[[int], str]
    repair: Callable[[Any, Any], Any]


def of(ob: bpy.types.Object) -> Iterator[tuple[str, str]]:
    """Faults of a body, each with a sentence."""
    if ob.mode == "EDIT" or not len(ob.data.polygons):
        return
    for name, fault in FAULTS.items():
        count = fault.count(ob)
        if count:
            yield name, f"{ob.name}: {fault.text(count)}"


def repair(ob: bpy.types.Object, name: str) -> int:
    """Repair a fault, in object mode; return the number left."""
    work = bmesh.new()
    try:
        work.from_mesh(ob.data)
        FAULTS[name].repair(work, ob)
        work.to_mesh(ob.data)
    finally:
        work.free()
    ob.data.update()
    return FAULTS[name].count(ob)


def _median_edge(mesh: bpy.types.Mesh) -> float:
    x, ends = evaluated_mesh.local_positions(mesh), evaluated_mesh.edges(mesh)
    return float(np.median(np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1))) if len(ends) else 0.0


def _doubles(work: Any, ob: bpy.types.Object) -> dict[Any, Any]:
    """Each vertex of a border that lies on another one, and that one. What an edge joins is to be sewn there."""
    border = [vertex for vertex in work.verts if vertex.is_boundary or not vertex.link_faces]
    doubles = bmesh.ops.find_doubles(work, verts=border, dist=DOUBLED * _median_edge(ob.data))["targetmap"]
    return {one: other for one, other in doubles.items() if not any(e.other_vert(one) is other for e in one.link_edges)}


def _count_doubles(ob: bpy.types.Object) -> int:
    stack, ours = list(ob.modifiers), modifier.find(ob)
    below = stack if ours is None else stack[: stack.index(ours)]
    if any(md.type == "WELD" and md.show_viewport for md in below):
        return 0
    work = bmesh.new()
    try:
        work.from_mesh(ob.data)
        return len(_doubles(work, ob))
    finally:
        work.free()


def _merge(work: Any, ob: bpy.types.Object) -> None:
    bmesh.ops.weld_verts(work, targetmap=_doubles(work, ob))


def _slivers(ob: bpy.types.Object) -> tuple[Array, Array]:
    """Triangles of the mesh that are slivers, (k, 3), and their heights, (k,)."""
    x, triangles = evaluated_mesh.local_positions(ob.data), evaluated_mesh.triangles(ob.data)
    thin = triangles[triangle_heights(x, triangles) < SLIVER]
    corners = x[thin].astype(float)
    sides = np.linalg.norm(corners - np.roll(corners, -1, 1), axis=2)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return thin, area / np.maximum(sides.max(1), 1e-30)


def _dissolve(work: Any, ob: bpy.types.Object) -> None:
    _, heights = _slivers(ob)
    thin = min(2.0 * float(heights.max(initial=0.0)) + 1e-9, SHORT * _median_edge(ob.data))
    bmesh.ops.dissolve_degenerate(work, dist=thin, edges=work.edges)
    bmesh.ops.triangulate(work, faces=[face for face in work.faces if len(face.verts) > 4])


def count_flipped(ob: bpy.types.Object) -> int:
    """Edges along which both faces run in the same direction."""
    edge, starts_first = _corners(ob.data)
    both = np.bincount(edge, minlength=len(ob.data.edges)) == 2
    forward = np.bincount(edge, starts_first, len(ob.data.edges))
    return int((both & (forward != 1)).sum())


def _count_inward(ob: bpy.types.Object) -> int:
    """Its faces, where they agree, close a volume and look into it."""
    edge, _ = _corners(ob.data)
    if not (np.bincount(edge, minlength=len(ob.data.edges)) == 2).all() or count_flipped(ob):
        return 0
    a, b, c = evaluated_mesh.local_positions(ob.data).astype(float)[evaluated_mesh.triangles(ob.data)].transpose(1, 0, 2)
    return len(ob.data.polygons) if np.einsum("ij,ij->", a, np.cross(b, c)) < 0 else 0


def _corners(mesh: bpy.types.Mesh) -> tuple[Array, Array]:
    """The edge of each corner of a face, and whether it starts where the corner is, both (k,)."""
    edge = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_edge"].data.foreach_get("value", edge)
    return edge, evaluated_mesh.edges(mesh)[edge, 0] == evaluated_mesh.face_corners(mesh)


def _recalculate(work: Any, _: object) -> None:
    bmesh.ops.recalc_face_normals(work, faces=work.faces)


NORMALS = "FLIPPED"
_DOUBLE = "vertex lies on another that it is not joined to", "vertices lie on others that they are not joined to"
_SLIVER = "triangle is a sliver", "triangles are slivers"
#: In the order in which they are put right best.
FAULTS = {
    "DOUBLES": Fault(
        "Merge", "Merge the vertices that lie on one another at borders", _count_doubles,
        lambda n: f"{counted(n, *_DOUBLE)}, so that it comes apart there. Merge them.", _merge,
    ),
    "SLIVERS": Fault(
        "Dissolve", "Dissolve the faces that are slivers", lambda ob: len(_slivers(ob)[0]),
        lambda n: f"{counted(n, *_SLIVER)}, of a height below a hundredth of the length. Dissolve them.", _dissolve,
    ),
    NORMALS: Fault(
        "Recalculate Normals", "Turn faces to the same side as their neighbors", count_flipped,
        lambda n: f"the faces at {counted(n, 'edge', 'edges')} look to opposite sides. Recalculate its normals.",
        _recalculate,
    ),
    "INWARD": Fault(
        "Recalculate Normals", "Turn all faces outwards", _count_inward,
        lambda _: "all faces look inwards. Recalculate its normals.", _recalculate,
    ),
}  # fmt: skip
