"""Grains: particles, whose elements are found at each substep."""

import numpy as np

from . import deformable
from .kind import Contribution


class GrainsKind(deformable.DeformableKind):
    label = "pile of grains"

    def contribution(self, body, first_vertex, origin):
        n, none = len(body.vertices), np.zeros((0, 2), np.int32)
        distance = self.kept(body, np.zeros(0))
        return Contribution(
            mass=np.full(n, body.material.density * 4 / 3 * np.pi * body.radius**3),
            velocities=deformable.start_velocities(body),
            edges=none,
            surface=np.zeros((0, 3), np.int32),
            friction=self.friction(body),
            kept_between_bodies=distance[0],
            kept_from_colliders=distance[1],
            points=np.arange(n),
            groups=deformable.element_groups(body, self.label, none, {}, first_vertex),
        )

    def kept(self, body, lengths):
        return 2 * body.radius, body.radius


KIND = GrainsKind()
