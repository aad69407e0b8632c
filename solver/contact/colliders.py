"""From the colliders of a scene to its contact system."""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..scene import Collider, Motion, Plane
from .collider_contact import ColliderContact, ColliderShape, PlaneShape


def make_contact(model: Model) -> ColliderContact | None:
    """The contact system of a model; None for a scene without colliders."""
    colliders = model.scene.colliders
    if not colliders:
        return None
    in_elements = np.zeros(model.n_vertices, bool)
    in_elements[model.surface.ravel()] = True
    used = np.zeros(model.n_vertices, bool)
    used[model.edges.ravel()] = True
    loose = ~used
    shapes, start = [], 0
    for c in colliders:
        if isinstance(c, Collider):
            shapes.append(ColliderShape(c.name, c.triangles, c.friction, c.thickness, start))
            start += len(Motion(c.vertices, c.name).at(0.0, 1.0))
    planes = [
        PlaneShape(c.name, c.point - model.origin, c.normal, c.friction, c.thickness)
        for c in colliders
        if isinstance(c, Plane)
    ]
    return ColliderContact(
        np.dtype(model.settings.dtype),
        model.vertex_distance,
        model.vertex_friction,
        in_elements | loose,
        model.surface,
        shapes,
        planes,
    )
