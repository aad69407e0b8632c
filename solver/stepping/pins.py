"""Pins and grabs: vertices that follow their targets exactly, and attachments that pull vertices to theirs.

A pin that contact has clamped, for it would have passed through something, moves on with its target and catches up
with it no faster than penetration recovery moves anything.
"""

from __future__ import annotations

import numpy as np

from ..energies import attachment
from ..model.model import BodyPart, Model
from ..model.state import State
from ..steering import RECOVERY_SPEED


def place_pins(model: Model, state: State, starts: list[np.ndarray], targets: list[np.ndarray]) -> None:
    """Move fixed vertices to their targets, clamped ones towards them, and give attachments theirs.

    starts, targets: of each body at the substep's start and end (k, 3) [m], on the host, relative to the model's origin.
    Written: state.x and the numbers that attachments keep of the substep's start.
    """
    attached = []
    for part, before, host in zip(model.parts, starts, targets, strict=True):
        if len(part.pinned):
            target = np.asarray(host)[part.pinned_rows]
            if state.clamped_pins[part.pinned].any():
                start = np.asarray(before)[part.pinned_rows]
                target = _approach(state.x[part.pinned, :3], start, target, state.clamped_pins[part.pinned], model.h)
            state.x[part.pinned, :3] = target
        if len(part.attached):
            attached.append(_drawn_to(part, model.h, state, before, host))
    if not attached:
        return
    rows = np.concatenate(attached)
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        if batch.energy is attachment:
            lanes = strains.reshape(batch.packs, attachment.START_STRAINS, -1)
            values = np.where((batch.element >= 0)[:, None], rows[batch.element], 0.0)
            lanes[...] = values.reshape(batch.packs, -1, 3).transpose(0, 2, 1)


def pull_rigid_bodies(model: Model, state: State, starts: list[np.ndarray], targets: list[np.ndarray]) -> None:
    """Move rigid bodies as what grabs their vertices does in a substep. starts, targets: see `place_pins`.
    Written: state."""
    assert state.rigid is not None
    bodies = {shape.start: number for number, shape in enumerate(model.rigid)}
    for part, before, host in zip(model.parts, starts, targets, strict=True):
        if part.grab is not None and part.start in bodies:
            grab, share = part.grab, part.grab.damping / model.h
            target, x = host[part.pins :], state.x0[part.start + part.grab.vertices, :3].astype(float)
            target = attachment.damped_target(before[part.pins :], target, x, share)
            state.rigid.pull(bodies[part.start], grab.vertices, grab.stiffness * (1.0 + share), target)


def _drawn_to(part: BodyPart, h: float, state: State, before: np.ndarray, host: np.ndarray) -> np.ndarray:
    """Targets of a body's attachments (j, 3) [m]. before, host: see `place_pins`."""
    target = np.asarray(host)[part.attached_rows]
    if not part.attached_damping.any():
        return target
    start, share = np.asarray(before)[part.attached_rows], part.attached_damping[:, None] / h
    return attachment.damped_target(start, target, state.x0[part.attached, :3], share)


def note_clamped_pins(model: Model, state: State, targets: list[np.ndarray]) -> None:
    """Note fixed vertices that end a substep elsewhere than at their targets. targets: see `place_pins`. Written: state."""
    for part, host in zip(model.parts, targets, strict=True):
        if len(part.pinned):
            target = np.asarray(host)[part.pinned_rows].astype(state.x.dtype, copy=False)
            state.clamped_pins[part.pinned] = (state.x[part.pinned, :3] != target).any(1)


def _approach(x: np.ndarray, start: np.ndarray, target: np.ndarray, clamped_pins: np.ndarray, h: float) -> np.ndarray:
    """Return the ends of pins in a substep (k, 3) [m]: their targets, and if clamped by the same way and nearer by a bounded
    one.

    x, start: where they and their targets are at its start [m], (k, 3).
    """
    lag = (start - x).astype("float64", copy=False)
    length, most = np.linalg.norm(lag, axis=-1), RECOVERY_SPEED * h
    left = np.maximum(1.0 - most / np.maximum(length, most), 0.0)
    return np.where((clamped_pins & (left > 0))[:, None], target - left[:, None] * lag, target)
