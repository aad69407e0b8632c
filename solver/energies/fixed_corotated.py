"""Fixed corotated solid: linear elasticity around the element's own rotation R; mild in compression, quick to converge.

    psi = mu |F - R|^2 + lam/2 (J - 1)^2  [J/m^3],  F = R U

R is the nearest rotation also where F is inverted, so an inverted element comes back. Source: Stomakhin, Howes, Schroeder,
Teran 2012, "Energetically consistent invertible elasticity", section 3.4; its vertex block: Chen, Han, Chen, Ma, Teran,
"Position-Based Nonlinear Gauss-Seidel for Quasistatic Hyperelasticity".
"""

import math
import sys

from ..device.cpu import element, f32
from ..elements import solid_solve, tetrahedron
from ..elements.inversion import no_recovery
from ..elements.step_length import full_step
from ..mathlib import mat3, polar, vec3

NAME = "fixed_corotated"
LABEL = "Fixed Corotated"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.45, 0.0, 0.4999, False, "0 keeps the width, 0.5 would keep the volume exactly"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CONSTRAINTS = 2
ONE_SIDED = False
SQUARE = f32(2)
SURE = f32(0)

HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
TINY = f32(1e-30)
#: Below every sum of two singular values: no floor.
FAR = f32(1e6)


@element
def volume(J, k):
    grown = J - ONE
    return HALF * k[0] * grown * grown, k[0] * grown, k[0]


@element
def shape(F, C, k):
    """|F - R|^2 and its derivative."""
    stretch = mat3.sub(F, polar.rotation(F, C))
    return mat3.dot(stretch, stretch), mat3.scale(TWO, stretch)


@element
def shape_change(F, C, dF, k, exact):
    """2 (dF - dR)."""
    R = polar.rotation(F, C)
    dR = polar.rotation_change(R, mat3.symmetric_part(mat3.transpose_times(R, F)), dF, TWO - exact * FAR)
    return mat3.scale(TWO, mat3.sub(dF, dR))


@element
def shape_block(F, C, g, k):
    """Return 2 |g|^2 of the unit matrix, less the part of rotation."""
    square = TWO * vec3.dot(g, g)
    zero = square - square
    return square, square, square, zero, zero, zero


@element
def add_shape_hessian(H, F, C, G, k):
    """Subtract the part of rotation."""
    R = polar.rotation(F, C)
    U = mat3.symmetric_part(mat3.transpose_times(R, F))
    return polar.add_turning(H, -TWO, U, G, TWO)


@element
def measures(F, C, k):
    """|F - R| and J - 1."""
    stretch = mat3.sub(F, polar.rotation(F, C))
    size = math.sqrt(mat3.dot(stretch, stretch) + TINY)
    return (size, mat3.det(F) - ONE), (TWO, k[0]), (mat3.scale(ONE / size, stretch), mat3.cofactor(F))


THIS = sys.modules[__name__]
constants = tetrahedron.constants
CORNERS, REST, CONSTANTS = tetrahedron.CORNERS, tetrahedron.REST, tetrahedron.CONSTANTS
STATE, START_STRAINS = tetrahedron.STATE, tetrahedron.START_STRAINS
step_length, inversion_recovery = full_step, no_recovery
rest, strain_at_start, displacement = tetrahedron.rest, tetrahedron.strain_at_start, tetrahedron.displacement
project = solid_solve.project(THIS)
gradient, hessian_times = tetrahedron.gradient(THIS), tetrahedron.hessian_times(THIS)
equilibrium_state = tetrahedron.equilibrium_state(THIS)
block, constraints = tetrahedron.block(THIS), tetrahedron.constraints(THIS)
undamped_block = tetrahedron.undamped_block(THIS)
