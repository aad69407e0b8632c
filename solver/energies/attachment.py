"""Attachment: a spring from a vertex to a target that may move (`elements/target_spring.py`).

    U = 1/2 k |x - t|^2  [J]

It holds the pins whose weight lies between 0 and 1, and the vertices that a goal pulls.
"""

import numpy as np

from ..elements import target_spring

NAME = "attachment"
LABEL = "Attachment"
ELEMENT = "vertex"
PARAMETERS: dict[str, tuple] = {}
CORNERS, STATE, START_STRAINS = target_spring.CORNERS, target_spring.STATE, target_spring.START_STRAINS
CONSTRAINTS = target_spring.CONSTRAINTS
REST = 1
CONSTANTS = 1
ONE_SIDED = False

damped_target, project, displacement = target_spring.damped_target, target_spring.project, target_spring.displacement
gradient, hessian_times = target_spring.gradient, target_spring.hessian_times
block, constraints = target_spring.block, target_spring.constraints


def stiffness(mass, weight, frequency):
    """k [N/m] of pins, (n,): m (2 pi f)^2 weight / (1 - weight), which the mesh's resolution does not change.

    frequency: f, of a pin of weight 1/2 [Hz].
    """
    return mass * (2 * np.pi * frequency) ** 2 * weight / (1 - weight)


def goal_stiffness(mass, weight, frequency):
    """k [N/m] of springs of a goal, (n,): m (2 pi f)^2 weight. frequency: f, of a vertex of weight 1 [Hz]."""
    return mass * (2 * np.pi * frequency) ** 2 * weight


def rest(x, elements, values, axes, fraction):
    """Stiffness k [N/m] of each pinned vertex, given as `fraction`: (n, 1)."""
    return np.asarray(fraction, float)[:, None]


def constants(values, h):
    """Return the factor of the stiffness by damping: (1,)."""
    return np.array([1.0 + values.get("pin_damping", 0.0) / h])
