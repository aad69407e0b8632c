"""Renewal of a state where a model's numbers change: pins that are released or caught, their springs and grabs that come
and go."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES
from ..energies import attachment
from ..model.model import Model
from ..model.rod_frames_start import renew_frames
from ..model.state import NOT_YET, State
from .poses import Drivers


def take_over(before: Model, after: Model, state: State, drivers: Drivers) -> None:
    """Continue with a renewed model (`model/renewal.py`). Written: state; drivers.now where pins are caught."""
    release(before, after, state)
    drivers.grab(before.parts, after.parts, state.x)
    drivers.catch(after.parts, state.x, ~before.fixed)


def release(before: Model, after: Model, state: State) -> None:
    """Continue with a model whose vertices are held otherwise. Written: state."""
    _take_batches(before, after, state)
    changed = np.flatnonzero(before.fixed != after.fixed)
    state.history[changed] = False  # the constraints of a vertex have changed: no extrapolation from before
    state.clamped_pins[changed] = False
    state.remainder[changed] = 0
    reshape(after, state)


def reshape(model: Model, state: State) -> None:
    """Continue with a model with other rest shapes or stiffnesses. Written: state."""
    if state.rods is not None:
        renew_frames(model, state.rods)
    if state.sleep is not None:
        state.sleep.acting[:] = np.nan  # wakes all


def _take_batches(before: Model, after: Model, state: State) -> None:
    """Springs of pins keep nothing from one substep to the next; all else stays."""
    without_attachments = [k for k, batch in enumerate(before.batches) if batch.energy is not attachment]
    rows = iter(without_attachments)
    displacements: list[np.ndarray] = []
    strains: list[np.ndarray] = []
    recovery: list = []
    for batch in after.batches:
        if batch.energy is attachment:
            numbers = [(batch.packs, count * LANES) for count in (attachment.STATE, attachment.START_STRAINS)]
            old_arrays = (*(np.zeros(shape, state.x.dtype) for shape in numbers), [0, NOT_YET])
        else:
            k = next(rows)
            old_arrays = state.displacements[k], state.strains_at_start[k], state.inversion_recovery[k]
        for values, value in zip((displacements, strains, recovery), old_arrays, strict=True):
            values.append(value)
    state.displacements, state.strains_at_start = displacements, strains
    state.inversion_recovery = np.array(recovery, np.int32).reshape(-1, 2)
