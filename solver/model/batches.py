"""Element groups -> batches: elements of one energy, sorted by colour and gathered into packs of 16."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType

import numpy as np

from ..device.cpu import LANES
from ..scene import catalog
from ..topology.clusters import bisect, cluster_elements
from ..topology.colouring import colour_elements
from .element_group import ElementGroup, energy_module
from .model import PADDING, ElementBatch, Model

Array = np.ndarray

#: Below this h^2 k / m (a bound, some five times too high) sweeping every second iteration changes nothing: a clamped strip
#: hung 0.02 mm lower at 6.5, and 0.1 mm of 115 at 33.
SOFT = 10.0


def make_batches(
    groups: list[ElementGroup], h: float, dtype: np.dtype, w: Array, clustered: bool = True, weld: Array | None = None
) -> list[ElementBatch]:
    """Return one batch an energy, over all bodies, in the order of a sweep.

    h: substep [s]. w: h^2 / mass of each vertex [s^2/kg], (n_vertices,). clustered: else every pack is a cluster of its own,
    with as few colours as a GPU needs, which sweeps a whole colour at once. weld: row of each copy's vertex, (n_vertices,),
    where elements of a colour share none; None where there are no copies.
    """
    names = sorted({group.energy for group in groups}, key=catalog.sweep_order)
    return [make_batch([group for group in groups if group.energy == name], h, dtype, w, clustered, weld) for name in names]


def make_batch(
    groups: list[ElementGroup], h: float, dtype: np.dtype, w: Array, clustered: bool = True, weld: Array | None = None
) -> ElementBatch:
    """The batch of groups of one energy; each group is one of its materials. h, w, clustered, weld: of `make_batches`."""
    name, n_vertices = groups[0].energy, len(w)
    energy = energy_module(name)
    elements = _rows(groups, n_vertices)
    material = np.repeat(np.arange(len(groups)), [len(g.elements) for g in groups])
    rests = _rests(energy, groups)
    centres = np.concatenate([_centres(group) for group in groups])
    moving = elements[:, :1] if catalog.energies()[name].element == "tether" else elements  # its other end is pinned
    if weld is not None:
        moving = np.append(weld, np.arange(n_vertices, n_vertices + len(PADDING)))[moving]
    packs = _no_packs if not len(elements) else _packs if clustered else _single_packs
    order, clusters, colours, pack_material = packs(name, moving, centres, material, n_vertices)
    return ElementBatch(
        energy=energy,
        colours=colours,
        clusters=clusters,
        element=order,
        index=_packed_index(elements, order, n_vertices),
        rest=_packed_rest(energy, groups, rests, order, dtype),
        constants=constants_of(energy, groups, h, dtype),
        material=pack_material.astype(np.int32),
        period=_period(energy, groups, rests, w),
        damping=_damping(groups, h, dtype),
        groups=groups,
    )


def renewed_batch(batch: ElementBatch, groups: list[ElementGroup], h: float, dtype: np.dtype, w: Array) -> ElementBatch:
    """Return the batch of the same elements with other values or fractions, in the same order. h, w: of `make_batches`."""
    rests = _rests(batch.energy, groups)
    return replace(
        batch,
        rest=_packed_rest(batch.energy, groups, rests, batch.element, dtype),
        constants=constants_of(batch.energy, groups, h, dtype),
        damping=_damping(groups, h, dtype),
        period=_period(batch.energy, groups, rests, w),
        groups=groups,
    )


def _rows(groups: list[ElementGroup], n_vertices: int) -> Array:
    """The corners of all elements in the solver's arrays, (k, corners), the first row of the padding for a missing one."""
    return np.concatenate([np.where(g.elements < 0, n_vertices, g.elements + g.first_vertex) for g in groups])


def _packed_index(elements: Array, order: Array, n_vertices: int) -> Array:
    """`ElementBatch.index`. elements: `_rows`. order: the element of each lane, -1 for filling, (packs * 16,)."""
    padding = np.arange(elements.shape[1]) % len(PADDING) + n_vertices
    return _lanes_innermost(np.where((order >= 0)[:, None], elements[order], padding), np.dtype(np.int32))


def _rests(energy: ModuleType, groups: list[ElementGroup]) -> list[Array]:
    return [group.rest(energy) for group in groups]


def _packed_rest(energy: ModuleType, groups: list[ElementGroup], rests: list[Array], order: Array, dtype: np.dtype) -> Array:
    """`ElementBatch.rest`. rests: of each group. order: the element of each lane, -1 for filling, (packs * 16,)."""
    corners = groups[0].elements.shape[1]
    flat_axes = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    # Elements that are not at rest on the padding have no stiffness there.
    share = np.ones(1) if catalog.element_kinds()[energy.ELEMENT].rests_on_padding else np.zeros(1)
    filling = energy.rest(PADDING, np.arange(corners)[None] % len(PADDING), groups[0].values, flat_axes, share)[0]
    return _lanes_innermost(np.where((order >= 0)[:, None], np.concatenate(rests)[order], filling), dtype)


def _damping(groups: list[ElementGroup], h: float, dtype: np.dtype) -> Array:
    return np.array([group.values.get("damping", 0.0) / h for group in groups], dtype)


def _centres(group: ElementGroup) -> Array:
    """The mean of each element's corners [m], (k, 3); a corner that is missing counts as the first."""
    e = group.elements
    return group.rest_positions[np.where(e < 0, e[:, :1], e)].mean(1)


def constants_of(energy: ModuleType, groups: Sequence[ElementGroup], h: float, dtype: np.dtype) -> Array:
    """A row of each material; rows of tables of different sizes end in zeros. h: substep [s]."""
    rows = [energy.constants(group.values, h) for group in groups]
    table = np.zeros((len(rows), max(len(row) for row in rows)), dtype)
    for numbers, row in zip(table, rows, strict=True):
        numbers[: len(row)] = row
    return table


def at_substeps(model: Model, substeps: int) -> Model:
    """Return the same model for another number of substeps a frame; its elements keep their order."""
    settings = replace(model.settings, substeps=substeps)
    h, dtype = 1.0 / (settings.fps * substeps), np.dtype(settings.dtype)
    batches = [
        replace(
            batch,
            constants=constants_of(batch.energy, batch.groups, h, dtype),
            damping=_damping(batch.groups, h, dtype),
        )
        for batch in model.batches
    ]
    return replace(model, settings=settings, h=h, batches=batches)


def with_groups(batch: ElementBatch, groups: list[ElementGroup]) -> ElementBatch:
    """The batch with other rest shapes, of the same elements, where a group is another one than before."""
    dtype, numbers = batch.rest.dtype, batch.energy.REST
    rows = batch.rest.reshape(batch.packs, numbers, LANES).transpose(0, 2, 1).reshape(-1, numbers).astype(float)
    first = 0
    for before, group in zip(batch.groups, groups, strict=True):
        mine = np.flatnonzero((batch.element >= first) & (batch.element < first + len(group.elements)))
        if group is not before:
            rows[mine] = group.rest(batch.energy)[batch.element[mine] - first]
        first += len(group.elements)
    return replace(batch, rest=_lanes_innermost(rows, dtype), groups=groups)


def at_vertices(batch: ElementBatch, groups: list[ElementGroup], n_vertices: int) -> ElementBatch:
    """The batch with elements at other vertices: those that share none still share none."""
    batch = with_groups(batch, groups)
    return replace(batch, index=_packed_index(_rows(groups, n_vertices), batch.element, n_vertices))


def some_packs(batch: ElementBatch, packs: Array) -> ElementBatch:
    """Return the batch with some of its packs only, ascending, (k,); `element` stays that of all."""
    clusters = np.searchsorted(packs, batch.clusters)
    arrays = {"index": batch.index[packs], "rest": batch.rest[packs], "material": batch.material[packs]}
    return replace(batch, clusters=clusters, **arrays)


def _period(energy: ModuleType, groups: list[ElementGroup], rests: list[Array], w: Array) -> int:
    """2 for an energy that is soft against inertia, else 1: its sweeps converge more than twice as fast as others'."""
    if not hasattr(energy, "stiffness_ratio") or hasattr(energy, "linearise"):  # the number is of bending alone
        return 1
    numbers = [
        energy.stiffness_ratio(
            g.rest_positions, g.elements, rest, w[g.first_vertex : g.first_vertex + len(g.rest_positions)]
        )
        for g, rest in zip(groups, rests, strict=True)
    ]
    return 2 if np.median(np.concatenate(numbers)) < SOFT else 1


def _packs(name: str, elements: Array, centres: Array, material: Array, n_vertices: int) -> tuple[Array, ...]:
    """Elements in packs of 16, of one cluster, one inner colour and one material.

    Returns the element of each lane, -1 for filling, (packs * 16,); the first pack of each cluster and the end; the first
    cluster of each colour and the end; the material of each pack.
    """
    cluster, inner, colour_of = cluster_elements(name, centres, elements, n_vertices)
    # Clusters of a colour are adjacent; within one, packs of a colour and a material.
    cluster_order = np.lexsort((np.arange(len(colour_of)), colour_of))
    rank = np.empty(len(cluster_order), np.int64)
    rank[cluster_order] = np.arange(len(cluster_order))
    lanes, keys, packs = _filled(np.stack([rank[cluster], inner, material], 1), np.arange(len(elements)))
    packs_of = np.bincount(keys[:, 0], packs, len(colour_of)).astype(np.int64)
    clusters = np.concatenate([[0], np.cumsum(packs_of)])
    colours = np.concatenate([[0], np.cumsum(np.bincount(colour_of))])
    return lanes, clusters, colours, np.repeat(keys[:, 2], packs)


def _no_packs(name: str, elements: Array, centres: Array, material: Array, n_vertices: int) -> tuple[Array, ...]:
    """Return the order of no elements."""
    none = np.zeros(0, np.int64)
    return none, np.zeros(1, np.int64), np.zeros(1, np.int64), none


def _single_packs(name: str, elements: Array, centres: Array, material: Array, n_vertices: int) -> tuple[Array, ...]:
    """Return the order with each pack as a cluster: elements of a colour share no vertex, neighbours are adjacent."""
    near = bisect(centres, 4 * LANES)
    order = np.argsort(near, kind="stable")
    colour = np.empty(len(elements), np.int64)
    colour[order] = colour_elements(elements[order], n_vertices)
    lanes, keys, packs = _filled(np.stack([colour, material], 1), near)
    colours = np.concatenate([[0], np.cumsum(np.bincount(keys[:, 0], packs))]).astype(np.int64)
    return lanes, np.arange(colours[-1] + 1), colours, np.repeat(keys[:, 1], packs)


def _filled(keys: Array, near: Array) -> tuple[Array, Array, Array]:
    """Elements in packs of one row of keys, sorted by these, then by `near`: the element of each lane, -1 for filling; the
    rows of keys that occur, in order, and the packs of each."""
    order = np.lexsort((near, *keys.T[::-1]))
    sorted_keys = keys[order]
    first = np.flatnonzero(np.concatenate([[True], (sorted_keys[1:] != sorted_keys[:-1]).any(1)]))  # of each run of one row
    sizes = np.diff(np.append(first, len(order)))
    packs = -(-sizes // LANES)
    lanes = np.full(packs.sum() * LANES, -1, np.int64)
    starts = (np.cumsum(packs) - packs) * LANES
    lanes[np.repeat(starts - first, sizes) + np.arange(len(order))] = order
    return lanes, sorted_keys[first], packs


def _lanes_innermost(rows: Array, dtype: np.dtype) -> Array:
    """(packs * 16, k) -> (packs, k * 16) with the 16 values of each number side by side."""
    packs, k = len(rows) // LANES, rows.shape[1]
    return np.ascontiguousarray(rows.reshape(packs, LANES, k).transpose(0, 2, 1).reshape(packs, k * LANES), dtype)
