"""Meshes as Blender evaluates them, as arrays: float64 world space in metres, int32 triangles, weights and UVs."""

from __future__ import annotations

import hashlib

import bmesh
import bpy
import numpy as np

from ...solver.errors import SceneError

Array = np.ndarray


def evaluated(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
    """The object at the depsgraph's frame. Raises: SceneError if it is switched off in the viewport, so not evaluated."""
    result = ob.evaluated_get(depsgraph)
    if not result.is_evaluated:
        raise SceneError(
            f"{ob.name_full}: is disabled in the viewport or in an excluded collection, so Blender does not evaluate it. "
            "Enable it (hiding it with the eye icon is fine), then bake again."
        )
    return result


def world_matrix(ob: bpy.types.Object, scale: float) -> Array:
    """Object space -> world space in metres, (4, 4). scale: metres of a Blender unit.

    Raises: SceneError if it is not finite.
    """
    return in_metres(ob.name_full, np.array(ob.matrix_world, dtype=np.float64), scale)


def in_metres(name: str, matrix: Array, scale: float) -> Array:
    """Object space -> world space in metres, (4, 4) float64, from a world matrix of Blender's.

    Raises: SceneError, naming the object, if it is not finite.
    """
    matrix = np.array(matrix, dtype=np.float64)
    if not np.isfinite(matrix).all():
        part = "rotation or scale" if not np.isfinite(matrix[:3, :3]).all() else "location"
        raise SceneError(
            f"{name}: its {part} is not finite (world matrix {np.round(matrix[:3], 3).tolist()}); wanted numbers. "
            "Type it anew, or repair its drivers, its animation, its constraints or its parent."
        )
    matrix[:3] *= scale
    return matrix


def to_local(owner: str, world: Array) -> Array:
    """World space in metres -> object space, (4, 4), from an object's matrix of the same frame.

    Raises: SceneError if the object is scaled to nothing.
    """
    linear = world[:3, :3]
    if abs(np.linalg.det(linear)) < 1e-12 * max(float(np.linalg.norm(linear)) ** 3, 1e-30):
        raise SceneError(f"{owner}: its scale is zero along an axis, so nothing can be written back. Give it a scale.")
    return np.linalg.inv(world)


def local_positions(mesh: bpy.types.Mesh) -> Array:
    """Object-space vertices in Blender units, (n, 3) float32."""
    x = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    if len(x):  # a mesh without vertices need not have the attribute, which is 100 times faster than `vertices`
        mesh.attributes["position"].data.foreach_get("vector", x)
    return x.reshape(-1, 3)


def world_positions(ob: bpy.types.Object, scale: float) -> Array:
    """Vertices of an evaluated mesh object [m], (n, 3) float64, world space."""
    return positions_at(ob, world_matrix(ob, scale))


def positions_at(ob: bpy.types.Object, matrix: Array) -> Array:
    """Return the vertices of an evaluated mesh object at another place, (n, 3) float64. matrix: `in_metres`."""
    with np.errstate(invalid="ignore"):  # the check for finite coordinates names the object later
        return local_positions(ob.data) @ matrix[:3, :3].T + matrix[:3, 3]


def triangles(mesh: bpy.types.Mesh) -> Array:
    """The triangles of all faces, (t, 3) int32."""
    mesh.calc_loop_triangles()
    corners = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    return corners.reshape(-1, 3)


def face_corners(mesh: bpy.types.Mesh) -> Array:
    """The vertices of all faces, one after the other, int32."""
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    if len(corners):
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
    return corners


def edges(mesh: bpy.types.Mesh) -> Array:
    """The vertices of each edge, (e, 2) int32."""
    ends = np.empty(len(mesh.edges) * 2, np.int32)
    mesh.attributes[".edge_verts"].data.foreach_get("value", ends)
    return ends.reshape(-1, 2)


def world_triangles(ob: bpy.types.Object) -> Array:
    """Triangles whose normals point outwards in world space: a mirroring matrix turns them round."""
    return triangles_at(ob, np.array(ob.matrix_world, dtype=np.float64))


def triangles_at(ob: bpy.types.Object, matrix: Array) -> Array:
    """Return the triangles of an object at another place. matrix: `in_metres`."""
    t = triangles(ob.data)
    mirrored = np.linalg.det(matrix[:3, :3]) < 0
    return np.ascontiguousarray(t[:, ::-1]) if mirrored else t


def weights(ob: bpy.types.Object, name: str, purpose: str = "pin group") -> Array:
    """Return the weights 0..1 of a vertex group, or of a float point attribute of that name, (n,), of an evaluated mesh
    object.

    purpose: use of the group, named in the error.
    Raises: SceneError if there is neither.
    """
    mesh = ob.data
    values = np.zeros(len(mesh.vertices), dtype=np.float32)
    group = ob.vertex_groups.get(name)
    if group is not None:
        work = bmesh.new()
        try:
            work.from_mesh(mesh)
            layer = work.verts.layers.deform.active
            if layer is not None:
                values[:] = [vertex[layer].get(group.index, 0.0) for vertex in work.verts]
        finally:
            work.free()
        return values
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type != "FLOAT":
        there = ", ".join(g.name for g in ob.vertex_groups) or "none"
        raise SceneError(
            f"{ob.name_full}: the {purpose} '{name}' is missing; the vertex groups are: {there}. "
            "Choose one of them, or clear the field."
        )
    attribute.data.foreach_get("value", values)
    return values


def vertex_uv(ob: bpy.types.Object, name: str) -> Array:
    """Return one UV for each vertex, (n, 2): that of its first corner.

    Only their direction is used (u is the warp). At a seam the triangles of the other side see a UV of this side and get a
    wrong warp; split edges at the garment's seams if that matters.
    Raises: SceneError if the mesh has no UV map of that name.
    """
    mesh = ob.data
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.domain != "CORNER" or attribute.data_type != "FLOAT2":
        there = ", ".join(layer.name for layer in mesh.uv_layers) or "none"
        raise SceneError(
            f"{ob.name_full}: the UV map '{name}' is missing; the UV maps are: {there}. "
            "Choose one of them in the Body panel, or clear the field for a warp along world X."
        )
    corner_uv = np.empty((len(mesh.loops), 2), dtype=np.float32)
    corner_vertex = np.empty(len(mesh.loops), dtype=np.int32)
    attribute.data.foreach_get("vector", corner_uv.ravel())
    mesh.attributes[".corner_vert"].data.foreach_get("value", corner_vertex)
    uv = np.zeros((len(mesh.vertices), 2), dtype=np.float64)
    vertex, first = np.unique(corner_vertex, return_index=True)
    uv[vertex] = corner_uv[first]
    return uv


def digest(values: Array | None) -> str | None:
    """Return a hash of an array; None for none."""
    if values is None:
        return None
    return hashlib.sha1(np.ascontiguousarray(values).tobytes(), usedforsecurity=False).hexdigest()
