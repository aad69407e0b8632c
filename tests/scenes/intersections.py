"""Counts of edges that pass through triangles, by `ipctk`, which shares no code with the solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import solver
from solver.topology.faces import boundary_faces

Array = np.ndarray


class Intersections:
    """Counts the edge-triangle intersections among surfaces, including self-intersections.

    triangles: one array (t, 3) for each surface. movable: whether it counts against itself and other fixed ones.
    """

    def __init__(self, triangles: Sequence[Array], sizes: Sequence[int], movable: Sequence[bool]) -> None:
        import ipctk

        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.faces = np.concatenate([t + s for t, s in zip(triangles, starts, strict=False)]).astype(np.int32)
        self.edges = ipctk.edges(self.faces)
        self.movable = np.repeat(np.array(movable, bool), sizes)
        self.ipctk = ipctk

    def count(self, poses: Sequence[Array]) -> int:
        """poses: vertices of each surface [m], (n, 3)."""
        return len(self.pairs(poses))

    def pairs(self, poses: Sequence[Array]) -> list[tuple[int, int]]:
        """Numbers of the edge and of the face of each. poses: as for `count`."""
        x = np.ascontiguousarray(np.concatenate(poses), dtype=np.float64)
        broad = self.ipctk.HashGrid()
        broad.build(x, self.edges, self.faces, 1e-9)
        edge_triangle_pairs = []
        for pair in broad.detect_edge_face_candidates():
            e, f = self.edges[pair.edge_id], self.faces[pair.face_id]
            if (
                not set(e.tolist()) & set(f.tolist())
                and self.movable[[*e, *f]].any()
                and self.ipctk.is_edge_intersecting_triangle(x[e[0]], x[e[1]], x[f[0]], x[f[1]], x[f[2]])
            ):
                edge_triangle_pairs.append((pair.edge_id, pair.face_id))
        return edge_triangle_pairs


def skins(scene: Any) -> tuple[list, list, list]:
    """Triangles, vertex counts and whether they move, of all bodies and then all collider meshes."""
    triangles, sizes, moves = [], [], []
    for body in scene.bodies:
        surface = body.surface_triangles if is_mesh(body) else getattr(body, "triangles", None)
        triangles.append(boundary_faces(body.tetrahedra)[0] if surface is None else surface)
        sizes.append(len(body.surface if is_mesh(body) else body.vertices))
        moves.append(True)
    for c in scene.colliders:
        if isinstance(c, solver.Collider):
            triangles.append(c.triangles)
            sizes.append(len(solver.scene.Motion(c.vertices, c.name).at(0, 1)))
            moves.append(False)
    return triangles, sizes, moves


def is_mesh(body: Any) -> bool:
    """Return whether the body's contact surface is an embedded mesh."""
    return getattr(body, "contact_surface", "") == "mesh"
