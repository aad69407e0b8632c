"""A model with other numbers: its elements and vertices stay, data derived from numbers of the scene is made anew.

It depends on the model as built and the current scene alone, not on numbers in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..energies import attachment, shape_matching
from ..scene import Body, Deformable, Grab, Rope, Scene, Settings, catalog
from .batches import make_batches, renewed_batch
from .bodies.deformable import DeformableKind, values_of
from .build import per_vertex, undamped, whole_masses
from .element_group import ElementGroup
from .model import BodyPart, ElementBatch, Model
from .parts import attachment_groups, changed_part

Array = np.ndarray

#: A tether to a pin that holds nothing is so much longer [1].
SLACK = 1e6


def renewed(built: Model, scene: Scene, settings: Settings, grabs: Mapping[str, Grab]) -> Model:
    """scene, settings: those that the model was built from, with other numbers: of `scene/keyed.py`, and frames a second.
    grabs: body -> what grabs it."""
    h = 1.0 / (settings.fps * settings.substeps)
    pairs = zip(built.parts, scene.bodies, strict=True)
    parts = [changed_part(part, body, grabs.get(body.name)) for part, body in pairs]
    mass, fixed = _masses(built, parts), _fixed(built, parts)
    distances = [part.kind.kept(part.body, lengths) for part, lengths in zip(parts, _lengths(built), strict=True)]
    return replace(
        built,
        scene=scene,
        settings=settings,
        h=h,
        parts=parts,
        mass=mass,
        fixed=fixed,
        batches=_batches(built, parts, settings, h, mass, fixed),
        vertex_distance=per_vertex([from_colliders for _, from_colliders in distances], parts),
        vertex_friction=per_vertex([part.kind.friction(part.body) for part in parts], parts),
        body_thickness=np.array([between for between, _ in distances]),
        line_diameters=np.concatenate([part.kind.line_diameters(part.body) for part in parts]),
    )


def _masses(built: Model, parts: list[BodyPart]) -> Array:
    mass = built.mass.copy()
    for before, part in zip(built.parts, parts, strict=True):
        if isinstance(part.kind, DeformableKind) and _weighs_otherwise(before.body, part.body):
            mass[part.start : part.stop] += part.kind.masses(part.body)[0] - part.kind.masses(before.body)[0]
        elif part.own_area is not None and isinstance(part.body, Deformable) and isinstance(before.body, Deformable):
            more = part.body.material.density - before.body.material.density
            mass[part.start : part.stop] += more * part.own_area
    return mass


def _weighs_otherwise(before: Body, now: Body) -> bool:
    """Return whether another density is painted, or the radius is another."""
    if not (isinstance(before, Deformable) and isinstance(now, Deformable)):
        return False
    is_thicker = isinstance(before, Rope) and isinstance(now, Rope) and now.radius is not before.radius
    return is_thicker or now.maps.get("density") is not before.maps.get("density")


def _fixed(built: Model, parts: list[BodyPart]) -> Array:
    fixed = built.fixed.copy()
    for before in built.parts:
        fixed[before.pinned] = False
    for part in parts:
        fixed[part.pinned] = True
    return fixed


def _lengths(built: Model) -> list[Array]:
    """Rest lengths of each body's edges [m]."""
    owner = np.searchsorted([part.stop for part in built.parts], built.edges[:, 0], side="right")
    return [built.edge_lengths[owner == number] for number in range(len(built.parts))]


def _batches(
    built: Model, parts: list[BodyPart], settings: Settings, h: float, mass: Array, fixed: Array
) -> list[ElementBatch]:
    pairs = {part.body.name: (before, part) for before, part in zip(built.parts, parts, strict=True)}
    weld = None if built.tearing is None else built.weld
    dtype, w = np.dtype(settings.dtype), h * h / whole_masses(mass, weld)
    attachments = attachment_groups(parts, mass, built.x_start)
    batches = make_batches(attachments, h, dtype, w, settings.device == "cpu", weld)
    for batch in built.batches:
        if batch.energy is not attachment:
            groups = [_renewed(group, pairs, fixed, mass) for group in batch.groups]
            groups = [undamped(group) for group in groups] if settings.quasi_static else groups
            batches.append(renewed_batch(batch, groups, h, dtype, w))
    return sorted(batches, key=lambda batch: catalog.sweep_order(batch.energy.NAME))


def _renewed(group: ElementGroup, parts: Mapping[str, tuple[BodyPart, BodyPart]], fixed: Array, mass: Array) -> ElementGroup:
    """parts: name of a body -> its part before and after the change."""
    if group.owner is None:
        return group
    before, part = parts[group.owner[0]]
    body = part.body
    assert isinstance(part.kind, DeformableKind) and isinstance(body, Deformable)
    growth = part.kind.growth(before.body, body, catalog.energies()[group.energy].element, group.elements)
    fraction = group.fraction * growth
    if catalog.energies()[group.energy].element == "tether":
        fraction = np.where(fixed[group.elements[:, 1] + group.first_vertex], fraction, SLACK * fraction)
    if group.energy == shape_matching.NAME:
        fraction = mass[group.elements[:, 0] + group.first_vertex]
    if group.painted is not None:
        share, whole = group.painted
        fraction = growth * whole * share.at(body.maps, group.elements)
    return replace(group, values=values_of(body, group.energy, group.owner), fraction=fraction)
