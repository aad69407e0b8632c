"""Bodies and surfaces whose vertices no force moves by themselves: what `build` makes of rigid bodies and visible meshes."""

from __future__ import annotations

import numpy as np

from ..scene import Rigid, SoftBody
from ..topology.mass_properties import mass_properties
from ..topology.surface_checks import check_triangles
from .model import BodyPart, Embedded
from .rigid_motion import RigidShape

Array = np.ndarray


def rigid_shape(body: Rigid, start: int, origin: Array) -> RigidShape:
    """Mass, inertia and pose of a rigid body. start: its first row. origin: of the solver's arrays [m], (3,).

    Raises: TopologyError if its surface is open, or encloses nothing.
    """
    check_triangles(body.name, body.vertices, body.triangles)
    solid = mass_properties(body.name, body.vertices, body.triangles)
    mass = body.density * solid.volume if body.mass is None else float(body.mass)
    return RigidShape(
        start=start,
        stop=start + len(body.vertices),
        mass=mass,
        inertia=solid.inertia * mass / solid.volume,
        local=(body.vertices - solid.centre) @ solid.axes,
        centre=solid.centre - origin,
        axes=solid.axes,
        velocity=body.velocity,
        angular_velocity=body.angular_velocity,
    )


def rigid_velocities(shape: RigidShape, x: Array) -> Array:
    """Velocities of the vertices at the start [m/s], (k, 3). x: their positions [m], (k, 3)."""
    return shape.velocity + np.cross(shape.angular_velocity, x - shape.centre)


def embed_surfaces(parts: list[BodyPart], start: int) -> Embedded:
    """Gives visible meshes that touch others rows in the arrays, from `start` on, in `parts` and in what is returned."""
    rows, corners, weights = [np.zeros(0, np.int64)], [np.zeros((0, 4), np.int32)], [np.zeros((0, 4))]
    for part in parts:
        body = part.body
        if isinstance(body, SoftBody) and body.contact_surface == "mesh":
            assert part.surface_weights is not None and part.surface_corners is not None
            part.surface_rows = range(start, start + len(part.surface_weights))
            part.surface_triangles = body.surface_triangles + start
            rows.append(np.array(part.surface_rows))
            corners.append(part.surface_corners + part.start)
            weights.append(part.surface_weights)
            start = part.surface_rows.stop
    return Embedded(np.concatenate(rows), np.concatenate(corners).astype(np.int32), np.concatenate(weights))
