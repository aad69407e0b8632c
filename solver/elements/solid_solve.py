"""The local solve of an isotropic solid: generalized position-based dynamics of one tetrahedron.

The corners move by dx_a = c w_a F L g_a with a symmetric 3x3 matrix L: six unknowns, one Newton step. An element's own
displacement is stored as the 3x3 matrix P, the sum of F L. Source: Chaudhary, Pokhariya, Narain, "Towards Generalized
Position-Based Dynamics"; the form in L, and the removal from P of the part no longer along the force, are ours.
"""

from ..device.cpu import element, f32
from ..device.epsilon import epsilon
from ..device.per_energy import GIVEN, per_energy
from ..mathlib import mat3, sym6
from .tetrahedron import deformation, forces, gradients_of, strain_change

SQUARE = SURE = GIVEN
volume = shape = add_shape_hessian = inversion_recovery = step_length = GIVEN

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
FOUR = f32(4)
TINY = f32(1e-30)
#: Below this |J| the inverse of F does not turn P, up to twice this partly: it magnifies P by 1 / J, which displaced
#: elements flattened to a few hundredths by an impact far to the side.
FLAT = f32(0.2)
#: Square of the condition |F| |F^-1|, 3 at rest, above which P is turned less: for F long in one direction and flat in
#: another, turning would add hundreds of P's own size.
LOPSIDED = f32(1 / 300)
#: Share of C's trace added to C in the Hessian only. An element flat on a floor has a singular C; if one corner is much
#: lighter than the others G is nearly singular too, and rounding alone moved that corner metres along the floor.
HOLD = f32(1e-3)
#: Share of G's trace that P weighs by itself, in roundings of the type: large against these, small against all else.
DRIFT = f32(33.554432)
#: The damping's Hessian has twice the largest eigenvalue of C in it; this times the trace of C is 2.2 times that at rest,
#: and in the most lopsided stretch three quarters of it: a step is at most a third too long. No fixed point changes.
BOUND = f32(1.5)


@element
def mobility(scaled, g0, g):
    """G = sum_a c w_a g_a g_a^T: F moves by X G when the corners move by c w_a X g_a. scaled: c w_a."""
    return mat3.symmetric_add(
        mat3.symmetric_add(mat3.symmetric_outer(scaled[0], g0), mat3.symmetric_outer(scaled[1], g[0])),
        mat3.symmetric_add(mat3.symmetric_outer(scaled[2], g[1]), mat3.symmetric_outer(scaled[3], g[2])),
    )


@element
def first_gradient(g):
    """g_0: the shape gradients add up to zero."""
    return (-g[0][0] - g[1][0] - g[2][0], -g[0][1] - g[1][1] - g[2][1], -g[0][2] - g[1][2] - g[2][2])


@element
def reprojected(F, P, reprojection):
    """F K with K = -reprojection * skew(F^-1 P): takes a leftover of directions that have turned since out of P."""
    J = mat3.det(F)
    share = reprojection * min(max(abs(J) / FLAT - ONE, ZERO), ONE)
    cof = mat3.cofactor(F)
    r = HALF * share * J / max(max(J * J, FLAT * FLAT), LOPSIDED * mat3.dot(F, F) * mat3.dot(cof, cof))
    T = mat3.transpose_times(cof, P)
    k01 = r * (T[0][1] - T[1][0])
    k02 = r * (T[0][2] - T[2][0])
    k12 = r * (T[1][2] - T[2][1])
    return (
        (F[0][1] * k01 + F[0][2] * k02, F[0][2] * k12 - F[0][0] * k01, -F[0][0] * k02 - F[0][1] * k12),
        (F[1][1] * k01 + F[1][2] * k02, F[1][2] * k12 - F[1][0] * k01, -F[1][0] * k02 - F[1][1] * k12),
        (F[2][1] * k01 + F[2][2] * k02, F[2][2] * k12 - F[2][0] * k01, -F[2][0] * k02 - F[2][1] * k12),
    )


@per_energy(element)
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally (one Newton step). Returns the change of the force at the corners, and the new P.

    reprojection: share removed of the part of P that is not F times a symmetric matrix.
    """
    g = gradients_of(rest)
    g0 = first_gradient(g)
    c = rest[9]
    scaled = (c * w[0], c * w[1], c * w[2], c * w[3])
    G = mobility(scaled, g0, g)
    F = deformation(corners, g)
    P = ((state[0], state[1], state[2]), (state[3], state[4], state[5]), (state[6], state[7], state[8]))
    Q = reprojected(F, P, reprojection)
    P = mat3.add(P, Q)
    Q = mat3.add(Q, inversion_recovery(F, G))
    F = mat3.add(F, mat3.times_symmetric(Q, G))
    # Newton step on 1/2 tr((P + F L) G (P + F L)^T) + psi(F (1 + L G)) / mu.
    C = mat3.gram(F)
    J = mat3.det(F)
    _, stress = shape(F, C, k)
    change = mat3.symmetric_scale(k[1], strain_change(C, old))
    back = mat3.transpose_times(F, P)
    inner = mat3.add(mat3.add(back, mat3.transpose_times(F, stress)), mat3.times(mat3.full(C), mat3.full(change)))
    # Where corners are pinned G has directions that move nothing; a little inertia of P itself keeps P from drifting there.
    drift = DRIFT * epsilon(G[0]) * (G[0] + G[1] + G[2])
    b = mat3.symmetric_vector(mat3.add(mat3.times_symmetric(inner, G), mat3.scale(drift, back)))
    G2 = mat3.symmetric_square(G)
    trace = C[0] + C[1] + C[2]
    hold = HOLD * trace
    held = (C[0] + hold, C[1] + hold, C[2] + hold, C[3], C[4], C[5])
    # |sym(C L G)|^2 <= tr(C L G^2 L C) <= (largest eigenvalue of C) tr(L C L G^2): bounds of the damping's Hessian.
    square = SQUARE + k[1] * BOUND * trace
    inertia = (
        G[0] + drift + square * G2[0],
        G[1] + drift + square * G2[1],
        G[2] + drift + square * G2[2],
        G[3] + square * G2[3],
        G[4] + square * G2[4],
        G[5] + square * G2[5],
    )
    quadratic = add_shape_hessian(sym6.symmetric_kronecker(held, inertia), F, C, G, k)
    _, slope, curvature = volume(J, k)
    viscous = k[0] * k[1]
    curvature = max(curvature, ZERO) + viscous
    z = (slope + viscous * (J - old[6])) * J
    q = (G[0], G[1], G[2], TWO * G[3], TWO * G[4], TWO * G[5])
    # The second derivative of J, tr(LG)^2 - tr(LGLG), is weighted so that H stays positive: for z < 0 by the part of
    # tr(LG)^2 in the volume term, for z > 0 (tension, inversion) by the least eigenvalue of C, at least 4 det C / (tr C)^2.
    volume2 = J * J
    share = min(max(z, -curvature * volume2), SURE * FOUR * volume2 / (trace * trace + TINY))
    cofactor = mat3.symmetric_cofactor(G)
    L = sym6.solve(
        sym6.add_determinant_terms(quadratic, curvature * volume2, q, share, cofactor),
        (
            -b[0] - z * q[0],
            -b[1] - z * q[1],
            -b[2] - z * q[2],
            -b[3] - z * q[3],
            -b[4] - z * q[4],
            -b[5] - z * q[5],
        ),
    )
    along = (
        sym6.dot(q, L),
        mat3.symmetric_dot(mat3.symmetric_cofactor(L), cofactor),
        mat3.symmetric_det(L) * mat3.symmetric_det(G),
    )
    # L solves (quadratic + curvature J^2 q q^T + share X) L = -b - z q, and L X L is twice the cubic's second coefficient.
    fall = sym6.dot(b, L)
    rise = -fall - z * along[0] - curvature * volume2 * along[0] * along[0] - TWO * share * along[1]
    length = step_length(J, k, viscous, old[6], along, fall, max(rise, ZERO))
    S = mat3.scale(length, mat3.times_symmetric(F, L))
    P = mat3.add(P, S)
    state = (P[0][0], P[0][1], P[0][2], P[1][0], P[1][1], P[1][2], P[2][0], P[2][1], P[2][2])
    return forces(mat3.scale(c, mat3.add(S, Q)), g), state
