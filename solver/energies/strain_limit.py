"""Strain limit: a triangle whose principal stretches do not exceed a limit, softly or exactly.

    psi = sum_i max(0, sigma_i - 1 - limit)^2 / (2 alpha)  [N/m],  sigma_i the singular values of F, alpha [m/N]

It is the stiff end of a fabric's stress-strain curve; below the limit the membrane beside it acts alone.
The local solve has three unknowns, the symmetric part of the triangle's force in the principal directions, and never divides
by alpha; either stretch may end slack.
Source: Wang, O'Brien, Ramamoorthi 2010, "Multi-resolution isotropic strain limiting", for limits on singular values; here as
an energy with a compliance.
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..elements import triangle
from ..elements.excess import RECOVERY_RATE, let_through
from ..elements.triangle import deformation, metric
from ..mathlib import sym3, vec3

NAME = "strain_limit"
LABEL = "Stretch Limit"
ELEMENT = "triangle"
LIMIT = 30
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "limit": ("Limit", "", 0.05, 0.0, 10.0, False, "Extension from which it acts, over the length; in every direction"),
    "compliance": ("Compliance", "m/N", 1e-5, 0.0, 1.0, False, "Further extension per tension; 0 is rigid"),
}
CORNERS = 4
REST = 7
CONSTANTS = 3
STATE = 6  # P, the force displacement per A w_a g_a [N/m]: two columns of three
START_STRAINS = 2  # excess of both stretches at substep start: the limit acts beyond `limit` plus that
CONSTRAINTS = 2
ONE_SIDED = True

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
FOUR = f32(4)
HALF = f32(0.5)
TINY = f32(1e-30)
#: Least compliance, as a share of the mobility of the triangle's strain, if some strain is nearly immobile: a limit made
#: infeasible by pinned corners would accumulate force, whose rounding moved light corners by thousands of edges.
LEAST = f32(1e-2)
#: Strains are nearly immobile if 4 det G / (tr G)^2 is below this; it is 0.75 in a free right triangle of equal masses.
STUCK = f32(0.1)
#: Greatest compliance of the shear over G's trace: softer makes no difference, and hides the other pivots of the solve.
SOFTEST = f32(1e3)
#: Stretch below the limit in which the global step's stiffness grows to that beyond [1]: well above the error of rounded
#: positions and few iterations, so that a taut sheet stays taut; small, because slack elements feel it too.
BAND = f32(1e-4)
#: Least compliance in the global step [m/N]: 0.1 points of stretch at 100 N/m. With a tenth of it few iterations dissipate a
#: tenth of the energy of a swinging sheet, with none nearly all. For a sheet pushed by rigid bodies it is SOLVED_PUSHED
#: [m/(N s^2)] times the square of the substep: the contact forces that stop a ball of 2 kg are tens of kN/m, which extend
#: the softer limit by 5 to 8 points. Beside much larger stiffnesses the inertia of the vertices, M / h^2, is lost in single
#: precision: at a tenth of it vertices are ejected at the ball, at a third it gains energy.
SOLVED, SOLVED_PUSHED = f32(1e-5), f32(0.0173)
#: Half the difference of the squared stretches below which they count as equal.
EQUAL = f32(1e-6)
#: Shear below which there is none: the square of less has no reciprocal root in single precision.
NO_SHEAR = f32(1e-15)
#: Compliance of a hard limit in functions that need a force as a function of the positions [m/N].
HARDEST = f32(1e-9)


def solved_constants(constants, is_pushed):
    """The constants with which the global step solves, see SOLVED. is_pushed: whether rigid bodies push the sheet."""
    h = constants[2] / RECOVERY_RATE
    return np.array([max(constants[0], SOLVED_PUSHED * h * h if is_pushed else SOLVED), *constants[1:]])


def rest(x, elements, values, axes, fraction):
    """Shape gradients [1/m] and area [m^2]: (n, 7). fraction: share of the area of each triangle, (n,)."""
    return triangle.shape(x, elements, axes, np.asarray(fraction, float))


def constants(values, h):
    """alpha [m/N], the greatest principal stretch, and the excess that a substep takes back: (3,)."""
    return np.array([values["compliance"], 1 + values["limit"], RECOVERY_RATE * h])


@element
def _principal(corners, g):
    """Both singular values of F, largest first, the direction v of the first in the rest shape, and both in space.

    The second direction in the rest shape is (-v1, v0).
    """
    f0, f1 = deformation(corners, g)
    c = metric(f0, f1)
    _, _, v = sym3.eigen((c[0], c[1], c[2] if abs(c[2]) > NO_SHEAR else ZERO))
    a = vec3.combine(v[0], f0, v[1], f1)
    b = vec3.combine(-v[1], f0, v[0], f1)
    s1 = math.sqrt(vec3.dot(a, a) + TINY)
    s2 = math.sqrt(vec3.dot(b, b) + TINY)  # not the eigenvalue's root, which rounding makes of nothing where it is small
    return s1, s2, v, vec3.scale(ONE / s1, a), vec3.scale(ONE / s2, b)


@element
def _columns(a, b, v):
    """The two columns of a v1^T + b v2^T, for v1 = v and v2 at right angles to it."""
    return vec3.combine(v[0], a, -v[1], b), vec3.combine(v[1], a, v[0], b)


@element
def _solve(s1, s2, N, G11, G22, G12, k):
    """Return the new symmetric part of P in the principal directions (11, 22, 12). N: the old one. s1, s2: principal
    stretches, less the excess at substep start.

    (alpha + B) f = -(excess - B N), with B f the change of the strain by f, and f = 0 along a stretch that stays slack.
    """
    both = G11 + G22
    even = FOUR * (G11 * G22 - G12 * G12) / (both * both + TINY)
    alpha = max(k[0], LEAST * both * max(ONE - even / STUCK, ZERO) + TINY)
    e1 = s1 - k[1] - N[0] * G11 - N[2] * G12
    e2 = s2 - k[1] - N[1] * G22 - N[2] * G12
    e3 = -(N[0] + N[1]) * G12 - N[2] * both
    on1 = ONE if e1 > ZERO else ZERO
    on2 = ONE if e2 > ZERO else ZERO
    # Shear turns the principal directions: that two unequal tensions resist, and two limits at once as themselves.
    single = TWO * abs(s1 - s2) * (alpha + max(G11, G22)) / (on1 * e1 + on2 * e2 + TINY)
    compliance = TWO * alpha if on1 * on2 > ZERO else min(single, SOFTEST * both)
    any_on = max(on1, on2)
    H = (alpha + G11, ZERO, on1 * G12, alpha + G22, on2 * G12, compliance + both + TINY)
    f = sym3.solve(H, (-on1 * e1, -on2 * e2, -any_on * e3))
    return on1 * min(f[0], ZERO), on2 * min(f[1], ZERO), any_on * f[2]


@element
def project(corners, w, g, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at the corners, and the new columns of P. g: `rest`."""
    p0 = (state[0], state[1], state[2])
    p1 = (state[3], state[4], state[5])
    G = triangle.mobility(w, g)
    s1, s2, v, u1, u2 = _principal(corners, g)
    G11 = v[0] * v[0] * G[0] + v[1] * v[1] * G[1] + TWO * v[0] * v[1] * G[2]
    G12 = v[0] * v[1] * (G[1] - G[0]) + (v[0] * v[0] - v[1] * v[1]) * G[2]
    a = vec3.combine(v[0], p0, v[1], p1)
    b = vec3.combine(-v[1], p0, v[0], p1)
    N = (vec3.dot(u1, a), vec3.dot(u2, b), HALF * (vec3.dot(u1, b) + vec3.dot(u2, a)))
    d = vec3.sub(_solve(s1 - old[0], s2 - old[1], N, G11, G[0] + G[1] - G11, G12, k), N)
    c0, c1 = _columns(vec3.combine(d[0], u1, d[2], u2), vec3.combine(d[2], u1, d[1], u2), v)
    return triangle.scaled_forces(c0, c1, g), vec3.add(p0, c0) + vec3.add(p1, c1)


displacement = triangle.displacement


@element
def excess_at_start(corners, g, k, old, state):
    """Return the excess of both principal stretches at substep start."""
    s1, s2, v, u1, u2 = _principal(corners, g)
    p0 = (state[0], state[1], state[2])
    p1 = (state[3], state[4], state[5])
    tension1 = -vec3.dot(u1, vec3.combine(v[0], p0, v[1], p1))
    tension2 = -vec3.dot(u2, vec3.combine(-v[1], p0, v[0], p1))
    first = let_through(s1 - k[1], k[0] * max(tension1, ZERO), k[2])
    return first, let_through(s2 - k[1], k[0] * max(tension2, ZERO), k[2])


@element
def _tension(stretch, k):
    """Force [N/m] of a principal stretch, and its derivative."""
    stiffness = ONE / max(k[0], HARDEST)
    return stiffness * max(stretch - k[1], ZERO), stiffness if stretch > k[1] else ZERO


@element
def gradient(corners, g, k, old):
    """Energy [J] and its gradient at the corners [N]. g: `rest`."""
    s1, s2, v, u1, u2 = _principal(corners, g)
    t1, _ = _tension(s1 - old[0], k)
    t2, _ = _tension(s2 - old[1], k)
    c = g[4]
    a, b = _columns(vec3.scale(c * t1, u1), vec3.scale(c * t2, u2), v)
    return HALF * c * max(k[0], HARDEST) * (t1 * t1 + t2 * t2), triangle.forces(a, b, g)


@element
def hessian_times(corners, g, k, old, directions, exact):
    """Second derivative times directions [N]. It is never negative, because both tensions pull."""
    s1, s2, v, u1, u2 = _principal(corners, g)
    t1, slope1 = _tension(s1 - old[0], k)
    t2, slope2 = _tension(s2 - old[1], k)
    d0, d1 = deformation(directions, g)
    a1 = vec3.combine(v[0], d0, v[1], d1)
    a2 = vec3.combine(-v[1], d0, v[0], d1)
    a11 = vec3.dot(u1, a1)
    a21 = vec3.dot(u2, a1)
    a12 = vec3.dot(u1, a2)
    a22 = vec3.dot(u2, a2)
    # Principal directions turn within the sheet by two modes, and each turns out of it.
    stretch = slope2 if t2 > ZERO else t1 / max(s1 - s2, TINY)  # a sum may be reordered, to 0 / 0 at rest
    even = HALF * stretch * (a12 + a21)
    odd = HALF * (t1 + t2) / (s1 + s2) * (a12 - a21)
    c = g[4]
    out1 = t1 / s1
    out2 = t2 / s2
    b1 = vec3.add_scaled(vec3.combine(slope1 * a11 - out1 * a11, u1, even - odd - out1 * a21, u2), out1, a1)
    b2 = vec3.add_scaled(vec3.combine(even + odd - out2 * a12, u1, slope2 * a22 - out2 * a22, u2), out2, a2)
    p0, p1 = _columns(vec3.scale(c, b1), vec3.scale(c, b2), v)
    return triangle.forces(p0, p1, g)


@element
def linearise(strain, rest, k, old):
    """Return the stress, a positive derivative by the strain that bounds the true one (00, 01, 02, 11, 12, 22), and psi.

    The derivative grows in a BAND below the limit to its value beyond; without that, taut elements alternate between slack
    and taut. Stress and psi are the limit's own.
    """
    k = (max(k[0], HARDEST), k[1])
    c0 = ONE + TWO * strain[0]
    c1 = ONE + TWO * strain[1]
    half = HALF * (c0 - c1)
    radius = math.sqrt(half * half + strain[2] * strain[2])
    large = HALF * (c0 + c1) + radius
    small = max(HALF * (c0 + c1) - radius, TINY)
    s1 = math.sqrt(large)
    s2 = math.sqrt(small)
    e1 = s1 - old[0]
    e2 = s2 - old[1]
    t1, _ = _tension(e1, k)
    t2, _ = _tension(e2, k)
    S1 = t1 / s1
    S2 = t2 / s2
    taut1 = min(max(ONE + (e1 - k[1]) / BAND, ZERO), ONE)
    taut2 = min(max(ONE + (e2 - k[1]) / BAND, ZERO), ONE)
    d1 = taut1 * (k[1] + old[0]) / (k[0] * s1 * large)
    d2 = taut2 * (k[1] + old[1]) / (k[0] * s2 * small)
    # Shear turns the principal directions: (S1 - S2) / (E1 - E2), of two equal stretches their own derivative.
    single = min(max(S1 - S2, ZERO) / max(radius, TINY), ONE / k[0])
    shear = TWO * (single + taut2 * max(min(d1, d2) - single, ZERO)) if t2 <= ZERO or radius < EQUAL else TWO * single
    # The first direction's numbers: their squares, product, and half the difference of the squares.
    turn = half / radius if radius > NO_SHEAR else ONE
    xx = HALF + HALF * turn
    yy = HALF - HALF * turn
    xy = HALF * (strain[2] / radius if radius > NO_SHEAR else ZERO)
    along = HALF * turn
    D = (
        d1 * xx * xx + d2 * yy * yy + shear * xy * xy,
        (d1 + d2) * xx * yy - shear * xy * xy,
        (d1 * xx - d2 * yy - shear * along) * xy,
        d1 * yy * yy + d2 * xx * xx + shear * xy * xy,
        (d1 * yy - d2 * xx + shear * along) * xy,
        (d1 + d2) * xy * xy + shear * along * along,
    )
    energy = HALF * k[0] * (t1 * t1 + t2 * t2)
    return (S1 * xx + S2 * yy, S1 * yy + S2 * xx, (S1 - S2) * xy), D, energy


@element
def constraints(corners, g, k, old):
    """Return the excess of both principal stretches over the limit (signed), their stiffnesses [J] and gradients [1/m]."""
    s1, s2, v, u1, u2 = _principal(corners, g)
    stiffness = g[4] / max(k[0], HARDEST)
    zero = vec3.sub(u1, u1)
    a0, a1 = _columns(u1, zero, v)
    b0, b1 = _columns(zero, u2, v)
    return (
        (s1 - old[0] - k[1], s2 - old[1] - k[1]),
        (stiffness, stiffness),
        (triangle.forces(a0, a1, g), triangle.forces(b0, b1, g)),
    )
