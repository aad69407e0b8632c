"""One frame of a scene: the loop that everything else serves. Read this first.

For each substep: take in gravity, wind, pins and colliders; predict; find contacts; solve sheets as a whole, if asked;
sweep energies and contacts; turn positions into velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..contact.tolerances import PAIR_INTERVAL
from ..energies import attachment
from ..global_step.global_step import GlobalStep
from ..methods.element_loops import remember
from ..model.model import Model
from ..model.state import State
from ..report import residual
from . import integrate

#: With a tolerance, a substep sweeps up to this many times the iterations asked for.
MOST_ROUNDS = 50


@dataclass
class Inputs:
    """What acts on one substep, relative to the model's origin where it is a position.

    pins: for each body the targets (k, 3) at the substep's end [m]. collider_start, collider_end: (m, 3) [m].
    wind [m/s], gravity [m/s^2]: (3,). left: substeps of the frame that are left, with this one.
    """

    pins: list[np.ndarray]
    collider_start: np.ndarray
    collider_end: np.ndarray
    wind: np.ndarray
    gravity: np.ndarray
    left: int = 1


@dataclass(frozen=True)
class Done:
    """sweeps: of a substep. converged: false if a tolerance was asked for and not reached."""

    sweeps: int
    converged: bool


def substep(model: Model, state: State, method, contact, air, inputs: Inputs, global_step: GlobalStep | None = None) -> Done:
    """Advances the state by h."""
    h = state.x.dtype.type(model.h)
    _remember(model, state)
    integrate.begin_substep(model, state, inputs.gravity, None if air is None else lambda: air.act(state, inputs.wind, h))
    _place_pins(model, state, inputs.pins)
    if state.rigid is not None:
        state.rigid.begin(inputs.gravity, np.exp(-model.settings.damping * model.h), model.h)
        state.rigid.place(state.x)
    model.embedded.place(state.x)
    state.x_pred[:] = state.x
    n = model.n_vertices  # contact knows nothing of the padding
    if contact is not None:
        contact.begin_substep(
            state.x0[:n], state.x[:n], inputs.collider_start, inputs.collider_end, h, inputs.gravity, inputs.left
        )
    if global_step is not None:
        global_step.begin(state)
    method.begin(state)
    solved = frozenset() if global_step is None else global_step.solve(state, contact)
    done = _iterate(model, state, method, contact, global_step, solved)
    event = False
    if contact is None:
        model.embedded.place(state.x)
    else:
        put_back = contact.end_substep(state.x0[:n], state.x[:n])
        event = contact.statistics().contacts > 0 or put_back > 0
    integrate.end_substep(model, state, event)
    if event and not model.settings.quasi_static:
        contact.stop_separation(state.x0[:n], state.x_pred[:n], state.v[:n], h)
    state.time += model.h
    return done


def _iterate(model: Model, state: State, method, contact, global_step: GlobalStep | None, solved: frozenset[int]) -> Done:
    """Sweeps `iterations` times, and with a tolerance as many rounds more as the residual asks for.

    solved: batches that the global step has solved for; the first round leaves them out, and sheets respond elastically to
    contact impulses before contacts are swept for the last time.
    """
    settings = model.settings
    tolerance = settings.tolerance
    yardstick = None if tolerance is None else residual.yardstick(model, state)
    sweeps, response_at = 0, PAIR_INTERVAL if settings.iterations > PAIR_INTERVAL else 0
    while True:
        for iteration in range(settings.iterations):
            sweeps, to_come = sweeps + 1, settings.iterations - 1 - iteration
            idle = method.sweep(state, iteration, solved) if solved else method.sweep(state, iteration)
            if contact is not None:
                contact.sweep(state.x[: model.n_vertices], to_come)
                if global_step is not None and solved and not contact.idle and to_come == response_at:
                    global_step.elastic_response(state, contact)
                    if not to_come:
                        contact.sweep(state.x[: model.n_vertices])
            idle = idle and (contact is None or contact.idle)
            if idle:
                break
        if yardstick is None or tolerance is None:
            return Done(sweeps, True)
        n = model.n_vertices
        pushed = np.zeros(n, bool) if contact is None else contact.pushed(state.x[:n])
        left, _ = residual.force_at(model, state, state.x)
        converged = yardstick.relative(left, yardstick.prediction, pushed) <= tolerance
        idle = idle or yardstick.drowned(left, pushed)
        solved = frozenset()
        if converged or sweeps >= MOST_ROUNDS * settings.iterations or idle:
            return Done(sweeps, converged)


def _remember(model: Model, state: State) -> None:
    """Strains at the substep's start, which damping compares with."""
    for batch, memory in zip(model.batches, state.strains_at_start, strict=True):
        if batch.damped:
            remember(batch, memory, state.x)


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
    for batch, memory in zip(model.batches, state.strains_at_start, strict=True):
        if batch.energy is attachment:
            lanes = memory.reshape(batch.packs, attachment.START_STRAINS, -1)
            values = np.where((batch.element >= 0)[:, None], rows[batch.element], 0.0)
            lanes[:] = values.reshape(batch.packs, -1, 3).transpose(0, 2, 1)
