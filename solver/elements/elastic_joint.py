"""Bending and twist of a rope at a joint, with Rayleigh damping: shared functions of its energies.

    U = 1/2 K |kb - P r|^2 + 1/2 T m^2  [J]

`energies/elastic_rod.py` defines the symbols. Constants of a material begin with the damping share tau / h. The local solve
is Gauss-Newton's for the four constraints, with the force of each corner as state.
Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008, "Discrete elastic rods", sections 4 and 7.
"""

import math
import sys

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3
from . import joint_line_search, rod
from .joint_line_search import weighted

CORNERS = 3
REST = 17  # K, T, then the unit vectors and frames of both segments at rest, and the curvature there
CONSTANTS = 1
STATE = 6  # force at the first and at the last corner [N]
#: Unit vector and frame of both segments at the start, the elastic twist, the rest curvature in space, the curvature, and
#: the twist that damping compares with.
START_STRAINS = 20
CONSTRAINTS = 4

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
FOUR = f32(4)
THREE = f32(3)
TINY = f32(1e-30)


def rest(x, elements, values, axes, fraction):
    """Stiffness of bending and twist [J] of each joint, its frames and its curvature: (n, 17).

    x: rest positions [m], (n_vertices, 3). axes: a vector across the first segment, and 1 in the first number of the second
    one where the rest shape keeps its curvature, (n, 2, 3). fraction: second moment of area I over the share of both
    segments that bends [m^4], (n,).
    """
    e0, e1 = x[elements[:, 1]] - x[elements[:, 0]], x[elements[:, 2]] - x[elements[:, 1]]
    l0, l1 = (np.maximum(np.linalg.norm(e, axis=1), 1e-12)[:, None] for e in (e0, e1))
    t0, t1, length = e0 / l0, e1 / l1, 0.5 * (l0 + l1)[:, 0]
    facing = np.maximum(1.0 + (t0 * t1).sum(1), 1e-3)[:, None]
    across = axes[:, 0] - (axes[:, 0] * t0).sum(1)[:, None] * t0
    across /= np.maximum(np.linalg.norm(across, axis=1), 1e-12)[:, None]
    next_across = across - (across * t1).sum(1)[:, None] / facing * (t0 + t1)
    kept = axes[:, 1, :1]
    moment = np.asarray(fraction) / length
    stiffness = values["bending"] * moment, 2.0 * values["twist"] * moment
    return np.column_stack([*stiffness, t0, across, t1, next_across, kept * 2.0 * np.cross(t0, t1) / facing])


def constants(values, h):
    """The damping share tau / h: (1,)."""
    return np.array([values["damping"] / h])


def bending_matrix(x, elements, rest):
    """The second derivative of a straight rod for motion across it [N/m]: (n, 3, 3). rest: as returned by `rest`."""
    i0, i1 = (1.0 / np.maximum(np.linalg.norm(x[elements[:, a + 1]] - x[elements[:, a]], axis=1), 1e-12) for a in range(2))
    k = np.column_stack([i0, -i0 - i1, i1])
    return rest[:, 0, None, None] * k[:, :, None] * k[:, None, :]


@element
def strain_at_start(corners, rest):
    """The frames at rest, which `model/rod_frames.py` replaces by those of the state, and the strains that damping compares
    with."""
    t0, t1, _, _ = rod.segments(corners)
    a0 = (rest[2], rest[3], rest[4])
    m0 = (rest[5], rest[6], rest[7])
    a1 = (rest[8], rest[9], rest[10])
    m1 = (rest[11], rest[12], rest[13])
    kb = rod.transport(t0, a0, rod.curvature(t0, t1))
    twist = FOUR * rod.quarter_twist(t0, t1, a0, m0, a1, m1)
    return (*a0, *m0, *a1, *m1, ZERO, rest[14], rest[15], rest[16], *kb, twist)


@element
def strains(corners, old):
    """The joint's geometry, its curvature beyond that at rest, the change of it in the substep, its twist, that's change,
    and slopes by t0 and t1 of the twist."""
    t0, t1, i0, i1 = rod.segments(corners)
    a0 = (old[0], old[1], old[2])
    a1 = (old[6], old[7], old[8])
    kb = rod.curvature(t0, t1)
    bend = vec3.sub(kb, rod.transport(a0, t0, (old[13], old[14], old[15])))
    bend_rate = vec3.sub(kb, rod.transport(a0, t0, (old[16], old[17], old[18])))
    y = rod.quarter_twist(t0, t1, a0, (old[3], old[4], old[5]), a1, (old[9], old[10], old[11]))
    twist = old[12] + FOUR * y
    s0, s1 = rod.twist_slopes(t0, t1, kb, a0, a1)
    slopes = vec3.scale(ONE + y * y, s0), vec3.scale(ONE + y * y, s1)
    return (t0, t1, i0, i1, kb), bend, bend_rate, twist, twist - old[19], slopes


@element
def _bend_slopes(shape, c, r, old):
    """Gradients by t0 and t1 of c (kb - P r)."""
    t0, t1, _, _, kb = shape
    s0, s1 = rod.curvature_slopes(t0, t1, kb, c)
    return vec3.sub(s0, rod.transport_slope((old[0], old[1], old[2]), t0, r, c)), s1


@element
def gradient(corners, rest, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the three corners [N]."""
    shape, bend, bend_rate, twist, twist_rate, slopes = strains(corners, old)
    t0, t1, i0, i1, _ = shape
    energy = HALF * rest[0] * (vec3.dot(bend, bend) + k[0] * vec3.dot(bend_rate, bend_rate))
    energy += HALF * rest[1] * (twist * twist + k[0] * twist_rate * twist_rate)
    s0, s1 = _bend_slopes(shape, vec3.scale(rest[0], bend), (old[13], old[14], old[15]), old)
    d0, d1 = _bend_slopes(shape, vec3.scale(rest[0] * k[0], bend_rate), (old[16], old[17], old[18]), old)
    torque = rest[1] * (twist + k[0] * twist_rate)
    s0 = vec3.add_scaled(vec3.add(s0, d0), torque, slopes[0])
    s1 = vec3.add_scaled(vec3.add(s1, d1), torque, slopes[1])
    return energy, rod.at_corners(s0, s1, t0, t1, i0, i1)


@element
def constraints(corners, rest, k, old):
    """Three components of the curvature and the twist, their stiffnesses [J] and gradients [1/m]."""
    shape, bend, _, twist, _, slopes = strains(corners, old)
    t0, t1, i0, i1, _ = shape
    r = (old[13], old[14], old[15])
    x0, x1 = _bend_slopes(shape, (ONE, ZERO, ZERO), r, old)
    y0, y1 = _bend_slopes(shape, (ZERO, ONE, ZERO), r, old)
    z0, z1 = _bend_slopes(shape, (ZERO, ZERO, ONE), r, old)
    gradients = (
        rod.at_corners(x0, x1, t0, t1, i0, i1),
        rod.at_corners(y0, y1, t0, t1, i0, i1),
        rod.at_corners(z0, z1, t0, t1, i0, i1),
        rod.at_corners(slopes[0], slopes[1], t0, t1, i0, i1),
    )
    return (bend[0], bend[1], bend[2], twist), (rest[0], rest[0], rest[0], rest[1]), gradients


@element
def displacement(corners, rest, state):
    first, last = (state[0], state[1], state[2]), (state[3], state[4], state[5])
    return first, vec3.scale(-ONE, vec3.add(first, last)), last


@element
def equilibrium_state(corners, rest, k, old):
    """Return the state whose displacement is that of the element's own force."""
    _, slopes = gradient(corners, rest, k, old)
    a, c = slopes[0], slopes[2]
    return -a[0], -a[1], -a[2], -c[0], -c[1], -c[2]


@element
def scaled(s, gradients):
    return vec3.scale(s, gradients[0]), vec3.scale(s, gradients[1]), vec3.scale(s, gradients[2])


@element
def convexity(q):
    """Second derivative of tan(angle / 2)^2 over Gauss-Newton's. q: tan(angle / 2)^2."""
    return (ONE + THREE * q) / (ONE + q)


THIS = sys.modules[__name__]
_potential_after = joint_line_search.potential(THIS)
_step = joint_line_search.step(THIS)


@element
def project(corners, w, rest, k, old, state, reprojection):
    """One Gauss-Newton step of the local problem: the change of the forces f that leaves f + gradient(x + w df) = 0 in the
    linear model, df = -(r - J^T z), (1 + J w J^T) z = J w r, with J the constraints' gradients times the root of their
    stiffness. Its share is the minimum of a parabola through the energy at both ends, a small part of that, or none,
    whichever is the first that does not raise it."""
    energy, slopes = gradient(corners, rest, k, old)
    f = displacement(corners, rest, state)
    r = vec3.add(f[0], slopes[0]), vec3.add(f[1], slopes[1]), vec3.add(f[2], slopes[2])
    _, _, g = constraints(corners, rest, k, old)
    shape, _, _, _, _, _ = strains(corners, old)
    q = HALF * HALF * vec3.dot(shape[4], shape[4])
    bend = math.sqrt(rest[0] * (ONE + k[0]) * convexity(q))
    twist = math.sqrt(rest[1] * (ONE + k[0]))
    j0, j1, j2, j3 = scaled(bend, g[0]), scaled(bend, g[1]), scaled(bend, g[2]), scaled(twist, g[3])
    # Cholesky factor of 1 + J w J^T.
    l00 = math.sqrt(ONE + weighted(j0, j0, w))
    l10 = weighted(j1, j0, w) / l00
    l20 = weighted(j2, j0, w) / l00
    l30 = weighted(j3, j0, w) / l00
    l11 = math.sqrt(max(ONE + weighted(j1, j1, w) - l10 * l10, ONE))
    l21 = (weighted(j2, j1, w) - l20 * l10) / l11
    l31 = (weighted(j3, j1, w) - l30 * l10) / l11
    l22 = math.sqrt(max(ONE + weighted(j2, j2, w) - l20 * l20 - l21 * l21, ONE))
    l32 = (weighted(j3, j2, w) - l30 * l20 - l31 * l21) / l22
    l33 = math.sqrt(max(ONE + weighted(j3, j3, w) - l30 * l30 - l31 * l31 - l32 * l32, ONE))
    y0 = weighted(j0, r, w) / l00
    y1 = (weighted(j1, r, w) - l10 * y0) / l11
    y2 = (weighted(j2, r, w) - l20 * y0 - l21 * y1) / l22
    y3 = (weighted(j3, r, w) - l30 * y0 - l31 * y1 - l32 * y2) / l33
    z3 = y3 / l33
    z2 = (y2 - l32 * z3) / l22
    z1 = (y1 - l21 * z2 - l31 * z3) / l11
    z0 = (y0 - l10 * z1 - l20 * z2 - l30 * z3) / l00
    first = vec3.sub(vec3.add(vec3.combine(z0, j0[0], z1, j1[0]), vec3.combine(z2, j2[0], z3, j3[0])), r[0])
    last = vec3.sub(vec3.add(vec3.combine(z0, j0[2], z1, j1[2]), vec3.combine(z2, j2[2], z3, j3[2])), r[2])
    return _step(corners, w, rest, k, old, state, f, r, first, last, energy)
