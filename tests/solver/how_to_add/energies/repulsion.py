"""Repulsion of particles that are nearer than a distance; its elements are the pairs of neighbours, found at each substep.

U = 1/2 k min(l - d, 0)^2  [J]
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import segment
from ..elements.segment import length_and_direction
from ..topology.box_grid import BoxGrid

NAME = "repulsion"
LABEL = "Repulsion"
ELEMENT = "neighbours"
ELEMENT_KIND = {"materials": ("solid",), "changes": True}
PARAMETERS = {
    "stiffness": ("Stiffness", "N/m", 100.0, 0.0, 1e9, True, "Force over what is missing of the distance"),
    "distance": ("Distance", "m", 0.02, 0.0, 1.0, True, "Nearer particles repel each other"),
}
CORNERS = 2
REST = 1
CONSTANTS = 2
STATE = 1
START_STRAINS = 0

ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)

displacement = segment.displacement


def find_elements(x, cells, values):
    """Return the pairs that may come nearer than the distance in a substep: now below three halves of it, (k, 2)."""
    reach = 0.75 * values["distance"]
    one, other = BoxGrid(x - reach, x + reach).near(x - reach, x + reach)
    return np.stack([one, other], 1)[one < other]


def rest(x, elements, values, axes, fraction):
    """The share of the stiffness [1]: (n, 1)."""
    return np.asarray(fraction, float)[:, None]


def constants(values, h):
    """Stiffness [N/m] and distance [m]: (2,)."""
    return np.array([values["stiffness"], values["distance"]])


@element
def gradient(corners, rest, k, old):
    length, n = length_and_direction(corners)
    short = min(length - k[1], ZERO)
    return HALF * k[0] * rest[0] * short * short, segment.pull(k[0] * rest[0] * short, n)


@element
def project(corners, w, rest, k, old, state, reprojection):
    length, n = length_and_direction(corners)
    stiffness = k[0] * rest[0]
    step = -(stiffness * (length - k[1]) + state[0]) / (ONE + stiffness * (w[0] + w[1]))
    push = max(state[0] + step, ZERO)
    return segment.pull(push - state[0], n), (push,)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    length, n = length_and_direction(corners)
    stiffness = k[0] * rest[0] if length < k[1] else ZERO
    return segment.hessian_times(length, n, stiffness, stiffness * (length - k[1]), directions, exact)
