"""Wire: segments that stretch and touch, without bending."""

import numpy as np

from . import deformable
from .deformable import Elements
from .kind import Contribution, rest_lengths


class WireKind(deformable.DeformableKind):
    label = "wire"
    is_sheet = True
    is_line = True

    def contribution(self, body, first_vertex, origin):
        edges, n = body.edges, len(body.vertices)
        area = np.full(len(edges), np.pi * body.radius**2)
        elements = {"segment": Elements(edges, fraction=area, region_element=np.arange(len(edges)))}
        masses, volumes = deformable.element_masses(body, area * rest_lengths(body.rest, edges), edges)
        between, from_colliders = self.kept(body, np.zeros(0))
        return Contribution(
            mass=deformable.lumped_mass(masses, edges, n),
            own_area=deformable.lumped_mass(volumes, edges, n),
            velocities=deformable.start_velocities(body),
            edges=edges,
            surface=edges[:, [0, 1, 1]],  # a segment is a triangle whose last corners are the same
            blown=np.zeros((0, 3), np.int32),
            friction=self.friction(body),
            kept_between_bodies=between,
            kept_from_colliders=from_colliders,
            groups=deformable.element_groups(body, self.label, edges, elements, first_vertex),
        )

    def kept(self, body, lengths):
        return 2 * body.radius, body.radius


KIND = WireKind()
