"""Infinite planes in continuous collision detection: clamped motion must not cross them.

What goes through a plane by itself is put back in front of it before (`half_spaces.guard`); here are only the ends that the
clamp makes. A plane does not move, so its nearest vertices are held to rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.uncounted import inline, uncounted_kernel
from ...mathlib.vec3 import dot, sub
from ...steering import LEAST_GAP, SAFE_SHARE
from ..narrow_phase.distance import row
from ..surfaces.collider_tables import PlaneTable
from ..surfaces.motion import SubstepMotion

Array = np.ndarray

ZERO, HALF = f32(0), f32(0.5)


class PlaneGuard(NamedTuple):
    """Contacts of particles and planes. touches: those that do, of bodies, (n,) bool. owner: the body of each particle."""

    touches: Array
    owner: Array
    planes: PlaneTable

    def __bool__(self) -> bool:
        return len(self.planes.points) > 0

    def passing(self, motion: SubstepMotion) -> tuple[Array, Array]:
        """Particles in front of a plane that end behind it, (k,), and the share of their motion that is safe, (k,)."""
        safe = np.full(len(self.touches), 2.0, motion.x0.dtype)
        find_passing(*motion, *self, safe)
        rows = np.flatnonzero(safe <= 1)
        return rows, safe[rows]

    def bound(self, x0: Array, room: Array, lead: Array, nearest: Array) -> None:
        """Bound the motion as `clamp.bounds` does, with planes. Written: room, lead, nearest."""
        bound(x0, *self, room, lead, nearest)


@inline
def _height(x, i, planes, k):
    """Return the height of a particle over a plane [m]."""
    return dot(row(planes.normals, k), sub(row(x, i), row(planes.points, k)))


@uncounted_kernel
def find_passing(x0, x1, touches, owner, planes, safe):
    """Written: safe (n,), the share of its motion after which a particle is not yet behind a plane, where it ends there."""
    for i in range(len(touches)):
        if not touches[i]:
            continue
        for k in range(len(planes.points)):
            if not planes.rules[owner[i], k]:
                continue
            start, end = _height(x0, i, planes, k), _height(x1, i, planes, k)
            if start >= 0 and end < 0:
                safe[i] = min(safe[i], SAFE_SHARE * start / (start - end))


@uncounted_kernel
def bound(x0, touches, owner, planes, room, lead, nearest):
    """Particles may move by half of their distance from a plane, and follow a plane at rest if it is nearest."""
    for i in range(len(touches)):
        if not touches[i]:
            continue
        for k in range(len(planes.points)):
            if not planes.rules[owner[i], k]:
                continue
            start = _height(x0, i, planes, k)
            if start < 0:
                continue
            room[i] = min(room[i], HALF * start)
            if x0[i, 3] > 0 and LEAST_GAP * start < nearest[i]:
                nearest[i] = LEAST_GAP * start
                for axis in range(3):
                    lead[i, axis] = ZERO
