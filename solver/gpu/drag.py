"""Drag and lift on a device: a thread a triangle, then one a vertex, which adds up its triangles (`integrate.add_air`)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..device.cpu import f32
from ..device.cuda.body import body
from ..device.uncounted import inline
from .predict import NOW, Motion

HALF, ONE, ZERO, TINY, THIRD = f32(0.5), f32(1), f32(0), f32(1e-20), f32(1 / 3)


class Air(NamedTuple):
    """triangles: (t, 3). owner: body of each, (t,). numbers: of each body half the density [kg/m^3], drag and lift,
    (bodies, 3). pushes: rate [kg/s] and lift [N] of a third of each, (t, 4). first, incident: triangles at each vertex.
    local: velocity that winds bring to each vertex beside the wind [m/s], (n + 4, 3), where has_local is 1, else any."""

    motion: Motion
    triangles: Any
    owner: Any
    numbers: Any
    pushes: Any
    first: Any
    incident: Any
    local: Any
    has_local: Any


@inline
def met(given, i, k):
    """Velocity of a vertex relative to the air [m/s]: with a history the one expected at the substep's end, less the wind of
    fields."""
    m = given.motion
    v = m.v[i, k]
    v = v + m.now[m.step, NOW.ratio] * (v - m.v_before[i, k]) if m.history[i] else v
    return v - given.local[i, k] if given.has_local > 0 else v


@body
def blow(i, given):
    """Compute drag and lift of a triangle, see `integrate.add_air`."""
    m, x = given.motion, given.motion.x
    now = m.now[m.step]
    a, b, c = given.triangles[i, 0], given.triangles[i, 1], given.triangles[i, 2]
    ux = now[NOW.wind] - (met(given, a, 0) + met(given, b, 0) + met(given, c, 0)) * THIRD
    uy = now[NOW.wind + 1] - (met(given, a, 1) + met(given, b, 1) + met(given, c, 1)) * THIRD
    uz = now[NOW.wind + 2] - (met(given, a, 2) + met(given, b, 2) + met(given, c, 2)) * THIRD
    px, py, pz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    qx, qy, qz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    nx = py * qz - pz * qy
    ny = pz * qx - px * qz
    nz = px * qy - py * qx
    twice: Any = math.sqrt(nx * nx + ny * ny + nz * nz)
    inverse = ONE / max(twice, TINY)
    normal = (ux * nx + uy * ny + uz * nz) * inverse
    side = inverse if normal >= ZERO else -inverse
    normal = abs(normal)
    speed = math.sqrt(ux * ux + uy * uy + uz * uz)
    owner = given.owner[i]
    base = given.numbers[owner, 0] * HALF * twice * normal * THIRD
    lift = base * given.numbers[owner, 2]
    back = normal / max(speed, TINY)
    given.pushes[i, 0] = base * given.numbers[owner, 1]
    given.pushes[i, 1] = lift * (speed * side * nx - back * ux)
    given.pushes[i, 2] = lift * (speed * side * ny - back * uy)
    given.pushes[i, 3] = lift * (speed * side * nz - back * uz)


@body
def add_wind(i, given):
    """Set `blown` of a vertex to its velocity plus the impulses of air on its triangles."""
    m = given.motion
    now = m.now[m.step]
    total, fx, fy, fz = ZERO, ZERO, ZERO, ZERO
    for j in range(given.first[i], given.first[i + 1]):
        t = given.incident[j]
        total += given.pushes[t, 0]
        fx += given.pushes[t, 1]
        fy += given.pushes[t, 2]
        fz += given.pushes[t, 3]
    step = m.weight[i] / now[NOW.h]  # h / mass
    step *= HALF / max(HALF, step * total)
    m.blown[i, 0] = m.v[i, 0] + step * (total * (now[NOW.wind] - met(given, i, 0)) + fx)
    m.blown[i, 1] = m.v[i, 1] + step * (total * (now[NOW.wind + 1] - met(given, i, 1)) + fy)
    m.blown[i, 2] = m.v[i, 2] + step * (total * (now[NOW.wind + 2] - met(given, i, 2)) + fz)
