"""Plastic numbers of elements in a checkpoint, in the order of the elements: they outlive another order of packs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..device.cpu import LANES
from ..model.model import ElementBatch, Model

Array = np.ndarray


def kept(model: Model, strains: list[Array]) -> dict[str, Array]:
    """Return the strains of the elements of each plastic energy, (k, numbers), by a name in the snapshot."""
    return {_name(batch): _rows(batch, strains[k])[_places(batch)] for k, batch in _plastic(model)}


def give(snapshot: Mapping[str, Array], model: Model, strains: list[Array]) -> None:
    """Take them over where there are as many elements. Written: strains."""
    for k, batch in _plastic(model):
        of_energy, places = snapshot.get(_name(batch)), _places(batch)
        if isinstance(of_energy, np.ndarray) and of_energy.shape == (len(places), batch.energy.START_STRAINS):
            rows = _rows(batch, strains[k])
            rows[places] = of_energy
            strains[k][:] = rows.reshape(batch.packs, LANES, -1).transpose(0, 2, 1).reshape(batch.packs, -1)


def first_vertices(model: Model) -> dict[str, Array]:
    """Return the first vertex of the elements of each plastic energy, (k,), by its name in the snapshot."""
    return {
        _name(batch): batch.index.reshape(batch.packs, -1, LANES)[:, 0].ravel()[_places(batch)]
        for _, batch in _plastic(model)
    }


def _plastic(model: Model) -> list[tuple[int, ElementBatch]]:
    return [(k, batch) for k, batch in enumerate(model.batches) if hasattr(batch.energy, "flow_at_start")]


def _name(batch: ElementBatch) -> str:
    return f"plastic_{batch.energy.NAME}"


def _rows(batch: ElementBatch, strains: Array) -> Array:
    """A row for each lane, (packs * 16, numbers)."""
    numbers = batch.energy.START_STRAINS
    return strains.reshape(batch.packs, numbers, LANES).transpose(0, 2, 1).reshape(-1, numbers).copy()


def _places(batch: ElementBatch) -> Array:
    """Return the lane of each element, (k,)."""
    lanes = np.flatnonzero(batch.element >= 0)
    return lanes[np.argsort(batch.element[lanes])]
