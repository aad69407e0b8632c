"""One frame of a scene: the loop that everything else serves. Read this first.

For each substep: take in gravity, wind, pins and colliders; predict; find contacts; solve sheets as a whole, if asked;
sweep energies and contacts; turn positions into velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import diagnostics, integrate
from .energies import attachment
from .methods import gpbd
from .methods.global_stage import GlobalStage
from .model import Model
from .state import State

#: With a tolerance, a substep sweeps up to this many times the iterations asked for.
MOST_ROUNDS = 50


@dataclass
class Inputs:
    """What acts on one substep, relative to the model's origin where it is a position.

    pins: for each body the targets (k, 3) at the substep's end [m]. collider_start, collider_end: (m, 3) [m].
    wind [m/s], gravity [m/s^2]: (3,).
    """

    pins: list[np.ndarray]
    collider_start: np.ndarray
    collider_end: np.ndarray
    wind: np.ndarray
    gravity: np.ndarray


def substep(model: Model, state: State, contact, air, inputs: Inputs, stage: GlobalStage | None = None) -> int:
    """Advances the state by h; returns the number of sweeps."""
    dtype = state.x.dtype
    h = dtype.type(model.h)
    _remember(model, state)
    if air is not None:
        air.act(state, inputs.wind, h)
    keep = dtype.type(np.exp(-model.settings.damping * model.h))
    integrate.predict(state.x, state.v, state.x0, inputs.gravity.astype(dtype), keep, h)
    _place_pins(model, state, inputs.pins)
    state.x_pred[:] = state.x
    n = model.n_vertices  # contact knows nothing of the padding
    if contact is not None:
        contact.begin_substep(state.x0[:n], state.x[:n], inputs.collider_start, inputs.collider_end, h)
    if stage is None:
        gpbd.begin(model, state)
    else:
        stage.begin(state)
        gpbd.begin(model, state)
        stage.act(state, contact)
    sweeps = _iterate(model, state, contact)
    if contact is not None:
        contact.end_substep(state.x0[:n], state.x[:n])
    integrate.set_velocities(state.x, state.v, state.x0, dtype.type(1.0 / model.h))
    state.time += model.h
    return sweeps


def _iterate(model: Model, state: State, contact) -> int:
    """Sweeps `iterations` times, and with a tolerance as many rounds more as the residual asks for."""
    settings = model.settings
    sweeps = 0
    while sweeps < MOST_ROUNDS * settings.iterations:
        for iteration in range(settings.iterations):
            sweeps += 1
            gpbd.sweep(model, state, iteration)
            if contact is not None:
                contact.sweep(state.x[: model.n_vertices])
        if settings.tolerance is None or diagnostics.residual(model, state)[0] <= settings.tolerance:
            break
    return sweeps


def _remember(model: Model, state: State) -> None:
    """Strains at the substep's start, which damping compares with."""
    for block, memory in zip(model.blocks, state.memories, strict=True):
        if block.damped:
            block.energy.remember(0, block.packs, block.index, block.rest, block.constants, block.material, memory, state.x)


def _place_pins(model: Model, state: State, targets: list[np.ndarray]) -> None:
    """Moves fixed vertices to their targets, and gives attachments theirs."""
    attached = []
    for part, target in zip(model.parts, targets, strict=True):
        if len(part.pinned):
            state.x[part.pinned, :3] = target[part.pinned_rows]
        if len(part.attached):
            attached.append(target[part.attached_rows])
    if not attached:
        return
    rows = np.concatenate(attached)
    for block, memory in zip(model.blocks, state.memories, strict=True):
        if block.energy is attachment:
            lanes = memory.reshape(block.packs, attachment.MEMORY, -1)
            values = np.where((block.element >= 0)[:, None], rows[block.element], 0.0)
            lanes[:] = values.reshape(block.packs, -1, 3).transpose(0, 2, 1)
