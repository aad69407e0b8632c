"""The end of a substep on a device: positions, remainders and velocities (`stepping/integrate.py`, `end_substep`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..device.cpu import f32
from ..device.cuda.body import body
from ..stepping.law import corrected_velocity, lost
from .predict import NOW

ZERO = f32(0)


class Places(NamedTuple):
    """Positions of a substep, as in `State`."""

    x: Any
    x_pred: Any
    correction: Any


@body
def place(i, args):
    """x = x_pred + correction, three columns."""
    for k in range(3):
        args.x[i, k] = args.x_pred[i, k] + args.correction[i, k]


@body
def end(i, args):
    """Velocities and remainders, of x where `place` has it. args: `predict.Motion`."""
    now, old = args.now[args.step], args.history[i]
    moves = args.x[i, 3] > ZERO
    for k in range(3):
        correction = args.correction[i, k]
        x = args.x[i, k]
        if moves:
            args.remainder[i, k] += lost(args.x_pred[i, k], correction, x)
            if args.second_order > 0:
                motion = args.motion[i, k] + correction
                args.motion[i, k] = motion
                v, inverse_h = args.v[i, k], now[NOW.inverse_h]
                args.v[i, k] = corrected_velocity(v, motion, correction, inverse_h, now[NOW.more], old)
            else:
                args.v[i, k] += correction * now[NOW.inverse_h]
        else:
            args.remainder[i, k] = ZERO
            motion = x - args.x0[i, k]
            if args.second_order > 0:
                args.motion[i, k] = motion
            args.v[i, k] = motion * now[NOW.inverse_h]
    if args.second_order > 0:
        args.history[i] = True
