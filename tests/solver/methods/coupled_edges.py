"""An energy for tests: a triangle, whose three edges are constraints of one element; it stands for all that have several."""

from __future__ import annotations

import math

from solver.device.cpu import element, f32
from solver.mathlib import vec3

NAME = "coupled_edges"
CORNERS = 3
REST = 6  # lengths [m], stiffnesses [N/m]
CONSTANTS = 1
CONSTRAINTS = 3
ONE_SIDED = False
START_STRAINS = 0

ZERO = f32(0)
ONE = f32(1)
NONE = (ZERO, ZERO, ZERO)


@element
def edge(a, b):
    """Length and direction from a to b."""
    along = vec3.sub(b, a)
    length = math.sqrt(vec3.dot(along, along))
    return length, vec3.scale(ONE / length, along)


@element
def constraints(corners, rest, k, old):
    a, n = edge(corners[0], corners[1])
    b, p = edge(corners[1], corners[2])
    c, q = edge(corners[2], corners[0])
    slopes = (
        (vec3.scale(-ONE, n), n, NONE),
        (NONE, vec3.scale(-ONE, p), p),
        (q, NONE, vec3.scale(-ONE, q)),
    )
    return (a - rest[0], b - rest[1], c - rest[2]), (rest[3], rest[4], rest[5]), slopes
