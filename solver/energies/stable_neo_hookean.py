"""Stable neo-Hookean solid: soft tissue and rubber that survive any squeeze.

    psi = mu/2 (|F|^2 - 3) + (lam + mu)/2 (J - 1)^2 - mu (J - 1)  [J/m^3]

With lam + mu in front of the volume term its small-strain moduli are exactly Lame's. Source: Macklin and Muller 2021,
"A Constraint-based Formulation of Stable Neo-Hookean Materials", without the constant.
"""

import sys

import numpy as np

from ..elements import neo_hookean_shape, solid_solve, tetrahedron
from ..elements.inversion import no_recovery
from ..elements.step_length import full_step

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
STATE, START_STRAINS = tetrahedron.STATE, tetrahedron.START_STRAINS
SQUARE, SURE = neo_hookean_shape.SQUARE, neo_hookean_shape.SURE
shape, shape_change, shape_block = neo_hookean_shape.shape, neo_hookean_shape.shape_change, neo_hookean_shape.shape_block
add_shape_hessian = neo_hookean_shape.add_shape_hessian
volume, measures = neo_hookean_shape.stable_volume, neo_hookean_shape.stable_measures
step_length, inversion_recovery = full_step, no_recovery
rest, strain_at_start, displacement = tetrahedron.rest, tetrahedron.strain_at_start, tetrahedron.displacement
project = solid_solve.project(THIS)
gradient, hessian_times = tetrahedron.gradient(THIS), tetrahedron.hessian_times(THIS)
equilibrium_state = tetrahedron.equilibrium_state(THIS)
block, constraints = tetrahedron.block(THIS), tetrahedron.constraints(THIS)
undamped_block = tetrahedron.undamped_block(THIS)
