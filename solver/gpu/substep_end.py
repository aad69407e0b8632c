"""The end of a substep on a device: positions, remainders and velocities (`stepping/integrate.py`, `end_substep`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..device.cpu import f32
from ..device.cuda.body import body
from ..stepping.integrate import lost
from .predict import NOW

ZERO = f32(0)


class Places(NamedTuple):
    """Positions of a substep, as in `State`."""

    x: Any
    x_pred: Any
    correction: Any


@body
def place(i, given):
    """x = x_pred + correction, three columns."""
    for k in range(3):
        given.x[i, k] = given.x_pred[i, k] + given.correction[i, k]


@body
def end(i, given):
    """Velocities and remainders, of x where `place` has it. given: `predict.Motion`."""
    now, old = given.now[given.step], given.history[i]
    moves = given.x[i, 3] > ZERO
    for k in range(3):
        correction = given.correction[i, k]
        x = given.x[i, k]
        if moves:
            given.remainder[i, k] += lost(given.x_pred[i, k], correction, x)
            if given.second_order > 0:
                motion = given.motion[i, k] + correction
                given.motion[i, k] = motion
                more = now[NOW.more] * correction * now[NOW.inverse_h]
                given.v[i, k] = given.v[i, k] + more if old else motion * now[NOW.inverse_h]
            else:
                given.v[i, k] += correction * now[NOW.inverse_h]
        else:
            given.remainder[i, k] = ZERO
            motion = x - given.x0[i, k]
            if given.second_order > 0:
                given.motion[i, k] = motion
            given.v[i, k] = motion * now[NOW.inverse_h]
    if given.second_order > 0:
        given.history[i] = True
