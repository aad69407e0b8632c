"""Cloth: triangles, the quadrilaterals that pairs of them make, the patches, hinges and edges between them, and tethers to
its pins."""

from __future__ import annotations

import numpy as np

from ...scene import Cloth, catalog
from ...topology.axes import warp_and_weft
from ...topology.edges import unique_edges
from ...topology.hinges import find_hinges
from ...topology.patches import find_patches
from ...topology.quadrilaterals import axes_of_pairs, cut_from, cut_one_way, find_quadrilaterals, quadrilateral_corners
from ...topology.surface_checks import check_triangles, triangle_areas
from ...topology.tethers import find_tethers
from . import deformable
from .copies import Copies
from .deformable import Elements
from .kind import Array, Contribution, rest_lengths
from .stitches import stitch_group

#: Share of the stretch and shear of a quadrilateral that its two triangles keep: alone it does not resist a motion of one
#: pair of opposite corners against the other (hourglass mode). With 0.02 a ball of 5 m/s stretches a sheet by 2.9 %, not by
#: 1.6, with 0.1 folds about a diagonal are twice as wide. Triangles lock in folds (docs/notes/contact.md).
OF_TRIANGLES = 0.05


class ClothKind(deformable.DeformableKind[Cloth]):
    """A sheet."""

    label = "cloth"
    is_sheet = True

    def contribution(self, body: Cloth, first_vertex: int, origin: Array) -> Contribution:
        rest, triangles = body.rest, body.whole_triangles
        check_triangles(body.name, rest, triangles)
        edges = unique_edges(triangles)
        every = np.arange(len(triangles))
        pairs = quadrilaterals_of(body)
        copies = None if body.tearing is None else Copies(body, triangles, pairs)
        both_cuts = _both_cuts(triangles if copies is None else copies.triangles, pairs)
        mass, own_area = _masses(body, both_cuts, pairs)
        cut = cut_one_way(rest, triangles, pairs)
        axes = warp_and_weft(body.name, rest, cut, body.uv)
        elements = {
            "triangle": _faces(body, cut, pairs),
            "patch": Elements(find_patches(body.name, cut), axes, region_element=every),
            "edge": Elements(edges),
        }
        if deformable.has_energy_on(body, "hinge"):
            elements["hinge"] = Elements(find_hinges(body.name, cut))
        if deformable.has_energy_on(body, "tether"):
            pinned = np.zeros(0, int) if body.pins is None else body.pins.indices[body.pins.weight >= 1.0]
            tethers, lengths = find_tethers(body.name, rest, triangles, pinned)
            elements["tether"] = Elements(tethers, fraction=lengths)
        groups = deformable.element_groups(body, self.label, triangles, elements, first_vertex)
        groups += stitch_group(body, first_vertex)
        loose, warnings = deformable.loose_vertices(body, body.triangles, len(mass))
        warnings += _without_uv(body)
        thickness, distance = self.kept(body, rest_lengths(rest, edges))
        return Contribution(
            mass=mass,
            velocities=deformable.start_velocities(body),
            edges=edges if copies is None else copies.at_edges(edges),
            surface=triangles if copies is None else copies.triangles,
            blown=both_cuts,
            friction=self.friction(body),
            kept_between_bodies=thickness,
            kept_from_colliders=distance,
            groups=groups if copies is None else [copies.apart(group) for group in groups],
            points=loose,
            warnings=warnings,
            own_area=own_area,
            tearing=None if copies is None else copies.edges(),
        )

    def masses(self, body: Cloth) -> tuple[Array, Array]:
        pairs, triangles = quadrilaterals_of(body), body.whole_triangles
        if body.tearing is not None:
            triangles = Copies(body, triangles, pairs).triangles
        return _masses(body, _both_cuts(triangles, pairs), pairs)


def _without_uv(body: Cloth) -> list[str]:
    """Return the warning for yarns along default axes, without a UV map."""
    fabrics = [m.name for m in body.materials if any(catalog.energies()[name].has_table for name in m.energies)]
    if not fabrics or body.uv is not None:
        return []
    return [
        f"{body.name}: no UV map says how the yarns of '{fabrics[0]}' run; the warp is taken along world X, projected "
        "on each face. Unwrap the mesh, and choose its Fabric UV Map in the Body panel."
    ]


def quadrilaterals_of(body: Cloth) -> Array:
    """The two triangles of each quadrilateral of a sheet, (q, 2)."""
    return find_quadrilaterals(body.rest, body.whole_triangles, deformable.region_numbers(body, len(body.triangles)))


def _both_cuts(triangles: Array, pairs: Array) -> Array:
    """Return every triangle twice, those of quadrilaterals once with each diagonal, (2 t, 3).

    Mass and wind spread over these do not depend on the choice of diagonals. Triangles of a pair are at their numbers, and
    again t further on. pairs: (q, 2).
    """
    cuts, corners = np.concatenate([triangles, triangles]), quadrilateral_corners(triangles, pairs)
    cuts[len(triangles) + pairs[:, 0]], cuts[len(triangles) + pairs[:, 1]] = corners[:, [0, 1, 2]], corners[:, [2, 3, 0]]
    return cuts


def _masses(body: Cloth, both_cuts: Array, pairs: Array) -> tuple[Array, Array]:
    """See `BodyKind.masses`. both_cuts: `_both_cuts`. pairs: (q, 2)."""
    masses, areas = deformable.element_masses(body, triangle_areas(body.rest, body.triangles), body.triangles)
    mass, own_area = (_lumped_mass(body.rest, both_cuts, pairs, each) for each in (masses, areas))
    return deformable.with_loose_vertices(mass, body.triangles), deformable.with_loose_vertices(own_area, body.triangles)


def _lumped_mass(rest: Array, both_cuts: Array, pairs: Array, masses: Array) -> Array:
    """The mass of each vertex [kg], (n,), the mean of both cuts. pairs: (q, 2). masses: of the triangles [kg], (t,)."""
    mass = np.zeros(len(rest))
    for cuts in np.split(both_cuts, 2):
        share, area = masses.copy(), triangle_areas(rest, cuts)
        share[pairs] = masses[pairs].sum(1, keepdims=True) * area[pairs] / area[pairs].sum(1, keepdims=True)
        mass += deformable.lumped_mass(0.5 * share, cuts, len(rest))
    return mass


def _faces(body: Cloth, triangles: Array, pairs: Array) -> Elements:
    """Return all triangles, then the quadrilaterals of pairs of them, with the share of stiffness of each. Limits act on the
    triangles: in a quadrilateral each could extend beyond its limit, against the other.

    Triangles at a pin form none: a pin of one vertex would pull every second one of those around it. They are cut from the
    pin on, so that a sheet pinned at two corners hangs symmetrically. pairs: (q, 2).
    """
    rest = body.rest
    if body.pins is not None:
        held = body.pins.holding if body.tearing is None else body.tearing.weld(len(rest))[body.pins.holding]
        triangles = cut_from(triangles, pairs, held)
        pairs = pairs[~np.isin(quadrilateral_corners(triangles, pairs), held).any(1)]
    axes = warp_and_weft(body.name, rest, triangles, body.uv)
    corners, alone = quadrilateral_corners(triangles, pairs), np.arange(len(triangles))
    faces = np.pad(triangles, ((0, 0), (0, 1)), constant_values=-1)
    share = np.ones(len(triangles))
    share[pairs] = OF_TRIANGLES
    return Elements(
        corners=np.concatenate([faces, corners]),
        axes=np.concatenate([axes, axes_of_pairs(rest, corners, axes, pairs)]),
        fraction=np.concatenate([share, np.full(len(pairs), 1 - OF_TRIANGLES)]),
        region_element=np.concatenate([alone, pairs[:, 0]]),
        of_limits=Elements(faces, axes, region_element=alone),
    )


KIND = ClothKind()
