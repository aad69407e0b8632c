"""Visible meshes that tetrahedra carry and that touch others: their points are rows of the solver's arrays."""

from __future__ import annotations

import numpy as np

from .model import BodyPart, Embedded


def embed_surfaces(parts: list[BodyPart], start: int) -> Embedded:
    """Append rows for embedded contact meshes, from `start` on, in `parts` and in the returned arrays."""
    rows, corners, weights = [np.zeros(0, np.int64)], [np.zeros((0, 4), np.int32)], [np.zeros((0, 4))]
    for part in parts:
        surface = part.embedded
        if surface is not None and surface.triangles is not None:
            part.surface_rows = range(start, start + len(surface.weights))
            part.surface_triangles = surface.triangles + start
            part.points = np.setdiff1d(part.surface_rows, part.surface_triangles)
            rows.append(np.array(part.surface_rows))
            corners.append(surface.corners + part.start)
            weights.append(surface.weights)
            start = part.surface_rows.stop
    return Embedded(np.concatenate(rows), np.concatenate(corners).astype(np.int32), np.concatenate(weights))
