"""Numbers of a report: stretch, volume, energy, momentum, and whether all is finite."""

from __future__ import annotations

import math
from typing import TypedDict

import numpy as np

from ..device.cpu import kernel
from ..device.uncounted import inline
from ..mathlib import vec3
from ..model.model import Model
from ..model.rigid_motion import RigidMotion
from ..model.state import State
from .frame_report import Vector

#: Distance from the scene's middle that means an unstable simulation [m].
FAR = 1e7


@inline
def extension(x, a, b, length):
    """Return the extension of an edge over its rest length; 0 under compression."""
    square = 0.0
    for k in range(3):
        d = x[a, k] - x[b, k]
        square += d * d
    return max(math.sqrt(square) / length - 1.0, 0.0)


@inline
def six_volumes(x, a, b, c, d):
    """Six times the volume of a tetrahedron [m^3]."""
    p = (float(x[b, 0] - x[a, 0]), float(x[b, 1] - x[a, 1]), float(x[b, 2] - x[a, 2]))
    q = (float(x[c, 0] - x[a, 0]), float(x[c, 1] - x[a, 1]), float(x[c, 2] - x[a, 2]))
    r = (float(x[d, 0] - x[a, 0]), float(x[d, 1] - x[a, 1]), float(x[d, 2] - x[a, 2]))
    return vec3.dot(p, vec3.cross(q, r))


@kernel
def stretch(x, edges, lengths):
    """Largest and mean extension of edges over their rest length."""
    largest = 0.0
    total = 0.0
    for e in range(len(edges)):
        extended = extension(x, edges[e, 0], edges[e, 1], lengths[e])
        largest = max(largest, extended)
        total += extended
    return largest, total / max(len(edges), 1)


@kernel
def volumes(x, tetrahedra, owner, count):
    """Volume of each body [m^3], (count,)."""
    total = np.zeros(count)
    for t in range(len(tetrahedra)):
        a, b, c, d = tetrahedra[t, 0], tetrahedra[t, 1], tetrahedra[t, 2], tetrahedra[t, 3]
        total[owner[t]] += six_volumes(x, a, b, c, d) / 6.0
    return total


@inline
def motion_of_vertex(x, v, mass, origin, i):
    """Return of a vertex: kinetic energy [J], momentum [kg m/s], angular momentum about the world's origin [kg m^2/s], and
    its mass under gravity times its place [kg m]. mass: see `masses`."""
    m = mass[i, 0]
    heavy = mass[i, 1]
    r = (x[i, 0] + origin[0], x[i, 1] + origin[1], x[i, 2] + origin[2])
    p = (m * v[i, 0], m * v[i, 1], m * v[i, 2])
    kinetic = 0.5 * (p[0] * v[i, 0] + p[1] * v[i, 1] + p[2] * v[i, 2])
    return kinetic, p, vec3.cross(r, p), vec3.scale(heavy, r)


@kernel
def add_motion(x, v, mass, origin, sums):
    """Add `motion_of_vertex` of all vertices to the sums, (10,)."""
    for i in range(len(mass)):
        kinetic, p, turn, moment = motion_of_vertex(x, v, mass, origin, i)
        sums[0] += kinetic
        for k in range(3):
            sums[1 + k] += p[k]
            sums[4 + k] += turn[k]
            sums[7 + k] += moment[k]


class MotionFields(TypedDict):
    """Fields of a report that are of motion."""

    kinetic_energy: float
    momentum: Vector
    angular_momentum: Vector
    gravity_energy: float


def masses(model: Model) -> np.ndarray:
    """Return the mass of each free vertex, and its mass under gravity, (n, 2) [kg]; 0 for fixed ones."""
    free = np.where(model.fixed, 0.0, model.mass)
    return np.stack([free, free * _own_gravity(model)[model.body_of_vertex]], 1)


def _own_gravity(model: Model) -> np.ndarray:
    """Return each body's gravity, as a factor of the scene's, (bodies,)."""
    return np.array([part.body.resolved_response.gravity for part in model.parts], float)


def motion(model: Model, state: State, gravity: np.ndarray) -> MotionFields:
    """Return `momentum_and_energy` from positions and velocities."""
    sums = np.zeros(10)
    add_motion(state.x, state.v, masses(model), model.origin, sums)
    return momentum_and_energy(sums, model, state.rigid, gravity)


def momentum_and_energy(sums: np.ndarray, model: Model, rigid: RigidMotion | None, gravity: np.ndarray) -> MotionFields:
    """Kinetic energy [J], momentum [kg m/s], angular momentum [kg m^2/s] and gravity's energy [J], both about the world's
    origin, without pins. sums: of `motion_of_vertex`, (10,). gravity: (3,) m/s^2."""
    if rigid is not None:
        place, p = rigid.centre + model.origin, rigid.mass[:, None] * rigid.velocity
        turn = (np.cross(place, p) + rigid.spin).sum(0)
        heavy = rigid.mass * _own_gravity(model)[model.body_of_vertex[[shape.start for shape in model.rigid]]]
        sums = sums + np.concatenate([[rigid.kinetic_energy()], p.sum(0), turn, heavy @ place])
    return {
        "kinetic_energy": float(sums[0]),
        "momentum": (float(sums[1]), float(sums[2]), float(sums[3])),
        "angular_momentum": (float(sums[4]), float(sums[5]), float(sums[6])),
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


def volume_change(model: Model, volumes: np.ndarray) -> float:
    """(V - V_rest) / V_rest of the soft body that changed most; 0 without soft bodies. volumes: of all bodies now [m^3]."""
    both = zip(volumes.tolist(), model.body_volumes.tolist(), strict=True)
    return max((volume / rest - 1.0 for volume, rest in both if rest > 0), key=abs, default=0.0)
