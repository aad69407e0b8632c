"""Numbers of a report: stretch, volume, energy, momentum, and whether all is finite."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..device.cpu import kernel
from ..mathlib import vec3
from ..model.model import Model
from ..model.state import State

#: Farther from the scene's middle than this [m], a vertex has been thrown out by an unstable simulation.
FAR = 1e7


@kernel
def stretch(x, edges, lengths):
    """Largest and mean extension of edges over their rest length."""
    largest = 0.0
    total = 0.0
    for e in range(len(edges)):
        a = edges[e, 0]
        b = edges[e, 1]
        square = 0.0
        for k in range(3):
            d = x[a, k] - x[b, k]
            square += d * d
        extension = max(math.sqrt(square) / lengths[e] - 1.0, 0.0)
        largest = max(largest, extension)
        total += extension
    return largest, total / max(len(edges), 1)


@kernel
def volumes(x, tetrahedra, owner, count):
    """Volume of each body [m^3], (count,)."""
    total = np.zeros(count)
    for t in range(len(tetrahedra)):
        a = tetrahedra[t, 0]
        b = tetrahedra[t, 1]
        c = tetrahedra[t, 2]
        d = tetrahedra[t, 3]
        p = (float(x[b, 0] - x[a, 0]), float(x[b, 1] - x[a, 1]), float(x[b, 2] - x[a, 2]))
        q = (float(x[c, 0] - x[a, 0]), float(x[c, 1] - x[a, 1]), float(x[c, 2] - x[a, 2]))
        r = (float(x[d, 0] - x[a, 0]), float(x[d, 1] - x[a, 1]), float(x[d, 2] - x[a, 2]))
        total[owner[t]] += vec3.dot(p, vec3.cross(q, r)) / 6.0
    return total


@kernel
def add_motion(x, v, mass, fixed, origin, sums):
    """Adds to the sums, (10,): kinetic energy [J], momentum [kg m/s], angular momentum about the world's origin [kg m^2/s]
    and mass times place [kg m], of what is not fixed."""
    for i in range(len(mass)):
        if not fixed[i]:
            m = mass[i]
            r = (x[i, 0] + origin[0], x[i, 1] + origin[1], x[i, 2] + origin[2])
            p = (m * v[i, 0], m * v[i, 1], m * v[i, 2])
            turn = vec3.cross(r, p)
            for k in range(3):
                sums[0] += 0.5 * p[k] * v[i, k]
                sums[1 + k] += p[k]
                sums[4 + k] += turn[k]
                sums[7 + k] += m * r[k]


def motion(model: Model, state: State, gravity: np.ndarray) -> dict[str, Any]:
    """Kinetic energy [J], momentum [kg m/s], angular momentum [kg m^2/s] and gravity's energy [J], both about the world's
    origin, without pins. gravity: (3,) m/s^2."""
    sums = np.zeros(10)
    add_motion(state.x, state.v, model.mass, model.fixed, model.origin, sums)
    r = state.rigid
    if r is not None:
        place, p = r.centre + model.origin, r.mass[:, None] * r.velocity
        turn = (np.cross(place, p) + r.spin).sum(0)
        sums += np.concatenate([[r.kinetic_energy()], p.sum(0), turn, r.mass @ place])
    return {
        "kinetic_energy": float(sums[0]),
        "momentum": tuple(sums[1:4].tolist()),
        "angular_momentum": tuple(sums[4:7].tolist()),
        "gravity_energy": -float(sums[7:] @ gravity),
    }


@kernel
def first_not_finite(x, count):
    """Index of the first vertex that is not finite, or too far away to be meant, or -1."""
    for i in range(count):
        # Not math.isfinite: with fast-math flags it is compiled away.
        if not (abs(x[i, 0]) < FAR and abs(x[i, 1]) < FAR and abs(x[i, 2]) < FAR):
            return i
    return -1


def volume_change(model: Model, state: State) -> float:
    """(V - V_rest) / V_rest of the soft body that changed most; 0 without soft bodies."""
    if not len(model.tetrahedra):
        return 0.0
    now = volumes(state.x, model.tetrahedra, model.tetrahedron_body, len(model.body_volumes))
    both = zip(now.tolist(), model.body_volumes.tolist(), strict=True)
    return max((volume / rest - 1.0 for volume, rest in both if rest > 0), key=abs)
