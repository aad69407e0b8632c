"""Flat rod: bending and twist of a strap, a ribbon or a steel tape, which bends over its flat side far more easily than over
its edge.

    U = 1/2 K (kb P m - k_m)^2 + 1/2 K a^2 (kb P n - k_n)^2 + 1/2 T m^2  [J]

as `elastic_rod`, with the material's frame of the first segment: m along the width, n across the flat side. Its section is a
rectangle a times as wide as thick, of the same area as the round one of the rope's radius r:

    K = E w t^3 / (12 l),  T = G J / l,  w = r sqrt(pi a),  t = r sqrt(pi / a),  J = w t^3 / 3 (1 - 0.63 / a + 0.052 / a^5)

Frames are solved for at the beginning of a substep (`model/rod_frames.py`); the local solve is Gauss-Newton's for the three
constraints, with the force of each corner as state. Contact keeps the round section.
Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008, "Discrete elastic rods", section 4 (anisotropic bending); Roark,
Young 1989, "Formulas for stress and strain", table 20 (torsion of a rectangle).
"""

import math
import sys

import numpy as np

from ..device.cpu import element, f32
from ..elements import elastic_joint, joint_line_search, rod
from ..elements.elastic_joint import convexity, scaled
from ..elements.joint_line_search import weighted
from ..mathlib import vec3

NAME = "flat_rod"
LABEL = "Flat: Bend and Twist"
ELEMENT = "joint"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "bending": ("Bend", "Pa", 1e6, 0.0, 1e12, False, "Modulus of bending: that of a solid strip of the same cross section"),
    "twist": ("Twist", "Pa", 4e5, 0.0, 1e12, False, "Shear modulus: torque of a twisted solid strip"),
    "flatness": ("Flatness", "", 5.0, 1.0, 100.0, False, "Width over thickness; its square is how much stiffer its edge is"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS = elastic_joint.CORNERS
HARD_BENDING = elastic_joint.REST  # place of K a^2
REST = elastic_joint.REST + 1
CONSTANTS, STATE, START_STRAINS = elastic_joint.CONSTANTS, elastic_joint.STATE, elastic_joint.START_STRAINS
CONSTRAINTS = 3
ONE_SIDED = False

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
TINY = f32(1e-30)

constants = elastic_joint.constants
displacement, strain_at_start = elastic_joint.displacement, elastic_joint.strain_at_start


def rest(x, elements, values, axes, fraction):
    """Numbers of `elastic_joint.rest`, then the stiffness of bending over the edge [J]: (n, 18)."""
    a = values["flatness"]
    torsion = 2.0 * np.pi / (3.0 * a) * (1.0 - 0.63 / a + 0.052 / a**5)
    round_ones = {"bending": values["bending"] * np.pi / (3.0 * a), "twist": values["twist"] * torsion}
    numbers = elastic_joint.rest(x, elements, round_ones, axes, fraction)
    return np.column_stack([numbers, numbers[:, 0] * a**2])


def bending_matrix(x, elements, rest):
    """Return that of `elastic_joint`, by the stiffness over the edge: a bound for both directions."""
    return elastic_joint.bending_matrix(x, elements, rest[:, [HARD_BENDING]])


@element
def _axes(old):
    """Unit vectors along the width and across the flat side at the start."""
    a0, m0 = (old[0], old[1], old[2]), (old[3], old[4], old[5])
    return a0, m0, vec3.cross(a0, m0)


@element
def _bend(shape, old, axis, a0):
    """Curvature about an axis beyond that at rest, its change in the substep, and its gradients by t0 and t1."""
    t0, t1, _, _, kb = shape
    moved = rod.transport(a0, t0, axis)
    bent = vec3.dot(kb, moved)
    s0, s1 = rod.curvature_slopes(t0, t1, kb, moved)
    s0 = vec3.add(s0, rod.transport_slope(a0, t0, axis, kb))
    at_rest, at_start = (old[13], old[14], old[15]), (old[16], old[17], old[18])
    return bent - vec3.dot(axis, at_rest), bent - vec3.dot(axis, at_start), s0, s1


@element
def gradient(corners, rest, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the three corners [N]."""
    shape, _, _, twist, twist_rate, slopes = elastic_joint.strains(corners, old)
    a0, m, n = _axes(old)
    one, one_rate, x0, x1 = _bend(shape, old, m, a0)
    other, other_rate, y0, y1 = _bend(shape, old, n, a0)
    energy = HALF * rest[0] * (one * one + k[0] * one_rate * one_rate)
    energy += HALF * rest[17] * (other * other + k[0] * other_rate * other_rate)
    energy += HALF * rest[1] * (twist * twist + k[0] * twist_rate * twist_rate)
    easy, hard = rest[0] * (one + k[0] * one_rate), rest[17] * (other + k[0] * other_rate)
    torque = rest[1] * (twist + k[0] * twist_rate)
    s0 = vec3.add_scaled(vec3.combine(easy, x0, hard, y0), torque, slopes[0])
    s1 = vec3.add_scaled(vec3.combine(easy, x1, hard, y1), torque, slopes[1])
    return energy, rod.at_corners(s0, s1, shape[0], shape[1], shape[2], shape[3])


@element
def constraints(corners, rest, k, old):
    """Curvatures about both axes and the twist, their stiffnesses [J] and gradients [1/m]."""
    shape, _, _, twist, _, slopes = elastic_joint.strains(corners, old)
    t0, t1, i0, i1, _ = shape
    a0, m, n = _axes(old)
    one, _, x0, x1 = _bend(shape, old, m, a0)
    other, _, y0, y1 = _bend(shape, old, n, a0)
    gradients = (
        rod.at_corners(x0, x1, t0, t1, i0, i1),
        rod.at_corners(y0, y1, t0, t1, i0, i1),
        rod.at_corners(slopes[0], slopes[1], t0, t1, i0, i1),
    )
    return (one, other, twist), (rest[0], rest[17], rest[1]), gradients


@element
def equilibrium_state(corners, rest, k, old):
    """Return the state whose displacement is that of the element's own force."""
    _, slopes = gradient(corners, rest, k, old)
    a, c = slopes[0], slopes[2]
    return -a[0], -a[1], -a[2], -c[0], -c[1], -c[2]


THIS = sys.modules[__name__]
_potential_after = joint_line_search.potential(THIS)
_step = joint_line_search.step(THIS)


@element
def project(corners, w, rest, k, old, state, reprojection):
    """One Gauss-Newton step of the local problem and its share, as of `elastic_joint.project`."""
    energy, slopes = gradient(corners, rest, k, old)
    f = displacement(corners, rest, state)
    r = vec3.add(f[0], slopes[0]), vec3.add(f[1], slopes[1]), vec3.add(f[2], slopes[2])
    _, _, g = constraints(corners, rest, k, old)
    shape, _, _, _, _, _ = elastic_joint.strains(corners, old)
    grow = (ONE + k[0]) * convexity(HALF * HALF * vec3.dot(shape[4], shape[4]))
    j0, j1 = scaled(math.sqrt(rest[0] * grow), g[0]), scaled(math.sqrt(rest[17] * grow), g[1])
    j2 = scaled(math.sqrt(rest[1] * (ONE + k[0])), g[2])
    # Cholesky factor of 1 + J w J^T.
    l00 = math.sqrt(ONE + weighted(j0, j0, w))
    l10 = weighted(j1, j0, w) / l00
    l20 = weighted(j2, j0, w) / l00
    l11 = math.sqrt(max(ONE + weighted(j1, j1, w) - l10 * l10, ONE))
    l21 = (weighted(j2, j1, w) - l20 * l10) / l11
    l22 = math.sqrt(max(ONE + weighted(j2, j2, w) - l20 * l20 - l21 * l21, ONE))
    y0 = weighted(j0, r, w) / l00
    y1 = (weighted(j1, r, w) - l10 * y0) / l11
    y2 = (weighted(j2, r, w) - l20 * y0 - l21 * y1) / l22
    z2 = y2 / l22
    z1 = (y1 - l21 * z2) / l11
    z0 = (y0 - l10 * z1 - l20 * z2) / l00
    first = vec3.sub(vec3.add_scaled(vec3.combine(z0, j0[0], z1, j1[0]), z2, j2[0]), r[0])
    last = vec3.sub(vec3.add_scaled(vec3.combine(z0, j0[2], z1, j1[2]), z2, j2[2]), r[2])
    return _step(corners, w, rest, k, old, state, f, r, first, last, energy)
