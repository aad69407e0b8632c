"""Plastic neo-Hookean solid: clay and dough, which keep the shape that they are pressed into.

    psi = mu/2 (|F_e|^2 - 3) + (lam + mu)/2 (J - 1)^2 - mu (J - 1)  [J/m^3],  F_e = F F_p^-1

F_p, the plastic deformation, keeps the volume. The element is that of another rest shape, whose shape gradients are
F_p^-T g_a; everything else is `elements/tetrahedron.py`. It flows where the von Mises stress of mu dev(F_e^T F_e), in one
direction the Kirchhoff stress, exceeds the yield:

    sqrt(3/2) mu |dev C_e| <= s_y + H a,   F_e <- F_e A,   A = B / det(B)^(1/3),   B = 1 - g dev C_e / |dev C_e|

g is found by Newton's method, and a, the accumulated plastic strain, grows by sqrt(2/3) g. Creep relaxes the deviatoric part
of C_e at a rate, below the yield too (Maxwell). The flow is taken at each substep's start, as in `creasing_shell`.
Source: Simo and Hughes 1998, "Computational inelasticity", chapter 9 (multiplicative J_2 flow); the flow by steps that
commute with C_e, in place of principal axes, is ours.
"""

import math
import sys

import numpy as np

from ..device.cpu import element, f32
from ..elements import neo_hookean_shape, solid_solve, tetrahedron
from ..elements.inversion import no_recovery
from ..elements.step_length import full_step
from ..mathlib import mat3

NAME = "plastic_neo_hookean"
LABEL = "Plastic (Clay)"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.45, 0.0, 0.4999, False, "0 keeps the width, 0.5 would keep the volume exactly"),
    "yield_stress": ("Yield", "Pa", 3e3, 0.0, 1e12, False, "Stress of a bar that is pulled, beyond which the shape stays"),
    "hardening": ("Hardening", "Pa", 0.0, 0.0, 1e12, False, "Growth of the yield by a plastic strain of 1"),
    "creep": ("Creep", "1/s", 0.0, 0.0, 1e3, False, "Rate at which any shape becomes the rest shape; 1 is a second"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CORNERS, REST, STATE = tetrahedron.CORNERS, tetrahedron.REST, tetrahedron.STATE  # P F_p^-T, so that P g_a are the forces
CONSTANTS = 5
START_STRAINS = 17  # F_e^T F_e and J at the start of the substep (7), F_p^-1 - 1 by rows (9), accumulated plastic strain
CONSTRAINTS = 2
ONE_SIDED = False
SQUARE, SURE = neo_hookean_shape.SQUARE, neo_hookean_shape.SURE

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
THREE = f32(3)
TINY = f32(1e-30)
#: sqrt(3/2) and sqrt(2/3): of the norm of a deviator to the stress and to the strain of a bar.
STRESS, STRAIN = f32(1.5**0.5), f32((2 / 3) ** 0.5)
#: Largest strain of one step of the flow: B stays positive.
LARGEST = f32(0.3)

shape, shape_change, shape_block = neo_hookean_shape.shape, neo_hookean_shape.shape_change, neo_hookean_shape.shape_block
add_shape_hessian = neo_hookean_shape.add_shape_hessian
volume, measures = neo_hookean_shape.stable_volume, neo_hookean_shape.stable_measures
step_length, inversion_recovery = full_step, no_recovery
rest, displacement = tetrahedron.rest, tetrahedron.displacement
THIS = sys.modules[__name__]
_project, _gradient = solid_solve.project(THIS), tetrahedron.gradient(THIS)
_hessian_times, _equilibrium_state = tetrahedron.hessian_times(THIS), tetrahedron.equilibrium_state(THIS)
_block, _undamped_block, _constraints = (
    tetrahedron.block(THIS),
    tetrahedron.undamped_block(THIS),
    tetrahedron.constraints(THIS),
)


def constants(values, h):
    """(lam + mu) / mu, the damping share tau / h, yield and hardening over mu, and the share of creep in a substep, (5,)."""
    mu, lam = tetrahedron.lame(values)
    creeps = -np.expm1(-values["creep"] * h)
    return np.array([(lam + mu) / mu, values["damping"] / h, values["yield_stress"] / mu, values["hardening"] / mu, creeps])


@element
def _inverse_plastic(old):
    """F_p^-1."""
    return (
        (ONE + old[7], old[8], old[9]),
        (old[10], ONE + old[11], old[12]),
        (old[13], old[14], ONE + old[15]),
    )


@element
def _plastic(old):
    """F_p, whose determinant is 1 to rounding."""
    inverse = _inverse_plastic(old)
    return mat3.scale(ONE / mat3.det(inverse), mat3.transposed(mat3.cofactor(inverse)))


@element
def _flowed(rest, old):
    """`rest` of the rest shape that has flowed: rows g_a^T F_p^-1."""
    g = mat3.times(tetrahedron.gradients_of(rest), _inverse_plastic(old))
    return g[0][0], g[0][1], g[0][2], g[1][0], g[1][1], g[1][2], g[2][0], g[2][1], g[2][2], rest[9]


@element
def _rows(state):
    return (state[0], state[1], state[2]), (state[3], state[4], state[5]), (state[6], state[7], state[8])


@element
def _numbers(P):
    return P[0][0], P[0][1], P[0][2], P[1][0], P[1][1], P[1][2], P[2][0], P[2][1], P[2][2]


@element
def _deviator(C):
    """dev C and its norm."""
    mean = (C[0] + C[1] + C[2]) / THREE
    D = (C[0] - mean, C[1] - mean, C[2] - mean, C[3], C[4], C[5])
    return D, math.sqrt(mat3.symmetric_dot(D, D))


@element
def _cube_root_inverse(d):
    """d^(-1/3) of d from 0.5 to 1.2, by Newton's method."""
    y = ONE + (ONE - d) / THREE
    y = y * (THREE + ONE - d * y * y * y) / THREE
    y = y * (THREE + ONE - d * y * y * y) / THREE
    return y * (THREE + ONE - d * y * y * y) / THREE


@element
def _sheared(D, length):
    """A of the flow: 1 - length D, with a determinant of 1; symmetric."""
    B = (ONE - length * D[0], ONE - length * D[1], ONE - length * D[2], -length * D[3], -length * D[4], -length * D[5])
    return mat3.symmetric_scale(_cube_root_inverse(mat3.symmetric_det(B)), B)


@element
def _step(C, plastic, k):
    """One Newton step of the flow at F_e^T F_e = C: A, and the strain g."""
    D, size = _deviator(C)
    over = max(STRESS * size - k[2] - k[3] * plastic, ZERO)
    square = mat3.symmetric_square(D)
    slope = TWO * STRESS * mat3.symmetric_dot(square, C) / max(size * size, TINY) + STRAIN * k[3]
    g = min(over / max(slope, TINY), LARGEST)
    return _sheared(D, g / max(size, TINY)), g


@element
def _pulled(C, A):
    """A C A."""
    full = mat3.full(A)
    return mat3.symmetric_part(mat3.times(full, mat3.times(mat3.full(C), full)))


@element
def flow_at_start(corners, rest, k, old):
    """Return the strains of a substep that starts here: beyond the yield the rest shape flows, and all of it creeps."""
    F = tetrahedron.deformation(corners, tetrahedron.gradients_of(_flowed(rest, old)))
    C = mat3.gram(F)
    first, one = _step(C, old[16], k)
    C = _pulled(C, first)
    second, two = _step(C, old[16] + STRAIN * one, k)
    C = _pulled(C, second)
    third, three = _step(C, old[16] + STRAIN * (one + two), k)
    C = _pulled(C, third)
    D, size = _deviator(C)
    fourth = _sheared(D, min(HALF * k[4], LARGEST / max(size, TINY)))
    C = _pulled(C, fourth)
    inverse = mat3.times(_inverse_plastic(old), mat3.full(first))
    inverse = mat3.times_symmetric(mat3.times_symmetric(mat3.times_symmetric(inverse, second), third), fourth)
    n = _numbers(inverse)
    return (
        C[0],
        C[1],
        C[2],
        C[3],
        C[4],
        C[5],
        mat3.det(F),
        n[0] - ONE,
        n[1],
        n[2],
        n[3],
        n[4] - ONE,
        n[5],
        n[6],
        n[7],
        n[8] - ONE,
        old[16] + STRAIN * (one + two + three),
    )


@element
def plastic_strain(rest, old):
    """Return the accumulated plastic strain [1], 0 where paint leaves no share of this material."""
    return old[16] if rest[9] > 0 else ZERO


@element
def strain_at_start(corners, rest):
    """F^T F and J, of an element that has not flowed."""
    return tetrahedron.strain_at_start(corners, rest)


@element
def project(corners, w, rest, k, old, state, reprojection):
    P = mat3.times(_rows(state), mat3.transposed(_plastic(old)))
    forces, new = _project(corners, w, _flowed(rest, old), k, old, _numbers(P), reprojection)
    return forces, _numbers(mat3.times(_rows(new), mat3.transposed(_inverse_plastic(old))))


@element
def equilibrium_state(corners, rest, k, old):
    P = _equilibrium_state(corners, _flowed(rest, old), k, old)
    return _numbers(mat3.times(_rows(P), mat3.transposed(_inverse_plastic(old))))


@element
def gradient(corners, rest, k, old):
    return _gradient(corners, _flowed(rest, old), k, old)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    return _hessian_times(corners, _flowed(rest, old), k, old, directions, exact)


@element
def block(corners, rest, k, old, mine):
    return _block(corners, _flowed(rest, old), k, old, mine)


@element
def undamped_block(corners, rest, k, old, mine):
    return _undamped_block(corners, _flowed(rest, old), k, old, mine)


@element
def constraints(corners, rest, k, old):
    return _constraints(corners, _flowed(rest, old), k, old)
