"""Particles of contact in a substep on a device: vertices of bodies, and of colliders, interpolated within the frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...model.gpu.substep_motion import NOW, Motion, posed

ZERO = f32(0)


class Particles(NamedTuple):
    """Particles of all surfaces. motion: see there. n: particles of bodies. poses: of collider vertices, (poses * rows, 3)
    [m]; rows: of one. x0, x1: at the start and predicted, later at the substep's end [m], h^2/m in the last column,
    (count, 4).
    """

    motion: Motion
    n: np.int32
    poses: Array
    rows: np.int32
    x0: Array
    x1: Array


@body
def begin(i, args):
    """Set the position of a particle at the start, and its prediction."""
    m = args.motion
    if i < args.n:
        for k in range(4):
            args.x0[i, k] = m.x0[i, k]
            args.x1[i, k] = m.x_pred[i, k]
    else:
        now = m.now[m.step]
        for k in range(3):
            args.x0[i, k] = posed(args.poses, i - args.n, args.rows, now[NOW.start], k)
            args.x1[i, k] = posed(args.poses, i - args.n, args.rows, now[NOW.end], k)
        args.x0[i, 3] = ZERO
        args.x1[i, 3] = ZERO


@body
def end(i, args):
    """Set the wanted end of a vertex."""
    for k in range(4):
        args.x0[i, k] = args.motion.x0[i, k]
        args.x1[i, k] = args.motion.x[i, k]
