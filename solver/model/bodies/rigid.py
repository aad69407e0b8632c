"""Rigid body: vertices that follow its pose, which `rigid_motion.py` moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...scene import Rigid
from ...topology.mass_properties import mass_properties
from ...topology.surface_checks import check_triangles
from ..rigid_motion import RigidShape
from .kind import Array, BodyKind, Contribution, vertices_without


class RigidKind(BodyKind[Rigid]):
    """A body that keeps its shape; nothing of it stretches."""

    label = "rigid body"
    is_rigid = True
    can_rest = False

    def contribution(self, body: Rigid, first_vertex: int, origin: Array) -> Contribution:
        shape, count = _shape(body, first_vertex, origin), len(body.vertices)
        return Contribution(
            mass=np.full(count, shape.mass / count),
            velocities=shape.velocity + np.cross(shape.angular_velocity, (body.vertices - origin) - shape.centre),
            edges=np.zeros((0, 2), np.int32),
            surface=body.triangles,
            friction=self.friction(body),
            kept_between_bodies=body.thickness,
            kept_from_colliders=body.thickness,
            fixed=True,
            points=vertices_without(body.triangles, count),
            rigid=shape,
        )

    def kept(self, body: Rigid, lengths: Array) -> tuple[float, float]:
        return body.thickness, body.thickness

    def friction(self, body: Rigid) -> float:
        return body.friction

    def held(self, body: Rigid, time: float, fps: float, steps: int) -> Rigid:
        return replace(body, velocity=np.zeros(3), angular_velocity=np.zeros(3))


def _shape(body: Rigid, first_vertex: int, origin: Array) -> RigidShape:
    """Mass, inertia and pose in the frame of the solver's arrays.

    Raises: TopologyError if its surface is open, or encloses nothing.
    """
    check_triangles(body.name, body.vertices, body.triangles)
    solid = mass_properties(body.name, body.vertices, body.triangles)
    mass = body.density * solid.volume if body.mass is None else float(body.mass)
    return RigidShape(
        start=first_vertex,
        stop=first_vertex + len(body.vertices),
        mass=mass,
        inertia=solid.inertia * mass / solid.volume,
        local=(body.vertices - solid.centre) @ solid.axes,
        centre=solid.centre - origin,
        axes=solid.axes,
        velocity=body.velocity,
        angular_velocity=body.angular_velocity,
    )


KIND = RigidKind()
