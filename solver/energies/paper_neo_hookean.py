"""The neo-Hookean solid exactly as the paper has it, to reproduce its scenes; use `stable_neo_hookean` for all else.

    psi = mu/2 (|F|^2 - 3) + lam/2 (J - 1)^2 - mu (J - 1)  [J/m^3]

Its second Lame parameter at small strain is not lam but lam - mu: softer against squeezing than the given Poisson ratio
says, and without any resistance to it for Poisson 1/8. Source: Chaudhary, Pokhariya, Narain, "Towards Generalized
Position-Based Dynamics", equation 21, with the norm of F that its print has lost.
"""

import sys

from ..elements import neo_hookean_shape, solid_solve, tetrahedron
from ..elements.inversion import no_recovery
from ..elements.step_length import full_step

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


THIS = sys.modules[__name__]
constants = tetrahedron.constants
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
