"""Cloth: triangles, the patches, hinges and edges between them, and tethers to its pins."""

from __future__ import annotations

import numpy as np

from ...scene import Cloth
from ...topology.axes import warp_and_weft
from ...topology.edges import unique_edges
from ...topology.hinges import find_hinges
from ...topology.patches import find_patches
from ...topology.surface_checks import check_triangles
from ...topology.tethers import find_tethers
from . import deformable
from .kind import Array, Contribution, kept_distances, rest_lengths


class ClothKind(deformable.DeformableKind[Cloth]):
    """A sheet."""

    label = "cloth"
    is_sheet = True

    def contribution(self, body: Cloth, first_vertex: int, origin: Array) -> Contribution:
        rest, triangles = body.rest, body.triangles
        check_triangles(body.name, rest, triangles)
        edges = unique_edges(triangles)
        elements = {"triangle": triangles, "patch": find_patches(body.name, triangles), "edge": edges}
        fractions = {}
        if deformable.has_energy_on(body, "hinge"):
            elements["hinge"] = find_hinges(body.name, triangles)
        if deformable.has_energy_on(body, "tether"):
            pinned = np.zeros(0, int) if body.pins is None else body.pins.indices[body.pins.weight >= 1.0]
            elements["tether"], fractions["tether"] = find_tethers(body.name, rest, triangles, pinned)
        axes = warp_and_weft(body.name, rest, triangles, body.uv)
        both = {"triangle": axes, "patch": axes}
        groups = deformable.element_groups(body, self.label, triangles, elements, both, fractions, first_vertex)
        corners = rest[triangles]
        area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        mass = deformable.lumped_mass(body, area, triangles)
        mass, loose, warnings = deformable.with_loose_vertices(body.name, mass, triangles)
        thickness, distance = kept_distances(body.thickness, body.material.thickness, rest_lengths(rest, edges))
        return Contribution(
            mass=mass,
            velocities=deformable.start_velocities(body),
            edges=edges,
            surface=triangles,
            friction=deformable.friction(body),
            kept_between_bodies=thickness,
            kept_from_colliders=distance,
            groups=groups,
            points=loose,
            warnings=warnings,
        )


KIND = ClothKind()
