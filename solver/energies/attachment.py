"""Attachment: a spring from a vertex to a target that may move.

    U = 1/2 k |x - t|^2  [J]

It holds the pins whose weight lies between 0 and 1, and the vertices that a goal pulls. The local solve is exact. With
damping, a time tau, the force is that of the distance and of tau times its rate: at a substep's end that of a spring
1 + tau / h times as stiff, to the target that `damped_target` gives.
"""

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3

NAME = "attachment"
LABEL = "Attachment"
ELEMENT = "vertex"
PARAMETERS: dict[str, tuple] = {}
CORNERS = 1
REST = 1
CONSTANTS = 1
STATE = 3  # force [N]
START_STRAINS = 3  # target [m] at the end of the substep
CONSTRAINTS = 3
ONE_SIDED = False

HALF = f32(0.5)
ONE = f32(1)
ZERO = f32(0)


def stiffness(mass, weight, frequency):
    """k [N/m] of pins, (n,): m (2 pi f)^2 weight / (1 - weight), which the mesh's resolution does not change.

    frequency: f, of a pin of weight 1/2 [Hz].
    """
    return mass * (2 * np.pi * frequency) ** 2 * weight / (1 - weight)


def goal_stiffness(mass, weight, frequency):
    """k [N/m] of springs of a goal, (n,): m (2 pi f)^2 weight. frequency: f, of a vertex of weight 1 [Hz]."""
    return mass * (2 * np.pi * frequency) ** 2 * weight


def damped_target(before, after, x, share):
    """Return the target of a damped pin [m], (n, 3). before, after: its target at a substep's start and end, x: its start
    [m], (n, 3). share: tau / h."""
    return (after + share * (x + (after - before))) / (1 + share)


def rest(x, elements, values, axes, fraction):
    """Stiffness k [N/m] of each pinned vertex, given as `fraction`: (n, 1)."""
    return np.asarray(fraction, float)[:, None]


def constants(values, h):
    """Return the factor of the stiffness by damping: (1,)."""
    return np.array([1.0 + values.get("pin_damping", 0.0) / h])


@element
def project(corners, w, rest, k, target, force, reprojection):
    """Solve locally: force = -k (x + w force - target), x the position without the vertex's own force."""
    other = vec3.add_scaled(corners[0], -w[0], force)
    stiff = rest[0] * k[0]
    new = vec3.scale(-stiff / (ONE + w[0] * stiff), vec3.sub(other, target))
    return (vec3.sub(new, force),), new


@element
def displacement(corners, rest, force):
    return (force,)


@element
def gradient(corners, rest, k, target):
    """Energy [J] and its gradient [N]."""
    gap = vec3.sub(corners[0], target)
    stiff = rest[0] * k[0]
    return HALF * stiff * vec3.dot(gap, gap), (vec3.scale(stiff, gap),)


@element
def hessian_times(corners, rest, k, target, directions, exact):
    """Second derivative times directions [N]; it is positive."""
    return (vec3.scale(rest[0] * k[0], directions[0]),)


@element
def block(corners, rest, k, target, mine):
    """The gradient [N] and the 3x3 block [N/m]; without effect where mine is 0."""
    stiffness = mine[0] * rest[0] * k[0]
    return vec3.scale(stiffness, vec3.sub(corners[0], (target[0], target[1], target[2]))), (
        stiffness,
        stiffness,
        stiffness,
        ZERO,
        ZERO,
        ZERO,
    )


@element
def constraints(corners, rest, k, target):
    """The three components of x - t [m], their stiffnesses [N/m] and gradients."""
    slopes = (((ONE, ZERO, ZERO),), ((ZERO, ONE, ZERO),), ((ZERO, ZERO, ONE),))
    stiff = rest[0] * k[0]
    return vec3.sub(corners[0], target), (stiff, stiff, stiff), slopes
