"""Tension of ropes: elastic force along their segments, without that of damping, and beside segments between two pins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..device.cpu import LANES
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import first_numbers, numbers
from ..device.uncounted import uncounted_kernel
from ..model.model import PADDING, ElementBatch, Model
from ..model.state import State
from ..topology.edges import pair_keys
from .frame_report import Report

Array = np.ndarray

REST = CONSTANTS = GIVEN
linearise = GIVEN


def has_tension(model: Model) -> bool:
    """Return whether the model has segments of ropes with a tension."""
    return any(is_measured(batch) for batch in model.batches)


def with_tension(report: Report, model: Model, state: State) -> Report:
    """Return the report with the largest tension of a segment."""
    measured = [
        (batch, np.where(_bears(batch, model), tensions_of(batch, state), 0.0))
        for batch in model.batches
        if is_measured(batch)
    ]
    if len(measured) == 1:
        of_segments = measured[0][1]
    else:  # a segment with a limit is in two batches
        ends = [batch.index.reshape(batch.packs, 2, LANES) for batch, _ in measured]
        keys = np.concatenate([pair_keys(end[:, 0].ravel(), end[:, 1].ravel()) for end in ends])
        of_segments = np.bincount(np.unique(keys, return_inverse=True)[1], np.concatenate([v.ravel() for _, v in measured]))
    return replace(report, tension=max(float(of_segments.max()), 0.0))


def tensions(model: Model, state: State) -> Array:
    """Return the mean tension of the segments at each vertex [N], (n,), negative in compression; 0 beside ropes."""
    n = len(state.x)
    total, count = np.zeros(n), np.zeros(n)
    for batch in model.batches:
        if is_measured(batch):
            values, used = tensions_of(batch, state), _bears(batch, model)
            for ends in batch.index.reshape(batch.packs, 2, LANES).swapaxes(0, 1):
                total += np.bincount(ends[used], values[used], n)
                if not batch.energy.ONE_SIDED:  # limits act beside others
                    count += np.bincount(ends[used], minlength=n)
    return model.followed((total / np.maximum(count, 1))[: model.n_vertices])


def is_measured(batch: ElementBatch) -> bool:
    """Return whether a batch is of segments with a tension."""
    return batch.energy.ELEMENT == "segment" and hasattr(batch.energy, "linearise")


def _bears(batch: ElementBatch, model: Model) -> Array:
    """Return whether a lane is a segment with an end that is free, (packs, 16): the length of another one is prescribed."""
    is_free = np.append(~model.fixed, np.zeros(len(PADDING), bool))
    ends = batch.index.reshape(batch.packs, 2, LANES)
    used: Array = (batch.element >= 0).reshape(-1, LANES) & (is_free[ends[:, 0]] | is_free[ends[:, 1]])
    return used


def tensions_of(batch: ElementBatch, state: State) -> Array:
    """Return the tension of each segment of a batch [N], (packs, 16), negative in compression; 0 for filling."""
    values = np.zeros((batch.packs, LANES))
    fill_tensions(batch.energy)(batch.index, batch.rest, batch.material, batch.constants, state.x, state.remainder, values)
    return np.where(batch.element.reshape(-1, LANES) >= 0, values, 0.0)


@per_energy(uncounted_kernel)
def fill_tensions(index, rest, material, constants, x, remainder, values):
    """Set the tension of each lane, at positions with their remainders. Written: values (packs, 16) [N]."""
    for pack in range(len(rest)):
        for lane in range(LANES):
            a, b = index[pack, lane], index[pack, LANES + lane]
            square = 0.0
            for k in range(3):
                d = float(x[b, k]) - float(x[a, k]) + float(remainder[b, k]) - float(remainder[a, k])
                square += d * d
            strain = (math.sqrt(square),)
            k = first_numbers(constants[material[pack]], 0, CONSTANTS)
            force, _ = linearise(strain, numbers(rest[pack], lane, REST), k, strain)
            values[pack, lane] = force
