"""Saint Venant-Kirchhoff solid: Hooke's law in the Green strain E = (F^T F - 1) / 2, for large rotations and small strains.

    psi = mu |E|^2 + lam/2 (tr E)^2  [J/m^3]

Compressed below 1 / sqrt(3) of its length (58 %) it softens, and it does not resist inversion: use another energy for
compressed solids.
"""

import math
import sys

from ..device.cpu import element, f32
from ..elements import solid_solve, tetrahedron
from ..elements.inversion import no_recovery
from ..elements.step_length import full_step
from ..mathlib import mat3, sym6, vec3

NAME = "stvk_solid"
LABEL = "Saint Venant-Kirchhoff"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.3, 0.0, 0.4999, False, "0 keeps the width, 0.5 would keep the volume exactly"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CONSTRAINTS = 2
ONE_SIDED = False
SQUARE = f32(0)
SURE = f32(0)

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
TINY = f32(1e-30)


@element
def volume(J, k):
    """Zero: tr E replaces it."""
    return ZERO * J, ZERO * J, ZERO * J


@element
def _strain(C):
    """E and its trace."""
    E = (HALF * (C[0] - ONE), HALF * (C[1] - ONE), HALF * (C[2] - ONE), HALF * C[3], HALF * C[4], HALF * C[5])
    return E, E[0] + E[1] + E[2]


@element
def _tension(E, trace, k):
    """S = 2 E + k0 tr E, so that the stress is F S."""
    p = k[0] * trace
    return TWO * E[0] + p, TWO * E[1] + p, TWO * E[2] + p, TWO * E[3], TWO * E[4], TWO * E[5]


@element
def _raised(S):
    """S, raised evenly until no eigenvalue is negative."""
    mean, spread = mat3.mean_and_spread(S)
    lift = max(spread - mean, ZERO)
    return S[0] + lift, S[1] + lift, S[2] + lift, S[3], S[4], S[5]


@element
def shape(F, C, k):
    """|E|^2 + k0/2 (tr E)^2 and its derivative."""
    E, trace = _strain(C)
    return mat3.symmetric_dot(E, E) + HALF * k[0] * trace * trace, mat3.times_symmetric(F, _tension(E, trace, k))


@element
def shape_change(F, C, dF, k, exact):
    """dF S + F dS; the positive one has S raised."""
    E, trace = _strain(C)
    S = _tension(E, trace, k)
    S = mat3.symmetric_add(mat3.symmetric_scale(exact, S), mat3.symmetric_scale(ONE - exact, _raised(S)))
    dE = mat3.symmetric_part(mat3.transpose_times(F, dF))
    dS = _tension(dE, dE[0] + dE[1] + dE[2], k)
    return mat3.add(mat3.times_symmetric(dF, S), mat3.times_symmetric(F, dS))


@element
def shape_block(F, C, g, k):
    """|g|^2 F F^T + (1 + k0) F g (F g)^T, and the tension along g where it pulls."""
    E, trace = _strain(C)
    pull = max(vec3.dot(g, mat3.times_vector(mat3.full(_tension(E, trace, k)), g)), ZERO)
    V = mat3.symmetric_add(tetrahedron.strain_block(F, g), mat3.symmetric_outer(k[0], mat3.times_vector(F, g)))
    return V[0] + pull, V[1] + pull, V[2] + pull, V[3], V[4], V[5]


@element
def add_shape_hessian(H, F, C, G, k):
    """2 |dE|^2 + k0 (tr dE)^2 with dE = sym(C L G), and the raised tension's tr(L C L G S G)."""
    E, trace = _strain(C)
    H = sym6.add_square(H, TWO, sym6.symmetric_kronecker(C, G))
    H = sym6.add_outer(H, k[0], mat3.symmetric_vector(mat3.times(mat3.full(C), mat3.full(G))))
    S = mat3.times_symmetric(mat3.times(mat3.full(G), mat3.full(_raised(_tension(E, trace, k)))), G)
    return sym6.add_scaled(H, ONE, sym6.symmetric_kronecker(C, mat3.symmetric_part(S)))


@element
def measures(F, C, k):
    """|E| and tr E."""
    E, trace = _strain(C)
    size = math.sqrt(mat3.symmetric_dot(E, E) + TINY)
    return (size, trace), (TWO, k[0]), (mat3.scale(ONE / size, mat3.times_symmetric(F, E)), F)


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
