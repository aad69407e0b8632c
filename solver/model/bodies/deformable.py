"""Common part of cloth and soft bodies in the model: masses, element groups of materials and regions, pins moved by
drape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...counted import counted
from ...errors import SceneError
from ...scene import Deformable, catalog, maps
from ...topology.edges import pair_keys, unique_edges
from ..element_finder import elements_at
from ..element_group import ElementGroup, EnergyValues
from . import painted
from .kind import Array, BodyKind, kept_distances, rest_lengths, vertices_without

D = TypeVar("D", bound=Deformable)
#: Number of corners -> noun of the elements that a body is made of.
PARTS = {2: "edge", 3: "face", 4: "tetrahedron"}


@dataclass(frozen=True)
class Elements:
    """Elements of a body for one noun of `catalog.Energy.element`.

    corners: (k, corners), -1 for a missing one. axes, fraction: of `ElementGroup`; a fraction of None is 1. region_element:
    number of the element of regions that each belongs to, (k,); None for elements between such. of_limits: elements for
    limits, None for the same.
    """

    corners: Array
    axes: Array | None = None
    fraction: Array | None = None
    region_element: Array | None = None
    of_limits: Elements | None = None


class DeformableKind(BodyKind[D]):
    """A body that its energies pull."""

    def masses(self, body: D) -> tuple[Array, Array | None]:
        """`Contribution.mass` and `own_area`. A kind that has them without the rest says so: they are painted anew."""
        brought = self.contribution(body, 0, np.zeros(3))
        return brought.mass, brought.own_area

    def growth(self, before: D, now: D, noun: str, corners: Array) -> Array | float:
        """Return the ratio of `Elements.fraction` of a body with other numbers to that before, of each element, (k,), or of
        all. noun: kind of element. corners: (k, corners)."""
        return 1.0

    def kept(self, body: D, lengths: Array) -> tuple[float, float | Array]:
        between, from_colliders = kept_distances(body.thickness, body.material.thickness, lengths)
        return between if body.self_thickness is None else body.self_thickness, from_colliders

    def friction(self, body: D) -> Array | float:
        coefficient = body.material.friction if body.friction is None else body.friction
        return (
            coefficient * maps.factors(body.maps, "friction", len(body.vertices)) if "friction" in body.maps else coefficient
        )

    def held(self, body: D, time: float, fps: float, steps: int) -> D:
        pins = body.pins
        motion = None if pins is None else pins.motion(body.name, body.vertices)
        if pins is not None and motion is not None:
            start = body.vertices[pins.indices]
            pins = replace(pins, targets=np.linspace(start, motion.at(time, fps), steps))
        return replace(body, pins=pins, velocities=None, rest_vertices=body.rest)  # type: ignore[type-var]

    def moved(self, body: D, positions: Array, surface: Array) -> D:
        pins = body.pins
        if pins is not None and len(pins.indices):
            pins = replace(pins, targets=np.asarray(pins.targets).reshape(-1, len(pins.indices), 3)[-1])
        return replace(body, vertices=positions, pins=pins)  # type: ignore[type-var]


def start_velocities(body: Deformable) -> Array:
    """[m/s], (n, 3)."""
    return np.zeros_like(body.vertices) if body.velocities is None else body.velocities


def has_energy_on(body: Deformable, noun: str) -> bool:
    """Return whether one of its materials has an energy on such elements."""
    return any(catalog.energies()[name].element == noun for material in body.materials for name in material.energies)


def element_masses(body: Deformable, size: Array, elements: Array) -> tuple[Array, Array]:
    """Return the mass of each element [kg], (k,), and of it the part of the body's own material at a density of 1 [m^2 or
    m^3], (k,).

    size: area [m^2] or volume [m^3] of each element that regions number. elements: these, (k, corners).
    """
    density, own_size = np.full(len(size), body.material.density), np.ones(len(size))
    for region in body.regions:
        density[region.elements] = region.material.density
        own_size[region.elements] = 0.0
    if "density" in body.maps:
        size = size * body.maps["density"].factors[elements].mean(1)
    return density * size, own_size * size


def lumped_mass(masses: Array, elements: Array, count: int) -> Array:
    """Return lumped masses: each element's mass in equal parts at its corners [kg], (count,). masses: [kg], (k,). elements:
    (k, corners)."""
    corners = elements.shape[1]
    share = np.repeat(masses / corners, corners)
    return np.bincount(elements.ravel(), share, count)


def region_numbers(body: Deformable, count: int) -> Array:
    """Return the region of each element that regions number, from 1 on, 0 of the body's own material, (count,)."""
    region_of = np.zeros(count, np.int32)
    for number, region in enumerate(body.regions, 1):
        region_of[region.elements] = number
    return region_of


def loose_vertices(body: Deformable, elements: Array, count: int) -> tuple[Array, list[str]]:
    """Vertices of no element, (k,), and a warning if some of them have no pin. count: of all vertices."""
    loose = vertices_without(elements, count)
    free = loose if body.pins is None else np.setdiff1d(loose, body.pins.indices[body.pins.weight > 0])
    if not len(free):
        return loose, []
    return loose, [
        f"{body.name}: {counted(len(free), 'vertex belongs', 'vertices belong')} to no {PARTS[elements.shape[1]]} (first: "
        f"vertex {free[0]}); each falls freely with the mean mass of the others. Delete or pin them if that is not meant."
    ]


def with_loose_vertices(mass: Array, elements: Array) -> Array:
    """The masses [kg], (n,), with the mean of the others at vertices of no element."""
    loose = vertices_without(elements, len(mass))
    if len(loose):
        mass = mass.copy()
        mass[loose] = np.delete(mass, loose).mean()
    return mass


def element_groups(
    body: Deformable,
    label: str,
    numbered: Array,
    elements: Mapping[str, Elements],
    first_vertex: int,
) -> list[ElementGroup]:
    """Return a group for each energy of each material.

    label: the kind of body in messages. numbered: the elements that regions number. elements: of the body, by noun.
    Raises: SceneError if an energy acts on elements that the body lacks.
    """
    region_of = region_numbers(body, len(numbered))
    groups = []
    for number, material in enumerate(body.materials):
        for name in material.energies:
            energy = catalog.energies()[name]
            noun = energy.element
            kind = catalog.element_kinds()[noun]
            if noun not in elements and not (kind.brought_by and material.kind in kind.materials):
                raise SceneError(
                    f"{body.name}: the energy '{name}' of material '{material.name}' acts on a {noun}, which a {label} "
                    f"does not have; wanted energies of {' or '.join(elements)}. Choose another material."
                )
            if kind.changes:
                groups.append(_changing_group(body, name, numbered, first_vertex, number))
                continue
            all_of = elements[noun] if noun in elements else _brought(body, name, numbered, number)
            if energy.limit is not None and all_of.of_limits is not None:
                all_of = all_of.of_limits
            fraction = np.ones(len(all_of.corners)) if all_of.fraction is None else all_of.fraction
            mine = np.flatnonzero(_region_of(noun, all_of, numbered, region_of) == number)
            if len(mine):
                along = None if all_of.axes is None else all_of.axes[mine]
                corners, whole = all_of.corners[mine], fraction[mine]
                for factors, share in painted.materials_of(energy, body.maps):
                    owner = body.name, number, factors
                    common = body.rest, corners, first_vertex, along
                    part = whole if share is None else whole * share.at(body.maps, corners)
                    more = owner, element_scale(body.shrink, corners), None if share is None else (share, whole)
                    groups.append(ElementGroup(name, values_of(body, name, owner), *common, part, *more))
    return groups


def _brought(body: Deformable, energy: str, cells: Array, number: int) -> Elements:
    """Return the elements that an energy file brings. cells: the elements that regions number. number: of the material."""
    return Elements(elements_at(energy, body.rest, cells, values_of(body, energy, (body.name, number, {}))))


def _changing_group(body: Deformable, energy: str, cells: Array, first_vertex: int, number: int) -> ElementGroup:
    """Return the group of elements that change, as they are at the start. number: of its material. Raises: SceneError if
    the material is that of a region."""
    if number:
        raise SceneError(
            f"{body.name}: the energy '{energy}' acts on elements that change, which are of no region; wanted it in the "
            "material of the body alone. Choose another material for the region."
        )
    owner: tuple[str, int, Mapping[str, float]] = body.name, number, {}
    values = values_of(body, energy, owner)
    elements = elements_at(energy, body.vertices, cells, values)
    return ElementGroup(
        energy, values, body.vertices, elements, first_vertex, None, np.ones(len(elements)), owner, cells=cells
    )


def values_of(body: Deformable, energy: str, owner: tuple[str, int, Mapping[str, float]]) -> EnergyValues:
    """The parameters of an element group. owner: of `ElementGroup`."""
    _, number, factors = owner
    material, known = body.materials[number], catalog.energies()[energy]
    values = material.energies[energy]
    values = painted.scaled(known, values, factors) if factors else values
    return {**values, "table": material.table} if known.has_table else values


def element_scale(shrink: Array | None, elements: Array) -> Array | None:
    """Return the rest size of elements over that of the mesh, (k,): the mean of their corners'; None without shrink.

    shrink: of each vertex, (n,). elements: (k, corners), -1 for a missing corner.
    """
    if shrink is None:
        return None
    there = elements >= 0
    return 1.0 - np.where(there, shrink[elements], 0.0).sum(1) / there.sum(1)


def shrunk_lengths(rest: Array, shrink: Array | None, edges: Array) -> Array:
    """Unstretched lengths of edges [m], (e,). shrink: of each vertex, (n,), or None."""
    lengths, scale = rest_lengths(rest, edges), element_scale(shrink, edges)
    return lengths if scale is None else lengths * scale


def _region_of(noun: str, elements: Elements, numbered: Array, region_of: Array) -> Array:
    """Return the region of each element: its own; of an edge, the highest of the triangles or tetrahedra that it
    belongs to."""
    if elements.region_element is not None:
        return region_of[elements.region_element]
    regions = np.zeros(len(elements.corners), np.int32)
    if noun == "tether":  # it spans the sheet
        return regions
    keys = pair_keys(elements.corners[:, 0], elements.corners[:, 1])
    for number in range(1, int(region_of.max(initial=0)) + 1):
        edges = unique_edges(numbered[region_of == number])
        regions[np.isin(keys, pair_keys(edges[:, 0], edges[:, 1]))] = number
    return regions
