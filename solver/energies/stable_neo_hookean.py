"""Stable neo-Hookean solid: soft tissue and rubber that survive any squeeze.

    psi = mu/2 (|F|^2 - 3) + (lam + mu)/2 (J - 1)^2 - mu (J - 1)  [J/m^3]

With lam + mu in front of the volume term its small-strain moduli are exactly Lame's. Source: Macklin and Muller 2021,
"A Constraint-based Formulation of Stable Neo-Hookean Materials", without the constant; the local solve has six
unknowns, the symmetric 3x3 matrix L of dx_a = c w_a F L g_a: Chaudhary, Pokhariya, Narain, "Towards Generalized
Position-Based Dynamics".
Damping is Kelvin-Voigt: mu tau/h |E - E_0|^2 + (lam + mu) tau/(2h) (J - J_0)^2, E the Green strain, _0 the substep's start.
"""

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import mat3, sym6, vec3

NAME = "stable_neo_hookean"
LABEL = "Stable Neo-Hookean"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.45, 0.0, 0.4999, False, "0 keeps the width, 0.5 would keep the volume exactly"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CORNERS = 4
REST = 10
CONSTANTS = 2
STATE = 9  # P, the force displacement per c w_a g_a, by rows
MEMORY = 7  # F^T F (six numbers) and J at the start of the substep

ZERO = f32(0)
HALF = f32(0.5)
FOUR = f32(4)
TINY = f32(1e-30)
ONE = f32(1)
TWO = f32(2)
#: Below this |J| the inverse of F is not used to turn P, up to twice this in part: it magnifies P by 1 / J, which threw
#: elements that an impact had flattened to a few hundredths far to the side.
FLAT = f32(0.2)
#: Share of C's trace added to C in the Hessian only. An element that lies flat on a floor has a singular C; where one corner
#: is much lighter than the others G is nearly singular too, and rounding alone threw that corner metres along the floor.
HOLD = f32(1e-3)
#: Share of G's trace that P weighs by itself: large against float32's rounding, small against all else.
DRIFT = f32(4e-6)
#: The damping's Hessian has twice the largest eigenvalue of C in it; this times the trace of C is 2.2 times that at rest,
#: and in the most lopsided stretch three quarters of it: a step is at most a third too long. No fixed point changes.
BOUND = f32(1.5)


def rest(x, elements, values, axes, fraction):
    """Shape gradients g1, g2, g3 [1/m] and c = volume * mu [J]: (n, 10). fraction: filled share of each element, (n,)."""
    edges = x[elements[:, 1:]] - x[elements[:, :1]]  # rows
    gradients = np.linalg.inv(edges).transpose(0, 2, 1)  # rows g1, g2, g3
    volume = np.linalg.det(edges) / 6
    return np.column_stack([gradients.reshape(-1, 9), volume * fraction * _lame(values)[0]])


def _lame(values):
    """mu and lambda [Pa]."""
    young, nu = values["young"], values["poisson"]
    return young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))


def constants(values, h):
    """(lam + mu) / mu, and the damping share tau / h: (2,)."""
    mu, lam = _lame(values)
    return np.array([(lam + mu) / mu, values["damping"] / h])


@element
def gradients_of(rest):
    """Shape gradients g1, g2, g3 as rows."""
    return (rest[0], rest[1], rest[2]), (rest[3], rest[4], rest[5]), (rest[6], rest[7], rest[8])


@element
def deformation(corners, g):
    """F, the deformation gradient."""
    x0, x1, x2, x3 = corners
    return mat3.add(
        mat3.add(mat3.outer(vec3.sub(x1, x0), g[0]), mat3.outer(vec3.sub(x2, x0), g[1])), mat3.outer(vec3.sub(x3, x0), g[2])
    )


@element
def volume_slopes(J, old, k):
    """First and second derivative of the volume terms over mu: elastic and viscous."""
    return k[0] * (J - ONE) - ONE + k[0] * k[1] * (J - old[6]), k[0] * (ONE + k[1])


@element
def project(corners, w, rest, k, old, state, reprojection):
    """One local solve (one Newton step): the moved corners and the new P.

    reprojection: share removed of the part of P that is not F times a symmetric matrix.
    """
    g = gradients_of(rest)
    c = rest[9]
    x0, x1, x2, x3 = corners
    P = ((state[0], state[1], state[2]), (state[3], state[4], state[5]), (state[6], state[7], state[8]))
    g0 = (-g[0][0] - g[1][0] - g[2][0], -g[0][1] - g[1][1] - g[2][1], -g[0][2] - g[1][2] - g[2][2])
    w0 = c * w[0]
    w1 = c * w[1]
    w2 = c * w[2]
    w3 = c * w[3]
    G = mat3.symmetric_add(
        mat3.symmetric_add(mat3.symmetric_outer(w0, g0), mat3.symmetric_outer(w1, g[0])),
        mat3.symmetric_add(mat3.symmetric_outer(w2, g[1]), mat3.symmetric_outer(w3, g[2])),
    )
    F = deformation(corners, g)
    # K = skew(F^-1 P) is a leftover of directions that have turned since; take reprojection * F K out of P.
    cof = mat3.cofactor(F)
    J = mat3.det(F)
    share = reprojection * min(max(abs(J) / FLAT - ONE, ZERO), ONE)
    r = HALF * share * J / max(J * J, FLAT * FLAT)
    T = mat3.transpose_times(cof, P)
    k01 = r * (T[0][1] - T[1][0])
    k02 = r * (T[0][2] - T[2][0])
    k12 = r * (T[1][2] - T[2][1])
    Q = (
        (F[0][1] * k01 + F[0][2] * k02, F[0][2] * k12 - F[0][0] * k01, -F[0][0] * k02 - F[0][1] * k12),
        (F[1][1] * k01 + F[1][2] * k02, F[1][2] * k12 - F[1][0] * k01, -F[1][0] * k02 - F[1][1] * k12),
        (F[2][1] * k01 + F[2][2] * k02, F[2][2] * k12 - F[2][0] * k01, -F[2][0] * k02 - F[2][1] * k12),
    )
    P = mat3.add(P, Q)
    F = mat3.add(F, mat3.times_symmetric(Q, G))
    # Newton step on 1/2 tr((P + F L) G (P + F L)^T) + psi(F (1 + L G)) / mu.
    C = mat3.gram(F)
    J = mat3.det(F)
    viscous = mat3.symmetric_scale(k[1], mat3.symmetric_sub(C, (old[0], old[1], old[2], old[3], old[4], old[5])))
    back = mat3.transpose_times(F, P)
    inner = mat3.add(mat3.add(back, mat3.full(C)), mat3.times(mat3.full(C), mat3.full(viscous)))
    # Where corners are pinned G has directions that move nothing; a little inertia of P itself keeps P from drifting there.
    drift = DRIFT * (G[0] + G[1] + G[2])
    b = mat3.symmetric_vector(mat3.add(mat3.times_symmetric(inner, G), mat3.scale(drift, back)))
    G2 = mat3.symmetric_square(G)
    trace = C[0] + C[1] + C[2]
    hold = HOLD * trace
    held = (C[0] + hold, C[1] + hold, C[2] + hold, C[3], C[4], C[5])
    # |sym(C L G)|^2 <= tr(C L G^2 L C) <= (largest eigenvalue of C) tr(L C L G^2): bounds of the damping's Hessian.
    square = ONE + k[1] * BOUND * trace
    inertia = (
        G[0] + drift + square * G2[0],
        G[1] + drift + square * G2[1],
        G[2] + drift + square * G2[2],
        G[3] + square * G2[3],
        G[4] + square * G2[4],
        G[5] + square * G2[5],
    )
    H = sym6.symmetric_kronecker(held, inertia)
    slope, curvature = volume_slopes(J, old, k)
    z = slope * J
    q = (G[0], G[1], G[2], TWO * G[3], TWO * G[4], TWO * G[5])
    # The second derivative of J, tr(LG)^2 - tr(LGLG), is weighed so that H stays positive: for z < 0 by what tr(LG)^2
    # has in the volume term, for z > 0 (tension, inversion) by the least eigenvalue of C, at least 4 det C / (tr C)^2.
    volume2 = J * J
    share = min(max(z, -curvature * volume2), FOUR * volume2 / (trace * trace + TINY))
    H = sym6.add_determinant_terms(H, curvature * volume2, q, share, mat3.symmetric_cofactor(G))
    L = sym6.solve(
        H,
        (
            -b[0] - z * q[0],
            -b[1] - z * q[1],
            -b[2] - z * q[2],
            -b[3] - z * q[3],
            -b[4] - z * q[4],
            -b[5] - z * q[5],
        ),
    )
    S = mat3.times_symmetric(F, L)
    P = mat3.add(P, S)
    S = mat3.add(S, Q)
    moved = (
        vec3.add_scaled(x0, w0, mat3.times_vector(S, g0)),
        vec3.add_scaled(x1, w1, mat3.times_vector(S, g[0])),
        vec3.add_scaled(x2, w2, mat3.times_vector(S, g[1])),
        vec3.add_scaled(x3, w3, mat3.times_vector(S, g[2])),
    )
    return moved, (P[0][0], P[0][1], P[0][2], P[1][0], P[1][1], P[1][2], P[2][0], P[2][1], P[2][2])


@element
def displacement(corners, rest, state):
    """c P g_a of the four corners."""
    g = gradients_of(rest)
    P = ((state[0], state[1], state[2]), (state[3], state[4], state[5]), (state[6], state[7], state[8]))
    return forces(mat3.scale(rest[9], P), g)


@element
def forces(S, g):
    """S g_a of the four corners."""
    d1 = mat3.times_vector(S, g[0])
    d2 = mat3.times_vector(S, g[1])
    d3 = mat3.times_vector(S, g[2])
    return vec3.scale(-ONE, vec3.add(vec3.add(d1, d2), d3)), d1, d2, d3


@element
def remembered(corners, rest):
    """F^T F and J."""
    F = deformation(corners, gradients_of(rest))
    C = mat3.gram(F)
    return C[0], C[1], C[2], C[3], C[4], C[5], mat3.det(F)


@element
def gradient(corners, rest, k, old):
    """Energy [J], 0 at rest, with the dissipation potential of the damping; its gradient at the corners [N]."""
    g = gradients_of(rest)
    c = rest[9]
    F = deformation(corners, g)
    C = mat3.gram(F)
    J = mat3.det(F)
    rate = mat3.symmetric_scale(HALF, mat3.symmetric_sub(C, (old[0], old[1], old[2], old[3], old[4], old[5])))
    slope, _ = volume_slopes(J, old, k)
    stress = mat3.add(
        mat3.add(F, mat3.scale(TWO * k[1], mat3.times_symmetric(F, rate))),
        mat3.scale(slope, mat3.cofactor(F)),
    )
    strain2 = C[0] + C[1] + C[2] - f32(3)
    loss = k[1] * (
        rate[0] * rate[0]
        + rate[1] * rate[1]
        + rate[2] * rate[2]
        + TWO * (rate[3] * rate[3] + rate[4] * rate[4] + rate[5] * rate[5])
    )
    grown = J - ONE
    moved = J - old[6]
    energy = c * (HALF * strain2 + HALF * k[0] * grown * grown - grown + loss + HALF * k[0] * k[1] * moved * moved)
    return energy, forces(mat3.scale(c, stress), g)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative of the energy times a displacement of the corners [N].

    exact: 1 for the true one; 0 leaves out what can be negative, the curvature of J and of the damping's strain.
    """
    g = gradients_of(rest)
    F = deformation(corners, g)
    D = deformation(directions, g)
    cof = mat3.cofactor(F)
    slope, curvature = volume_slopes(mat3.det(F), old, k)
    T = mat3.transpose_times(F, D)
    turn = mat3.symmetric_vector(T)  # F^T D + D^T F, its diagonal halved
    change = (TWO * turn[0], TWO * turn[1], TWO * turn[2], turn[3], turn[4], turn[5])
    C = mat3.gram(F)
    rate = mat3.symmetric_sub(C, (old[0], old[1], old[2], old[3], old[4], old[5]))
    grown = (
        cof[0][0] * D[0][0] + cof[0][1] * D[0][1] + cof[0][2] * D[0][2]
        + cof[1][0] * D[1][0] + cof[1][1] * D[1][1] + cof[1][2] * D[1][2]
        + cof[2][0] * D[2][0] + cof[2][1] * D[2][1] + cof[2][2] * D[2][2]
    )  # fmt: skip
    stress = mat3.add(mat3.add(D, mat3.scale(k[1], mat3.times_symmetric(F, change))), mat3.scale(curvature * grown, cof))
    stress = mat3.add(stress, mat3.scale(exact * k[1], mat3.times_symmetric(D, rate)))
    stress = mat3.add(stress, mat3.scale(exact * slope, mat3.cofactor_change(F, D)))
    return forces(mat3.scale(rest[9], stress), g)


@element
def one_gradient(rest, mine):
    """Shape gradient of one corner [1/m]; mine: 1 for this corner, 0 for the others."""
    g1, g2, g3 = gradients_of(rest)
    return vec3.add(vec3.combine(mine[1] - mine[0], g1, mine[2] - mine[0], g2), vec3.scale(mine[3] - mine[0], g3))


@element
def undamped_block(corners, rest, k, old, mine):
    """`block` where the damping is 0."""
    c = rest[9]
    F = deformation(corners, gradients_of(rest))
    g = one_gradient(rest, mine)
    cof = mat3.cofactor(F)
    v = mat3.times_vector(cof, g)
    J = F[0][0] * cof[0][0] + F[0][1] * cof[0][1] + F[0][2] * cof[0][2]
    force = vec3.combine(c, mat3.times_vector(F, g), c * (k[0] * (J - ONE) - ONE), v)
    round_ = c * vec3.dot(g, g)
    return force, mat3.symmetric_add(mat3.symmetric_outer(c * k[0], v), (round_, round_, round_, ZERO, ZERO, ZERO))


@element
def block(corners, rest, k, old, mine):
    """The gradient at one corner [N] and its own 3x3 block [N/m]. J is linear in one corner, so the true block is positive.

    mine: 1 for the corner, 0 for the others.
    """
    c = rest[9]
    F = deformation(corners, gradients_of(rest))
    g = one_gradient(rest, mine)
    u = mat3.times_vector(F, g)
    v = mat3.times_vector(mat3.cofactor(F), g)
    slope, curvature = volume_slopes(mat3.det(F), old, k)
    before = mat3.times_vector(mat3.full((old[0], old[1], old[2], old[3], old[4], old[5])), g)
    rate = vec3.sub(mat3.times_vector(mat3.transposed(F), u), before)  # (C - C_0) g
    force = vec3.combine(c, vec3.add_scaled(u, k[1], mat3.times_vector(F, rate)), c * slope, v)
    square = vec3.dot(g, g)
    round_ = c * (square + k[1] * max(vec3.dot(g, rate), ZERO))
    left = mat3.gram(mat3.transposed(F))  # F F^T
    return force, mat3.symmetric_add(
        mat3.symmetric_add(mat3.symmetric_outer(c * curvature, v), mat3.symmetric_outer(c * k[1], u)),
        mat3.symmetric_add(mat3.symmetric_scale(c * k[1] * square, left), (round_, round_, round_, ZERO, ZERO, ZERO)),
    )
