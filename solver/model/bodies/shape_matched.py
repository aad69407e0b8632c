"""Shape-matched body: a spring at each vertex, and the triangles of its mesh for contact and air."""

from __future__ import annotations

import numpy as np

from ...errors import SceneError
from ...scene import ShapeMatched
from ...topology.edges import unique_edges
from ...topology.extents import has_rotation
from ...topology.surface_checks import triangle_areas
from . import deformable
from .deformable import Elements
from .kind import Array, Contribution, rest_lengths

#: Mass of a vertex of faces without area, over the mean.
LEAST = 0.01


class ShapeMatchedKind(deformable.DeformableKind[ShapeMatched]):
    """A mesh that returns to its shape."""

    label = "shape-matched body"
    can_rest = False

    def contribution(self, body: ShapeMatched, first_vertex: int, origin: Array) -> Contribution:
        edges = unique_edges(body.triangles)
        mass, own_area = self.masses(body)
        if not has_rotation(body.rest, mass):
            raise SceneError(
                f"{body.name}: its {len(mass)} vertices are on a line, which has no orientation; wanted a mesh with area. "
                "Give it faces with an area, or make it a rope."
            )
        springs = Elements(
            np.arange(len(mass), dtype=np.int32)[:, None], fraction=mass, region_element=np.zeros(len(mass), int)
        )
        groups = deformable.element_groups(body, self.label, body.triangles, {"vertex": springs}, first_vertex)
        thickness, distance = self.kept(body, rest_lengths(body.rest, edges))
        return Contribution(
            mass=mass,
            velocities=deformable.start_velocities(body),
            edges=edges,
            surface=body.triangles,
            friction=self.friction(body),
            kept_between_bodies=thickness,
            kept_from_colliders=distance,
            groups=groups,
            points=deformable.loose_vertices(body, body.triangles, len(mass))[0],
            own_area=own_area,
        )

    def masses(self, body: ShapeMatched) -> tuple[Array, Array]:
        both = deformable.element_masses(body, triangle_areas(body.rest, body.triangles), body.triangles)
        lumped = (deformable.lumped_mass(each, body.triangles, len(body.rest)) for each in both)
        mass, areas = (deformable.with_loose_vertices(each, body.triangles) for each in lumped)
        return np.maximum(mass, LEAST * mass.mean()), areas


KIND = ShapeMatchedKind()
