"""Bounds of motion: how much nearer two elements can come when their corners move, whatever moves all of them alike."""

from __future__ import annotations

import math

from ...device.cpu import f32
from ...device.uncounted import inline
from ...mathlib.vec3 import dot, sub

QUARTER = f32(0.25)


@inline
def motion_bound(d0, d1, d2, d3, vertex):
    """Most that two elements can come nearer [m] when their four corners are displaced by d0..d3.

    vertex: the first element is corner 0 and the second a triangle; else both are edges. Each point of an element moves by
    a mean of its corners' displacements, and a displacement that all share moves none of them nearer.
    Source: Li et al. 2021, "Codimensional incremental potential contact", section 5 (bound of the relative motion).
    """
    m = (
        QUARTER * (d0[0] + d1[0] + d2[0] + d3[0]),
        QUARTER * (d0[1] + d1[1] + d2[1] + d3[1]),
        QUARTER * (d0[2] + d1[2] + d2[2] + d3[2]),
    )
    e0, e1, e2, e3 = sub(d0, m), sub(d1, m), sub(d2, m), sub(d3, m)
    q0, q1, q2, q3 = dot(e0, e0), dot(e1, e1), dot(e2, e2), dot(e3, e3)
    if vertex:
        return math.sqrt(q0) + math.sqrt(max(q1, max(q2, q3)))
    return math.sqrt(max(q0, q1)) + math.sqrt(max(q2, q3))
