"""Neo-Hookean solid with a logarithm: its energy is unbounded as the volume vanishes, which prevents inversion.

    psi = mu/2 (|F|^2 - 3) - mu log J + lam/2 (log J)^2  [J/m^3]

Below 1/128 of the volume, and for inverted elements, the logarithm is extended by its parabola, so that energy and force
stay finite; before each local solve such an element is turned right side out (`elements/inversion.py`). Source: Chaudhary,
Pokhariya, Narain, "Towards Generalized Position-Based Dynamics", equation 20, with the norm of F that its print has lost.
"""

import sys

from ..device.cpu import element, f32
from ..elements import inversion, neo_hookean_shape, solid_solve, tetrahedron
from ..elements.step_length import secant_step
from ..mathlib.log import LN2, LN2_REST, log

NAME = "neo_hookean"
LABEL = "Neo-Hookean"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.45, 0.0, 0.4999, False, "0 keeps the width, 0.5 would keep the volume exactly"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}

HALF = f32(0.5)
ONE = f32(1)
#: Below this J the parabola: 2^-7, and its logarithm in two parts, as `log` has it.
LEAST = f32(2**-7)
LOG_LEAST, LOG_LEAST_REST = f32(-7) * LN2, f32(-7) * LN2_REST


@element
def volume(J, k):
    """-log J + k0/2 (log J)^2, and its two derivatives."""
    inside = max(J, LEAST)
    r = ONE / inside
    logarithm = log(inside)
    pull = k[0] * logarithm - ONE
    curvature = (k[0] - pull) * r * r
    below = J - inside
    # The parabola's numbers at LEAST itself, so that a value alone costs no division.
    least = k[0] * LOG_LEAST + k[0] * LOG_LEAST_REST - ONE
    parabola = below * (least + HALF * (k[0] - least) * below / LEAST) / LEAST
    return logarithm * (HALF * k[0] * logarithm - ONE) + parabola, pull * r + curvature * below, curvature


THIS = sys.modules[__name__]
constants = tetrahedron.constants
CORNERS, REST, CONSTANTS = tetrahedron.CORNERS, tetrahedron.REST, tetrahedron.CONSTANTS
STATE, START_STRAINS = tetrahedron.STATE, tetrahedron.START_STRAINS
SQUARE, SURE = neo_hookean_shape.SQUARE, neo_hookean_shape.SURE
shape, shape_change, shape_block = neo_hookean_shape.shape, neo_hookean_shape.shape_change, neo_hookean_shape.shape_block
add_shape_hessian = neo_hookean_shape.add_shape_hessian
step_length, inversion_recovery = secant_step(THIS), inversion.flipped_smallest_stretch
rest, strain_at_start, displacement = tetrahedron.rest, tetrahedron.strain_at_start, tetrahedron.displacement
project = solid_solve.project(THIS)
gradient, hessian_times = tetrahedron.gradient(THIS), tetrahedron.hessian_times(THIS)
equilibrium_state = tetrahedron.equilibrium_state(THIS)
block = tetrahedron.block(THIS)
undamped_block = tetrahedron.undamped_block(THIS)
