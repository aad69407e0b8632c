"""Intersections of bodies with themselves, each other and colliders at the current frame, with meshes as shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...solver.cache.pc2 import read_frames, read_header
from ...solver.errors import SceneError
from ...solver.report.location import Location, locations
from ...solver.topology.edges import unique_edges
from ...solver.topology.intersections import crossing_edges
from ..bake import cache_path, playback
from ..body_kinds import BODY_KINDS
from ..read import collider_inputs, evaluated_mesh, modifier, scene_input

Array = np.ndarray


@dataclass
class FrameMeshes:
    """All meshes of one frame, those of bodies first.

    bodies: their objects. names: of all. x: [m], (n, 3), world space. triangles (t, 3), edges (e, 2): of all. starts: first
    vertex of each mesh, and one past the last. owner: mesh of each vertex, (n,). hits: edges that pass through triangles,
    with a body's part in each, (k, 2).
    """

    bodies: list[Any]
    names: list[str]
    x: Array
    triangles: Array
    edges: Array
    starts: Array
    owner: Array
    hits: Array


@dataclass
class Intersections:
    """Intersections of a frame. locations: intersecting pairs of bodies with counts; faces: involved faces of each body's
    mesh, (k,). by_skin: the soft bodies that collide with the skin of their tetrahedra, which reports count and no frame
    shows.
    """

    locations: tuple[Location, ...]
    faces: dict[str, Array]
    by_skin: tuple[str, ...]

    @property
    def count(self) -> int:
        """Edges that pass through faces, all together."""
        return sum(location.count for location in self.locations)


def find(scene: bpy.types.Scene) -> Intersections:
    """Search all bodies and colliders of the scene. Call in object mode. Raises: SceneError, see `gather`."""
    w = gather(scene)
    edge, triangle = w.hits.T
    one, other = w.owner[w.edges[edge, 0]], w.owner[w.triangles[triangle, 0]]
    middles = w.x[w.triangles[triangle]].mean(1)
    faces = _faces(w.bodies, w.starts, w.triangles, w.edges[edge], triangle)
    filled = [ob for ob in w.bodies if BODY_KINDS[ob.gpbd.body_type].is_filled]
    by_skin = tuple(ob.name_full for ob in filled if ob.gpbd.contact_surface == "TETRAHEDRA")
    return Intersections(locations(one, other, middles, w.names), faces, by_skin)


def gather(scene: bpy.types.Scene) -> FrameMeshes:
    """Return the meshes as shown, and their intersections.

    Raises: SceneError if a body has no mesh at this frame whose faces are those of its own.
    """
    bodies, names, meshes = shown_meshes(scene)
    starts = np.cumsum([0, *(len(x) for x, _ in meshes)])
    x = np.concatenate([x for x, _ in meshes])
    triangles = np.concatenate([t + start for (_, t), start in zip(meshes, starts, strict=False)])
    owner = np.repeat(np.arange(len(meshes)), np.diff(starts))
    edges = unique_edges(triangles)
    hits = crossing_edges(x, edges, triangles, owner < len(bodies))
    return FrameMeshes(bodies, names, x, triangles, edges, starts, owner, hits)


def shown_meshes(scene: bpy.types.Scene) -> tuple[list[bpy.types.Object], list[str], list[tuple[Array, Array]]]:
    """The bodies, and names and meshes (positions, triangles) of them and of the colliders. Raises: SceneError."""
    depsgraph = scene_input.depsgraph_of(scene, scene_input.view_layer_of(scene))
    scale = scene.unit_settings.scale_length
    bodies = scene_input.bodies_of(scene)
    meshes = [body_mesh(ob, scene, depsgraph, scale) for ob in bodies]
    colliders = collider_inputs.read(scene, depsgraph, scale).colliders
    meshes += [(np.asarray(collider.vertices), collider.triangles) for collider in colliders]
    return bodies, [*(ob.name_full for ob in bodies), *(collider.name for collider in colliders)], meshes


def body_mesh(
    ob: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, scale: float
) -> tuple[Array, Array]:
    """Return positions [m] (n, 3), world space, and triangles of a body's own mesh, with the vertices as shown.

    Modifiers after ours may add vertices; then the cache has the positions of the mesh's. Raises: SceneError without them.
    """
    there, n = evaluated_mesh.evaluated(ob, depsgraph), len(ob.data.vertices)
    t = evaluated_mesh.triangles(ob.data)
    if len(there.data.vertices) == n:
        return evaluated_mesh.world_positions(there, scale), t
    path, mesh_cache = cache_path.of(ob), modifier.find(ob)
    frames = read_frames(path) if path is not None else np.zeros((0, 0, 3))
    if path is None or mesh_cache is None or frames.shape[1] != n:
        raise SceneError(
            f"{ob.name_full}: {len(there.data.vertices)} vertices are shown, the mesh has {n}, so its faces cannot be "
            "selected. Bake it, or switch off the modifiers that add vertices."
        )
    frame = playback.frame_shown(mesh_cache, scene, read_header(path).samples, len(frames))
    matrix = evaluated_mesh.world_matrix(there, scale)
    return frames[frame] @ matrix[:3, :3].T + matrix[:3, 3], t


def _faces(bodies: list[Any], starts: Array, triangles: Array, edges: Array, triangle: Array) -> dict[str, Array]:
    """Return the intersected faces, and those with an intersecting edge, by body.

    edges: (k, 2) vertices of intersecting edges; triangle: the intersected triangle of each, (k,).
    """
    of = np.sort(edges, axis=1) @ np.array([starts[-1], 1])
    involved = np.zeros(len(triangles), np.bool_)
    involved[triangle] = True
    for a, b in ((0, 1), (1, 2), (2, 0)):
        involved |= np.isin(np.sort(triangles[:, [a, b]], axis=1) @ np.array([starts[-1], 1]), of)
    faces, first = {}, 0
    for ob in bodies:
        mesh = ob.data
        polygon = np.empty(len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("polygon_index", polygon)
        faces[ob.name_full] = np.unique(polygon[involved[first : first + len(polygon)]])
        first += len(polygon)
    return faces


def select(ob: bpy.types.Object, faces: Array) -> None:
    """Select these faces of an object's mesh, with their edges and vertices, and nothing else. Call in object mode."""
    mesh = ob.data
    of_polygon = np.zeros(len(mesh.polygons), np.bool_)
    of_polygon[faces] = True
    sizes = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    mine = np.repeat(of_polygon, sizes)
    for key, elements in ((".corner_vert", mesh.vertices), (".corner_edge", mesh.edges)):
        number = np.empty(len(mesh.loops), np.int32)
        mesh.attributes[key].data.foreach_get("value", number)
        chosen = np.zeros(len(elements), np.bool_)
        chosen[number[mine]] = True
        elements.foreach_set("select", chosen)
    mesh.polygons.foreach_set("select", of_polygon)
    mesh.update()
