"""Rope: segments, and the joints between those of a strand."""

from __future__ import annotations

import numpy as np

from ...scene import Rope
from ...topology.strands import check_edges, find_strands, frames_along, joints_of
from . import deformable
from .deformable import Elements
from .kind import Array, Contribution, rest_lengths
from .parted import PartedRope

#: Kind of element -> power of the radius in its fraction: cross section and second moment of area.
POWERS = {"segment": 2, "joint": 4}


class RopeKind(deformable.DeformableKind[Rope]):
    """Lines with a thickness."""

    label = "rope"
    is_sheet = True
    is_line = True

    def contribution(self, body: Rope, first_vertex: int, origin: Array) -> Contribution:
        edges = body.whole_edges
        check_edges(body.name, body.rest, edges)
        parted = None if body.tearing is None else PartedRope(body)
        mass, own_area = self.masses(body)
        every = np.arange(len(body.edges))
        area = np.pi * body.radius[body.edges].mean(1) ** 2
        elements = {"segment": Elements(edges, fraction=area, region_element=every), "joint": _joints(body)}
        groups = deformable.element_groups(body, self.label, edges, elements, first_vertex)
        loose, warnings = deformable.loose_vertices(body, body.edges, len(mass))
        between, from_colliders = self.kept(body, np.zeros(0))
        return Contribution(
            mass=mass,
            velocities=deformable.start_velocities(body),
            edges=body.edges,
            surface=body.edges[:, [0, 1, 1]],
            blown=np.zeros((0, 3), np.int32),
            blown_lines=body.edges,
            line_diameters=self.line_diameters(body),
            friction=self.friction(body),
            kept_between_bodies=between,
            kept_from_colliders=from_colliders,
            groups=groups if parted is None else [parted.apart(group) for group in groups],
            points=loose,
            warnings=warnings,
            own_area=own_area,
            tearing=None if parted is None else parted.points(),
        )

    def masses(self, body: Rope) -> tuple[Array, Array]:
        volume = np.pi * body.radius[body.edges].mean(1) ** 2 * rest_lengths(body.rest, body.edges)
        masses, volumes = deformable.element_masses(body, volume, body.edges)
        mass, area = (deformable.lumped_mass(each, body.edges, len(body.vertices)) for each in (masses, volumes))
        return deformable.with_loose_vertices(mass, body.edges), deformable.with_loose_vertices(area, body.edges)

    def growth(self, before: Rope, now: Rope, noun: str, corners: Array) -> Array | float:
        if now.radius is before.radius or noun not in POWERS:
            return 1.0
        return (now.radius[corners].mean(1) / before.radius[corners].mean(1)) ** POWERS[noun]

    def line_diameters(self, body: Rope) -> Array:
        return 2 * body.radius[body.edges].mean(1)

    def kept(self, body: Rope, lengths: Array) -> tuple[float, Array]:
        gap = body.thickness or 0.0
        between = gap if body.self_thickness is None else body.self_thickness
        return 2 * float(np.mean(body.radius)) + between, body.radius + gap

    def kept_at(self, body: Rope, kept: float) -> Array:
        return kept + 2 * (body.radius - body.radius.mean())


def _joints(body: Rope) -> Elements:
    """The joints of all strands, with their second moment of area.

    Each bends for half of its two segments. A segment whose ends are pinned does not bend: a clamp is at its end, not in its
    middle.
    """
    pinned = np.zeros(len(body.vertices), bool)
    if body.pins is not None:
        held = body.pins.indices[body.pins.weight >= 1.0]
        pinned[held if body.tearing is None else body.tearing.weld(len(pinned))[held]] = True
    corners, axes = [np.zeros((0, 3), np.int64)], [np.zeros((0, 2, 3))]
    for strand in find_strands(body.whole_edges, len(body.vertices)):
        joints, across = joints_of(strand), frames_along(body.rest, strand, body.roll)
        first = np.r_[0 : len(strand) - 2, len(strand) - 2][: len(joints)]
        keeps = np.full((len(joints), 3), 0.0 if body.is_straight else 1.0)
        corners.append(joints)
        axes.append(np.stack([across[first], keeps], axis=1))
    joints = np.concatenate(corners)
    lengths = np.stack([rest_lengths(body.rest, joints[:, [a, a + 1]]) for a in range(2)], 1)
    bends = ~(pinned[joints[:, :2]] & pinned[joints[:, 1:]])
    free = np.where(bends.any(1), (lengths * bends).sum(1), lengths.sum(1))
    moment = 0.25 * np.pi * body.radius[joints].mean(1) ** 4
    return Elements(
        joints.astype(np.int32),
        np.concatenate(axes),
        moment * lengths.sum(1) / free,
        region_element=_edge_of(body.whole_edges, joints),
    )


def _edge_of(edges: Array, joints: Array) -> Array:
    """Return the number of the first edge of each joint, (k,)."""
    keys = np.sort(edges, axis=1).astype(np.int64) @ [1 << 32, 1]
    order = np.argsort(keys)
    return order[np.searchsorted(keys[order], np.sort(joints[:, :2], axis=1).astype(np.int64) @ [1 << 32, 1])]


KIND = RopeKind()
