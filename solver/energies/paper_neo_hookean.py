"""The neo-Hookean solid exactly as the paper has it, to reproduce its scenes; use `stable_neo_hookean` for all else.

    psi = mu/2 (|F|^2 - 3) + lam/2 (J - 1)^2 - mu (J - 1)  [J/m^3]

Its second Lame parameter at small strain is not lam but lam - mu: softer against squeezing than the given Poisson ratio
says, and without any resistance to it for Poisson 1/8. Source: Chaudhary, Pokhariya, Narain, "Towards Generalized
Position-Based Dynamics", equation 21, with the norm of F that its print has lost.
"""

import sys

import numpy as np

from ..elements import half_square, solid_solve, tetrahedron
from ..elements.inversion import left_alone
from ..elements.step_length import whole

NAME = "paper_neo_hookean"
LABEL = "Neo-Hookean of the Paper"
ELEMENT = "tetrahedron"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stiffness", "Pa", 1e5, 0.0, 1e12, True, "Young's modulus"),
    "poisson": ("Poisson", "", 0.45, 0.125, 0.4999, True, "As in the paper; the solid acts like one of a smaller ratio"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CONSTRAINTS = 2
ONE_SIDED = False


def constants(values, h):
    """lam / mu, and the damping share tau / h: (2,)."""
    mu, lam = tetrahedron.lame(values)
    return np.array([lam / mu, values["damping"] / h])


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
