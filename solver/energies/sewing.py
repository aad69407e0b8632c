"""Sewing: a stitch pulls its two vertices together by a bounded force, and holds them once they have met.

    T(l) = w min(k max(l - c, 0), f)  [N],  U its integral [J]

c is the length that it is to have, which falls to none while the stitch is open. Where c is 0 it is closed: a spring of no
length, whose force has no bound. It pulls, never pushes. w is the weight, which may change: 0 is no stitch. k and f are of
a metre of seam, so that the mesh's resolution does not change it. The local solve is exact. The substep's start gives three
numbers: the length there, w and c (`stepping/stitches.py`). A broken stitch has c of `UNPICKED`, and pulls no more.
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.segment import length_and_direction
from ..mathlib import vec3

NAME = "sewing"
LABEL = "Sewing"
ELEMENT = "stitch"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "stiffness": ("Stiffness", "N/m^2", 1e5, 0.0, 1e15, True, "Force of a meter of seam over its gap"),
    "force": ("Max Force", "N/m", 1e12, 0.0, 1e12, True, "Largest pull per meter of open seam"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 3  # force on the second vertex [N]
START_STRAINS = 3  # at the start of the substep: length [m], weight, and the length that it is to have [m]

#: Length [m] that no stitch gets beyond.
UNPICKED = 1e20

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
TINY = f32(1e-30)
#: A force [N] that nothing reaches.
ANY = f32(1e30)


def rest(x, elements, values, axes, fraction):
    """Stiffness [N/m] and greatest force of an open stitch [N]: (n, 2). fraction: seam that each stitch holds [m], (n,)."""
    length = np.asarray(fraction, float)
    return np.column_stack([values["stiffness"] * length, values["force"] * length])


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


@element
def strain_at_start(corners, rest):
    """Return the length, and the defaults of a stitch: its whole weight, closed."""
    length, _ = length_and_direction(corners)
    zero = length - length  # of the type of the others
    return length, ONE + zero, zero


@element
def _beyond(length, old):
    """Length beyond that from which it pulls [m]."""
    return max(length - old[2], ZERO)


@element
def _bound(rest, old):
    """Greatest force [N]."""
    return rest[1] if old[2] > ZERO else ANY


@element
def _tension(beyond, rest, old):
    """[N], without the weight."""
    return min(rest[0] * beyond, _bound(rest, old))


@element
def project(corners, w, rest, k, old, force, reprojection):
    """The local solve: the change of the force at both ends, and the new one on the second."""
    both = w[0] + w[1]
    edge = vec3.sub(corners[1], corners[0])
    apart = vec3.add_scaled(edge, -both, (force[0], force[1], force[2]))  # without its own force
    length = math.sqrt(vec3.dot(apart, apart) + TINY)
    linear = rest[0] * _beyond(length, old) / (ONE + both * old[1] * rest[0])
    pull = old[1] * min(linear, _bound(rest, old))
    new = vec3.scale(-pull / length, apart)
    change = vec3.sub(new, (force[0], force[1], force[2]))
    return (vec3.scale(-ONE, change), change), new


@element
def displacement(corners, rest, force):
    """The force at both ends."""
    on_second = (force[0], force[1], force[2])
    return vec3.scale(-ONE, on_second), on_second


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient at both ends [N]."""
    length, n = length_and_direction(corners)
    beyond = _beyond(length, old)
    tension = _tension(beyond, rest, old)
    energy = old[1] * tension * (beyond - HALF * tension / max(rest[0], TINY))
    return energy, segment.pull(old[1] * tension, n)


@element
def _stiffness(beyond, rest, old):
    """[N/m], without the weight: none where it is slack or pulls by the most."""
    return rest[0] if ZERO < rest[0] * beyond < _bound(rest, old) else ZERO


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]; it is never negative."""
    length, n = length_and_direction(corners)
    beyond = _beyond(length, old)
    stiffness, tension = _stiffness(beyond, rest, old), _tension(beyond, rest, old)
    return segment.hessian_times(length, n, old[1] * stiffness, old[1] * tension, directions, exact)


@element
def linearise(strain, rest, k, old):
    """Tension [N] and stiffness [N/m]. strain: the length."""
    beyond = _beyond(strain[0], old)
    return old[1] * _tension(beyond, rest, old), old[1] * _stiffness(beyond, rest, old)
