"""Start and end of a substep without inertia on a device: gravity is a load, velocities are zero
(`stepping/integrate.py`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..device.cpu import f32
from ..device.cuda.body import body
from .predict import NOW, Motion, posed

ZERO = f32(0)


class Still(NamedTuple):
    """motion: see there. load: [N], (n + 4, 3)."""

    motion: Motion
    load: Any


@body
def weigh(i, given):
    """Set the load of a vertex to its weight."""
    m = given.motion
    now = m.now[m.step]
    mass = now[NOW.h] * now[NOW.h] / m.weight[i] if m.weight[i] > ZERO else ZERO
    for k in range(3):
        given.load[i, k] = mass * now[NOW.gravity + k]


@body
def begin(i, given):
    """Predict as `predict.predict`, from the current positions."""
    now, w, pin = given.now[given.step], given.weight[i], given.pin[i]
    for k in range(3):
        place = given.x[i, k]
        given.x0[i, k] = place
        if w <= ZERO and pin >= 0:
            place = posed(given.poses, pin, given.rows, now[NOW.end], k)
        given.x[i, k] = place
        given.x_pred[i, k] = place
        given.correction[i, k] = ZERO
    given.x0[i, 3] = w
    given.x[i, 3] = w
    given.x_pred[i, 3] = w
    given.correction[i, 3] = ZERO


@body
def end(i, given):
    """No velocity."""
    for k in range(3):
        given.v[i, k] = ZERO
