"""Pins: vertices that follow their targets exactly, and attachments that pull vertices to theirs."""

from __future__ import annotations

import numpy as np

from ..device import arrays
from ..energies import attachment
from ..model.model import Model
from ..model.state import State


def place_pins(model: Model, state: State, targets: list[np.ndarray]) -> None:
    """Moves fixed vertices to their targets, and gives attachments theirs.

    targets: of each body (k, 3) [m], on the host, relative to the model's origin. Written: state.x and the numbers that
    attachments keep of the substep's start.
    """
    attached = []
    for part, host in zip(model.parts, targets, strict=True):
        if len(part.pinned):
            state.x[part.pinned, :3] = arrays.upload(host, like=state.x)[part.pinned_rows]
        if len(part.attached):
            attached.append(arrays.upload(host, like=state.x)[part.attached_rows])
    if not attached:
        return
    rows = arrays.concatenate(attached)
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        if batch.energy is attachment:
            lanes = strains.reshape(batch.packs, attachment.START_STRAINS, -1)
            values = arrays.where((batch.element >= 0)[:, None], rows[batch.element], 0.0)
            arrays.assign(lanes, values.reshape(batch.packs, -1, 3).transpose(0, 2, 1))
