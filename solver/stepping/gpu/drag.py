"""Drag and lift on a device: a thread a triangle, then one a vertex, which adds up its triangles (`integrate.add_air`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.uncounted import inline
from ...model.gpu.substep_motion import NOW, Motion
from ...model.motion_law import air_on_triangle, air_share

ZERO, THIRD = f32(0), f32(1 / 3)


class Air(NamedTuple):
    """triangles: (t, 3). owner: body of each, (t,). numbers: of each body half the density [kg/m^3], drag and lift,
    (bodies, 3). pushes: rate [kg/s] and lift [N] of a third of each, (t, 4). first, incident: triangles at each vertex.
    local: velocity that winds bring to each vertex beside the wind [m/s], (n + 4, 3), where has_local is 1, else any."""

    motion: Motion
    triangles: Array
    owner: Array
    numbers: Array
    pushes: Array
    first: Array
    incident: Array
    local: Array
    has_local: np.int32


@inline
def met(args, i, k):
    """Velocity of a vertex relative to the air [m/s]: with a history the one expected at the substep's end, less the wind of
    fields."""
    m = args.motion
    v = m.v[i, k]
    v = v + m.now[m.step, NOW.ratio] * (v - m.v_before[i, k]) if m.history[i] else v
    return v - args.local[i, k] if args.has_local > 0 else v


@body
def blow(i, args):
    """Compute drag and lift of a triangle."""
    m, x = args.motion, args.motion.x
    now = m.now[m.step]
    a, b, c = args.triangles[i, 0], args.triangles[i, 1], args.triangles[i, 2]
    ux = now[NOW.wind] - (met(args, a, 0) + met(args, b, 0) + met(args, c, 0)) * THIRD
    uy = now[NOW.wind + 1] - (met(args, a, 1) + met(args, b, 1) + met(args, c, 1)) * THIRD
    uz = now[NOW.wind + 2] - (met(args, a, 2) + met(args, b, 2) + met(args, c, 2)) * THIRD
    p = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    q = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    numbers = args.numbers[args.owner[i]]
    rate, lift = air_on_triangle((ux, uy, uz), p, q, numbers[0], numbers[1], numbers[2])
    args.pushes[i, 0] = rate
    args.pushes[i, 1], args.pushes[i, 2], args.pushes[i, 3] = lift


@body
def add_wind(i, args):
    """Set `blown` of a vertex to its velocity plus the impulses of air on its triangles."""
    m = args.motion
    now = m.now[m.step]
    total, fx, fy, fz = ZERO, ZERO, ZERO, ZERO
    for j in range(args.first[i], args.first[i + 1]):
        t = args.incident[j]
        total += args.pushes[t, 0]
        fx += args.pushes[t, 1]
        fy += args.pushes[t, 2]
        fz += args.pushes[t, 3]
    step = air_share(m.weight[i] / now[NOW.h], total)  # of h / mass
    m.blown[i, 0] = m.v[i, 0] + step * (total * (now[NOW.wind] - met(args, i, 0)) + fx)
    m.blown[i, 1] = m.v[i, 1] + step * (total * (now[NOW.wind + 1] - met(args, i, 1)) + fy)
    m.blown[i, 2] = m.v[i, 2] + step * (total * (now[NOW.wind + 2] - met(args, i, 2)) + fz)
