"""Time integration: prediction, velocities, and the forces that are known before the substep (gravity, air)."""

import math

import numpy as np

from .device.cpu import f32, kernel

HALF = f32(0.5)
ONE = f32(1)


@kernel
def predict(x, v, x0, gravity, keep, h):
    """x0 = x, v = keep v + h g, x = x + h v for every vertex that may move; gravity: (3,) m/s^2, keep: share of v."""
    for i in range(len(x)):
        for k in range(4):
            x0[i, k] = x[i, k]
        if x[i, 3] > 0:
            for k in range(3):
                v[i, k] = keep * v[i, k] + h * gravity[k]
                x[i, k] += h * v[i, k]


@kernel
def set_velocities(x, v, x0, inverse_h):
    """v = (x - x0) / h, the backward Euler velocity."""
    for i in range(len(x)):
        for k in range(3):
            v[i, k] = (x[i, k] - x0[i, k]) * inverse_h


@kernel
def add_air(x, v, triangles, first, incident, wind, pressure, drag, lift, h):
    """Changes v by the wind on each vertex's triangles during h.

    triangles: (t, 3). first, incident: triangles at each vertex, (n + 1,) and (3 t,). wind: (3,) m/s.
    pressure: density of the air / 2 [kg/m^3]. A triangle of area A in the relative wind u with normal n takes
    pressure A |u.n| (drag u + lift (|u| n' - |u.n'| u / |u|)), n' the side of n that u blows on; a third at each corner.
    The drag is implicit in v, so light fabrics stay stable in a storm.
    Source: Wejchert and Haumann 1991, "Animation aerodynamics".
    """
    n_triangles = len(triangles)
    rate = np.empty(n_triangles, x.dtype)  # pressure A |u.n| drag / 3 [kg/s]
    push = np.empty((n_triangles, 3), x.dtype)  # lift / 3 [N]
    zero = x.dtype.type(0)
    tiny = x.dtype.type(1e-20)
    third = ONE / x.dtype.type(3)
    for t in range(n_triangles):
        a = triangles[t, 0]
        b = triangles[t, 1]
        c = triangles[t, 2]
        ux = wind[0] - (v[a, 0] + v[b, 0] + v[c, 0]) * third
        uy = wind[1] - (v[a, 1] + v[b, 1] + v[c, 1]) * third
        uz = wind[2] - (v[a, 2] + v[b, 2] + v[c, 2]) * third
        px = x[b, 0] - x[a, 0]
        py = x[b, 1] - x[a, 1]
        pz = x[b, 2] - x[a, 2]
        qx = x[c, 0] - x[a, 0]
        qy = x[c, 1] - x[a, 1]
        qz = x[c, 2] - x[a, 2]
        nx = py * qz - pz * qy
        ny = pz * qx - px * qz
        nz = px * qy - py * qx
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        inverse = ONE / max(twice, tiny)
        normal = (ux * nx + uy * ny + uz * nz) * inverse
        side = inverse if normal >= zero else -inverse
        normal = abs(normal)
        speed = math.sqrt(ux * ux + uy * uy + uz * uz)
        base = pressure * HALF * twice * normal * third
        rate[t] = base * drag
        back = normal / max(speed, tiny)
        push[t, 0] = base * lift * (speed * side * nx - back * ux)
        push[t, 1] = base * lift * (speed * side * ny - back * uy)
        push[t, 2] = base * lift * (speed * side * nz - back * uz)
    for i in range(len(first) - 1):
        if x[i, 3] <= zero or first[i] == first[i + 1]:
            continue
        total = zero
        fx = zero
        fy = zero
        fz = zero
        for j in range(first[i], first[i + 1]):
            t = incident[j]
            total += rate[t]
            fx += push[t, 0]
            fy += push[t, 1]
            fz += push[t, 2]
        step = x[i, 3] / h  # h / mass
        share = ONE / (ONE + step * total)
        v[i, 0] = share * (v[i, 0] + step * (total * wind[0] + fx))
        v[i, 1] = share * (v[i, 1] + step * (total * wind[1] + fy))
        v[i, 2] = share * (v[i, 2] + step * (total * wind[2] + fz))
