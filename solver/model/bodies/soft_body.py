"""Soft body: tetrahedra, their edges, their skin, and a visible mesh that they carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...scene import SoftBody
from ...topology.edges import unique_edges
from ...topology.embedding import embed
from ...topology.faces import boundary_faces
from ...topology.surface_checks import check_tetrahedra, tetrahedron_volumes
from . import deformable
from .deformable import Elements
from .kind import Array, Contribution, EmbeddedSurface, rest_lengths


class SoftBodyKind(deformable.DeformableKind[SoftBody]):
    """A solid."""

    label = "soft body"

    def contribution(self, body: SoftBody, first_vertex: int, origin: Array) -> Contribution:
        rest, tetrahedra = body.rest, body.tetrahedra
        check_tetrahedra(body.name, rest, tetrahedra)
        filled = np.ones(len(tetrahedra)) if body.volume_fraction is None else body.volume_fraction
        edges, volumes = unique_edges(tetrahedra), tetrahedron_volumes(rest, tetrahedra)
        solid = Elements(tetrahedra, fraction=filled, region_element=np.arange(len(tetrahedra)))
        elements = {"tetrahedron": solid, "edge": Elements(edges)}
        groups = deformable.element_groups(body, self.label, tetrahedra, elements, first_vertex)
        mass, own_volume = _masses(body, volumes * filled)
        loose, warnings = deformable.loose_vertices(body, tetrahedra, len(mass))
        thickness, distance = self.kept(body, rest_lengths(rest, edges))
        return Contribution(
            mass=mass,
            velocities=deformable.start_velocities(body),
            edges=edges,
            surface=boundary_faces(tetrahedra)[0],
            friction=self.friction(body),
            kept_between_bodies=thickness,
            kept_from_colliders=distance,
            groups=groups,
            points=loose,
            tetrahedra=tetrahedra,
            volume=volumes.sum(),
            embedded=_embedded(body),
            warnings=warnings,
            own_area=own_volume,
        )

    def masses(self, body: SoftBody) -> tuple[Array, Array]:
        filled = 1.0 if body.volume_fraction is None else body.volume_fraction
        return _masses(body, tetrahedron_volumes(body.rest, body.tetrahedra) * filled)

    def moved(self, body: SoftBody, positions: Array, surface: Array) -> SoftBody:
        there = super().moved(body, positions, surface)
        return there if body.surface is None else replace(there, surface=surface)


def _masses(body: SoftBody, volumes: Array) -> tuple[Array, Array]:
    """See `BodyKind.masses`. volumes: of its tetrahedra [m^3], (t,)."""
    both = deformable.element_masses(body, volumes, body.tetrahedra)
    mass, own_volume = (deformable.lumped_mass(each, body.tetrahedra, len(body.rest)) for each in both)
    return (
        deformable.with_loose_vertices(mass, body.tetrahedra),
        deformable.with_loose_vertices(own_volume, body.tetrahedra),
    )


def _embedded(body: SoftBody) -> EmbeddedSurface | None:
    if body.surface is None:
        return None
    owner, weights = embed(body.surface, body.vertices, body.tetrahedra)
    return EmbeddedSurface(
        body.tetrahedra[owner], weights, body.surface_triangles if body.contact_surface == "mesh" else None
    )


KIND = SoftBodyKind()
