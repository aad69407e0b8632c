"""Stable neo-Hookean solid: soft tissue and rubber that survive any squeeze.

    psi = mu/2 (|F|^2 - 3) + (lam + mu)/2 (J - 1)^2 - mu (J - 1)  [J/m^3]

With lam + mu in front of the volume term its small-strain moduli are exactly Lame's. Source: Macklin and Muller 2021,
"A Constraint-based Formulation of Stable Neo-Hookean Materials", without the constant.
"""

import sys

import numpy as np

from ..elements import half_square, solid_solve, tetrahedron
from ..elements.inversion import left_alone
from ..elements.step_length import whole

NAME = "stable_neo_hookean"
LABEL = "Stable Neo-Hookean"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.45, 0.0, 0.4999, False, "0 keeps the width, 0.5 would keep the volume exactly"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CONSTRAINTS = 2
ONE_SIDED = False


def constants(values, h):
    """(lam + mu) / mu, and the damping share tau / h: (2,)."""
    mu, lam = tetrahedron.lame(values)
    return np.array([(lam + mu) / mu, values["damping"] / h])


THIS = sys.modules[__name__]
CORNERS, REST, CONSTANTS = tetrahedron.CORNERS, tetrahedron.REST, tetrahedron.CONSTANTS
STATE, MEMORY = tetrahedron.STATE, tetrahedron.MEMORY
SQUARE, SURE = half_square.SQUARE, half_square.SURE
shape, shape_change, shape_block = half_square.shape, half_square.shape_change, half_square.shape_block
add_shape_hessian = half_square.add_shape_hessian
volume, measures = half_square.stable_volume, half_square.stable_measures
step_length, righted = whole, left_alone
rest, remembered, displacement = tetrahedron.rest, tetrahedron.remembered, tetrahedron.displacement
project = solid_solve.project(THIS)
gradient, hessian_times = tetrahedron.gradient(THIS), tetrahedron.hessian_times(THIS)
block, constraints = tetrahedron.block(THIS), tetrahedron.constraints(THIS)
undamped_block = tetrahedron.undamped_block(THIS)
