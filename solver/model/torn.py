"""A torn model: vertices that are copies of one point are one vertex until the faces at them part.

The model as built has each element of a cloth that may tear at copies of its own. Copies joined by an edge that is whole are
one vertex, the first of them: elements, surfaces and masses are put together there, and the others are left without any.
Positions of these are where that vertex is. So a cloth has as many vertices torn as whole.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..energies import isometric_bending
from .batches import at_vertices
from .element_group import ElementGroup
from .model import BodyPart, ElementBatch, Model

Array = np.ndarray

#: Mass of a row that no element has [kg]: of no weight, and no division by zero.
NOTHING = 1e-30
#: Corners of a joint of a rope.
JOINT = 3
#: [1] Of the way to the middle of its faces that a vertex of a tear moves away from it, once; else contact would have two
#: surfaces at one place. It is less than a fiftieth of an edge, and gives in to the tension.
LIP = 0.01


def first_edges(model: Model) -> dict[int, int]:
    """First row of a body -> number of its first edge that may tear."""
    assert model.tearing is not None
    bodies = np.arange(len(model.parts))
    return {part.start: int(np.searchsorted(model.tearing.body, k)) for k, part in zip(bodies, model.parts, strict=True)}


def whole(built: Model) -> Model:
    """The model where nothing is broken. built: of `build`."""
    nothing = np.zeros(0 if built.tearing is None else len(built.tearing), bool)
    return torn(built, nothing, bound_copies(built, built.weld))


def torn(built: Model, broken: Array, bound: Array) -> Model:
    """The model where these edges are broken, (e,) bool. built: with elements at copies; it may have other numbers than as
    it was built, but was never torn. bound: copies that pins keep together, (n,) bool, see `bound_copies`."""
    if built.tearing is None:
        return built
    together = np.flatnonzero(bound)
    weld = built.tearing.weld(broken, np.stack([built.weld[together], together], 1))
    follows = weld != np.arange(len(weld))
    first = first_edges(built)
    return replace(
        built,
        weld=weld,
        parts=[_part(part, weld) for part in built.parts],
        mass=np.where(follows, NOTHING, np.bincount(weld, built.mass, len(weld))),
        fixed=follows | (np.bincount(weld, built.fixed, len(weld)) > 0),
        batches=[_batch(batch, weld, broken, first) for batch in built.batches],
        rigid_ties=replace(built.rigid_ties, corners=weld[built.rigid_ties.corners].astype(np.int32)),
        edges=weld[built.edges].astype(built.edges.dtype),
        surface=weld[built.surface].astype(built.surface.dtype),
        blown=weld[built.blown].astype(built.blown.dtype),
        blown_lines=weld[built.blown_lines].astype(built.blown_lines.dtype),
    )


def bound_copies(built: Model, weld: Array) -> Array:
    """Return the copies of points that a pin holds while they are one vertex, (n,) bool: a tear does not part these, since
    both of its sides would stay at one place. built: of `torn`. weld: of the model before."""
    if built.tearing is None:
        return np.zeros(0, bool)
    first, n = built.weld, built.n_vertices
    is_held = np.bincount(first, built.fixed, n) > 0
    is_one = np.bincount(first, weld != weld[first], n) == 0
    return is_held[first] & is_one[first]


def _part(part: BodyPart, weld: Array) -> BodyPart:
    return replace(part, pinned=weld[part.pinned], attached=weld[part.attached])


def _batch(batch: ElementBatch, weld: Array, broken: Array, first: dict[int, int]) -> ElementBatch:
    return at_vertices(batch, [_group(group, weld, broken, first) for group in batch.groups], len(weld))


def _group(group: ElementGroup, weld: Array, broken: Array, first: dict[int, int]) -> ElementGroup:
    rows = group.elements + group.first_vertex
    elements = np.where(group.elements < 0, -1, weld[rows] - group.first_vertex).astype(group.elements.dtype)
    if group.across is None:
        return replace(group, elements=elements)
    fraction = group.fraction
    if group.elements.shape[1] == 4 and group.across.shape[1] == 4:  # faces are whole
        return replace(group, elements=elements)
    gone = group.across >= 0
    gone[gone] = broken[group.across[gone] + first[group.first_vertex]]
    if group.energy == isometric_bending.NAME or elements.shape[1] == JOINT:
        fraction = np.where(gone[:, 0], 0.0, fraction)
    else:
        elements[:, 3:][gone] = -1
    return replace(group, elements=elements, fraction=fraction)


def lips(model: Model, x: Array, rows: Array) -> Array:
    """Return motions of vertices of tears, (k,), away from these, (k, 3) [m]. x: (n, 3) [m]."""
    triangles = model.surface[np.isin(model.surface, rows).any(1)]
    centre, n = x[triangles].mean(1), model.n_vertices
    count = np.bincount(triangles.ravel(), minlength=n)[rows]
    middle = np.stack([np.bincount(triangles.ravel(), np.repeat(centre[:, k], 3), n)[rows] for k in range(3)], 1)
    return LIP * (middle / np.maximum(count, 1)[:, None] - x[rows])


def at_tears(model: Model) -> Array:
    """Vertices that were one with others before anything was torn, ascending, (k,)."""
    if model.tearing is None:
        return np.zeros(0, np.int64)
    first = model.tearing.weld(np.zeros(len(model.tearing), bool))
    rows = np.flatnonzero(model.weld == np.arange(len(model.weld)))
    several = np.bincount(first[rows], minlength=len(first)) > 1
    return rows[several[first[rows]]]
