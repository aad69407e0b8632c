"""Isotropic solids of linear tetrahedra: psi = mu (shape(F) + volume(J)) [J/m^3], with Kelvin-Voigt damping.

`elements/__init__.py` lists the hooks that an energy gives. Damping: mu tau/h |E - E_0|^2 + K tau/(2h) (J - J_0)^2, where E
is the Green strain, _0 the substep's start, and K = k[0] mu the stiffness of the volume: for K = lambda, stress
times tau at small strain.
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..device.per_energy import GIVEN, per_energy
from ..mathlib import mat3, vec3

CORNERS = 4
REST = 10
CONSTANTS = 2
STATE = 9  # P, the force displacement per c w_a g_a, by rows
START_STRAINS = 7  # F^T F (six numbers) and J at the start of the substep

SURE = GIVEN
volume = shape = shape_change = shape_block = measures = GIVEN

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
THREE = f32(3)
TINY = f32(1e-30)


def lame(values):
    """Lame's mu and lambda [Pa] of young [Pa] and poisson."""
    young, nu = values["young"], values["poisson"]
    return young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))


def constants(values, h):
    """lam / mu, and the damping share tau / h: (2,)."""
    mu, lam = lame(values)
    return np.array([lam / mu, values["damping"] / h])


def rest(x, elements, values, axes, fraction):
    """Shape gradients g1, g2, g3 [1/m] and c = volume * mu [J]: (n, 10). fraction: filled share of each element, (n,)."""
    edges = x[elements[:, 1:]] - x[elements[:, :1]]  # rows
    gradients = np.linalg.inv(edges).transpose(0, 2, 1)  # rows g1, g2, g3
    size = np.linalg.det(edges) / 6
    return np.column_stack([gradients.reshape(-1, 9), size * fraction * lame(values)[0]])


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
def forces(S, g):
    """S g_a of the four corners."""
    d1 = mat3.times_vector(S, g[0])
    d2 = mat3.times_vector(S, g[1])
    d3 = mat3.times_vector(S, g[2])
    return vec3.scale(-ONE, vec3.add(vec3.add(d1, d2), d3)), d1, d2, d3


@element
def displacement(corners, rest, state):
    """c P g_a of the four corners."""
    P = ((state[0], state[1], state[2]), (state[3], state[4], state[5]), (state[6], state[7], state[8]))
    return forces(mat3.scale(rest[9], P), gradients_of(rest))


@per_energy(element)
def equilibrium_state(corners, rest, k, old):
    """Return P of the element's own force: minus the stress over mu."""
    F = deformation(corners, gradients_of(rest))
    _, S = stress_of(F, mat3.gram(F), mat3.det(F), k, old)
    return -S[0][0], -S[0][1], -S[0][2], -S[1][0], -S[1][1], -S[1][2], -S[2][0], -S[2][1], -S[2][2]


@element
def strain_at_start(corners, rest):
    """F^T F and J."""
    F = deformation(corners, gradients_of(rest))
    C = mat3.gram(F)
    return C[0], C[1], C[2], C[3], C[4], C[5], mat3.det(F)


@element
def strain_change(C, old):
    """C - C_0, twice the Green strain since the substep's start."""
    return mat3.symmetric_sub(C, (old[0], old[1], old[2], old[3], old[4], old[5]))


@per_energy(element)
def stress_of(F, C, J, k, old):
    """Energy density with the dissipation potential, and stress, over mu."""
    elastic, stress = shape(F, C, k)
    value, slope, _ = volume(J, k)
    change = strain_change(C, old)
    moved = J - old[6]
    viscous = k[0] * k[1]
    loss = HALF * HALF * k[1] * mat3.symmetric_dot(change, change) + HALF * viscous * moved * moved
    stress = mat3.add(
        mat3.add(stress, mat3.scale(k[1], mat3.times_symmetric(F, change))),
        mat3.scale(slope + viscous * moved, mat3.cofactor(F)),
    )
    return elastic + value + loss, stress


@per_energy(element)
def gradient(corners, rest, k, old):
    """Energy [J], 0 at rest, with the dissipation potential of the damping; its gradient at the corners [N]."""
    g = gradients_of(rest)
    F = deformation(corners, g)
    density, stress = stress_of(F, mat3.gram(F), mat3.det(F), k, old)
    return rest[9] * density, forces(mat3.scale(rest[9], stress), g)


@element
def largest_square(C):
    """A bound of the largest eigenvalue of C, exact where the two smaller ones, or all three, are equal."""
    mean, spread = mat3.mean_and_spread(C)
    return mean + spread


@element
def held_share(sure, C, J, slope, curvature):
    """Share of slope d2J that sure |dF|^2 + curvature dJ^2 hold positive for every dF.

    d2J has eigenvalues of at most 2 |F| / sqrt 3. In compression, with dF = F A and z = slope J < 0, it is
    z tr(A)^2 - z tr(A^2): the first is held by curvature J^2 tr(A)^2, the second by |F A|^2 if |slope| is at most the
    inverse of the largest singular value. At rest that share is 1.
    """
    size = abs(slope) + TINY
    plain = sure * math.sqrt(THREE) / (TWO * size * math.sqrt(C[0] + C[1] + C[2]) + TINY)
    pressed = min(sure / (size * math.sqrt(largest_square(C)) + TINY), curvature * abs(J) / size)
    return min(ONE, max(plain, pressed if slope * J < ZERO and J > ZERO else ZERO))


@per_energy(element)
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions, at each corner [N]. exact: 1, or 0 for a positive matrix."""
    g = gradients_of(rest)
    F = deformation(corners, g)
    dF = deformation(directions, g)
    C = mat3.gram(F)
    J = mat3.det(F)
    cof = mat3.cofactor(F)
    _, slope, curvature = volume(J, k)
    viscous = k[0] * k[1]
    slope = slope + viscous * (J - old[6])
    curvature = exact * curvature + (ONE - exact) * max(curvature, ZERO) + viscous
    share = exact + (ONE - exact) * held_share(SURE, C, J, slope, curvature)
    change = shape_change(F, C, dF, k, exact)
    change = mat3.add(change, mat3.scale(curvature * mat3.dot(cof, dF), cof))
    change = mat3.add(change, mat3.scale(share * slope, mat3.cofactor_change(F, dF)))
    rate = mat3.symmetric_vector(mat3.transpose_times(F, dF))
    rate = (TWO * rate[0], TWO * rate[1], TWO * rate[2], rate[3], rate[4], rate[5])
    change = mat3.add(change, mat3.scale(k[1], mat3.times_symmetric(F, rate)))
    change = mat3.add(change, mat3.scale(exact * k[1], mat3.times_symmetric(dF, strain_change(C, old))))
    return forces(mat3.scale(rest[9], change), g)


@per_energy(element)
def block(corners, rest, k, old, mine):
    """Gradient of one vertex [N], and a positive block of the second derivative for it [N/m] as (00, 11, 22, 01, 02, 12).

    mine: 1 for that corner and 0 for the others. J is linear in one vertex, so the block has no geometric part of the
    volume: where the shape is 1/2 |F|^2 and its curvature positive, it is the true one.
    """
    rows = gradients_of(rest)
    a, b, c = mine[1] - mine[0], mine[2] - mine[0], mine[3] - mine[0]
    g = vec3.add(vec3.combine(a, rows[0], b, rows[1]), vec3.scale(c, rows[2]))
    F = deformation(corners, rows)
    C = mat3.gram(F)
    J = mat3.det(F)
    _, stress = stress_of(F, C, J, k, old)
    _, _, curvature = volume(J, k)
    V = shape_block(F, C, g, k)
    V = mat3.symmetric_add(
        V, mat3.symmetric_outer(max(curvature, ZERO) + k[0] * k[1], mat3.times_vector(mat3.cofactor(F), g))
    )
    V = mat3.symmetric_add(V, mat3.symmetric_scale(k[1], strain_block(F, g)))
    return vec3.scale(rest[9], mat3.times_vector(stress, g)), mat3.symmetric_scale(rest[9], V)


@per_energy(element)
def undamped_block(corners, rest, k, old, mine):
    """`block` where the damping is 0, which takes twice as long to find out."""
    rows = gradients_of(rest)
    a, b, c = mine[1] - mine[0], mine[2] - mine[0], mine[3] - mine[0]
    g = vec3.add(vec3.combine(a, rows[0], b, rows[1]), vec3.scale(c, rows[2]))
    F = deformation(corners, rows)
    C = mat3.gram(F)
    _, stress = shape(F, C, k)
    _, slope, curvature = volume(mat3.det(F), k)
    normal = mat3.times_vector(mat3.cofactor(F), g)
    force = vec3.combine(rest[9], mat3.times_vector(stress, g), rest[9] * slope, normal)
    V = mat3.symmetric_add(shape_block(F, C, g, k), mat3.symmetric_outer(max(curvature, ZERO), normal))
    return force, mat3.symmetric_scale(rest[9], V)


@element
def strain_block(F, g):
    """2 |sym(F^T v g^T)|^2 as a form of v: |g|^2 F F^T + F g (F g)^T."""
    block = mat3.symmetric_scale(vec3.dot(g, g), mat3.gram(mat3.transposed(F)))
    return mat3.symmetric_add(block, mat3.symmetric_outer(ONE, mat3.times_vector(F, g)))


@per_energy(element)
def constraints(corners, rest, k, old):
    """Two values C, their stiffnesses [J] and gradients [1/m] at the corners: without damping U = 1/2 sum stiffness C^2 but
    for a constant."""
    g = gradients_of(rest)
    F = deformation(corners, g)
    values, stiffnesses, stresses = measures(F, mat3.gram(F), k)
    scaled = (rest[9] * stiffnesses[0], rest[9] * stiffnesses[1])
    return values, scaled, (forces(stresses[0], g), forces(stresses[1], g))
