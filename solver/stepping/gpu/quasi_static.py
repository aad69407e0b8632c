"""Start and end of a substep without inertia on a device: gravity is a load, velocities are zero
(`stepping/integrate.py`)."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...model.gpu.substep_motion import NOW, Motion, posed

ZERO = f32(0)


class Still(NamedTuple):
    """motion: see there. load: [N], (n + 4, 3)."""

    motion: Motion
    load: Array


@body
def weigh(i, args):
    """Set the load of a vertex to its weight."""
    m = args.motion
    now = m.now[m.step]
    mass = now[NOW.h] * now[NOW.h] / m.weight[i] if m.weight[i] > ZERO else ZERO
    for k in range(3):
        args.load[i, k] = mass * now[NOW.gravity + k]


@body
def begin(i, args):
    """Predict as `predict.predict`, from the current positions."""
    now, w, pin = args.now[args.step], args.weight[i], args.pin[i]
    for k in range(3):
        place = args.x[i, k]
        args.x0[i, k] = place
        if w <= ZERO and pin >= 0:
            place = posed(args.poses, pin, args.rows, now[NOW.end], k)
        args.x[i, k] = place
        args.x_pred[i, k] = place
        args.correction[i, k] = ZERO
    args.x0[i, 3] = w
    args.x[i, 3] = w
    args.x_pred[i, 3] = w
    args.correction[i, 3] = ZERO


@body
def end(i, args):
    """No velocity."""
    for k in range(3):
        args.v[i, k] = ZERO
