"""Elements that change: derived from the positions at each substep's start, such as pairs of neighbouring particles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device.cpu import LANES
from .batches import make_batch
from .element_finder import elements_at
from .element_group import ElementGroup
from .model import ElementBatch, Model
from .state import State

Array = np.ndarray


def find_elements(model: Model, state: State) -> None:
    """Find the elements of each batch that changes, from x. Written: the batches of the model, and the numbers of
    their elements in the state, which start without a force."""
    for number, batch in enumerate(model.batches):
        if batch.changes:
            now = _batch_at(model, batch, state.x[: model.n_vertices, :3].astype(float))
            numbers = state.displacements[number].shape[1]
            model.batches[number] = now
            state.displacements[number] = np.zeros((now.packs, numbers), state.x.dtype)
            state.strains_at_start[number] = np.zeros((now.packs, now.energy.START_STRAINS * LANES), state.x.dtype)


def _batch_at(model: Model, batch: ElementBatch, x: Array) -> ElementBatch:
    groups = [_of_group(group, x) for group in batch.groups]
    return make_batch(groups, model.h, np.dtype(model.settings.dtype), model.h**2 / model.mass, clustered=False)


def _of_group(group: ElementGroup, x: Array) -> ElementGroup:
    here = x[group.first_vertex : group.first_vertex + len(group.rest_positions)]
    elements = elements_at(group.energy, here, group.cells, group.values)
    return replace(group, rest_positions=here, elements=elements, fraction=np.ones(len(elements)))
