"""Counts of edges that pass through triangles, by `ipctk`, which shares no code with the solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray


class Intersections:
    """Counts the edge-triangle intersections among surfaces, those of a surface with itself included.

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
        x = np.ascontiguousarray(np.concatenate(poses), dtype=np.float64)
        broad = self.ipctk.HashGrid()
        broad.build(x, self.edges, self.faces, 1e-9)
        count = 0
        for pair in broad.detect_edge_face_candidates():
            e, f = self.edges[pair.edge_id], self.faces[pair.face_id]
            if not set(e.tolist()) & set(f.tolist()) and self.movable[[*e, *f]].any():
                count += bool(self.ipctk.is_edge_intersecting_triangle(x[e[0]], x[e[1]], x[f[0]], x[f[1]], x[f[2]]))
        return count
