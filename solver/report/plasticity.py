"""Plastic strain of bodies: permanent deformation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device.cpu import LANES
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import numbers
from ..device.uncounted import uncounted_kernel
from ..model.model import ElementBatch, Model
from ..model.state import State
from .frame_report import Report

Array = np.ndarray

REST = START_STRAINS = GIVEN
plastic_strain = GIVEN


def is_plastic(model: Model) -> bool:
    """Return whether a material flows."""
    return any(hasattr(batch.energy, "plastic_strain") or _has_yield(batch) for batch in model.batches)


def with_plasticity(report: Report, model: Model, state: State) -> Report:
    """Return the report with its fields of plasticity."""
    fields = {"plastic_curvature": 0.0, "plastic_strain": 0.0}
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        if hasattr(batch.energy, "plastic_strain"):
            name = "plastic_curvature" if batch.energy.ELEMENT == "patch" else "plastic_strain"
            fields[name] = max(fields[name], float(_of_elements(batch, strains).max()))
    if state.rods is not None and state.rods.yields is not None:
        fields["plastic_curvature"] = max(fields["plastic_curvature"], float(state.rods.plastic_curvature.max()))
    return replace(report, **fields)  # type: ignore[arg-type]


def plastic_strains(model: Model, state: State) -> Array:
    """Return the plastic strain at each vertex, the largest of the elements that have it as a corner, (n,): of sheets and
    wires the plastic curvature [1/m], of solids accumulated [1]; 0 where nothing is plastic."""
    numbers_at, _ = plastic_numbers(model, state)
    return numbers_at.max(1)


def plastic_numbers(model: Model, state: State) -> tuple[Array, Array]:
    """Return the plastic curvature [1/m] and the other plastic strain [1] at each vertex, the largest of the elements that
    have it as a corner, (n, 2), and the vertices of plastic elements, (n,) bool."""
    at_vertices, has_some = np.zeros((len(state.x), 2)), np.zeros(len(state.x), bool)
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        if hasattr(batch.energy, "plastic_strain"):
            values, is_bent = _of_elements(batch, strains), batch.energy.ELEMENT == "patch"
            corners = 3 if is_bent else batch.energy.CORNERS  # a patch measures its own triangle
            index = batch.index.reshape(batch.packs, -1, LANES)[:, :corners]
            np.maximum.at(at_vertices[:, int(not is_bent)], index, np.broadcast_to(values[:, None], index.shape))
            has_some[index] = True
        elif _has_yield(batch):
            has_some[batch.index] = True
    if state.rods is not None and state.rods.yields is not None:
        np.maximum.at(at_vertices[:, 0], state.rods.joint_vertex, state.rods.plastic_curvature)
    return at_vertices[: model.n_vertices], has_some[: model.n_vertices]


def _has_yield(batch: ElementBatch) -> bool:
    return batch.energy.ELEMENT == "joint" and any("yield_curvature" in values for values in batch.values)


def _of_elements(batch: ElementBatch, strains: Array) -> Array:
    """(packs, 16), 0 for filling."""
    values = np.zeros((batch.packs, LANES), strains.dtype)
    fill_strains(batch.energy)(batch.rest, strains, values)
    return np.where(batch.element.reshape(-1, LANES) >= 0, values, 0.0)


@per_energy(uncounted_kernel)
def fill_strains(rest, strains, values):
    """Set the plastic strain of each lane. Written: values (packs, 16)."""
    for pack in range(len(rest)):
        r = rest[pack]
        m = strains[pack]
        for lane in range(LANES):
            values[pack, lane] = plastic_strain(numbers(r, lane, REST), numbers(m, lane, START_STRAINS))
