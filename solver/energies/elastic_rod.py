"""Bending and twist of a rope at a joint: a discrete elastic rod of a round cross section.

    U = 1/2 K |kb - P r|^2 + 1/2 T m^2  [J],  K = E I / l,  T = 2 G I / l,  I = pi r^4 / 4

kb is the curvature binormal, r that of the rest shape in the material's frame, m the twist beyond that at rest [rad], and l
half the length of both segments. Positions are the only unknowns: angles of the frames are solved for at the beginning of a
substep (`model/rod_frames.py`), and within it frames are transported along the shortest rotations, without spin; the twist
then changes by the holonomy alone. In a substep it is measured as 4 tan of a quarter of the change.
The bending modulus is not Young's modulus of the stretch: strands that slide on each other bend far more easily.
The local solve is Gauss-Newton's for the four constraints, with the force of each corner as state.
Source: Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008, "Discrete elastic rods", sections 4 and 7.
"""

from ..elements import elastic_joint

NAME = "elastic_rod"
LABEL = "Bend and Twist"
ELEMENT = "joint"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "bending": (
        "Bend",
        "Pa",
        1e6,
        0.0,
        1e12,
        False,
        "Young's modulus of a solid rod of the same radius and bending stiffness",
    ),
    "twist": ("Twist", "Pa", 4e5, 0.0, 1e12, False, "Shear modulus: torque of a twisted solid rod of the same radius"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS, REST, CONSTANTS = elastic_joint.CORNERS, elastic_joint.REST, elastic_joint.CONSTANTS
STATE, START_STRAINS, CONSTRAINTS = elastic_joint.STATE, elastic_joint.START_STRAINS, elastic_joint.CONSTRAINTS
ONE_SIDED = False

rest, constants, bending_matrix = elastic_joint.rest, elastic_joint.constants, elastic_joint.bending_matrix
displacement, strain_at_start = elastic_joint.displacement, elastic_joint.strain_at_start
project, gradient, constraints = elastic_joint.project, elastic_joint.gradient, elastic_joint.constraints
equilibrium_state = elastic_joint.equilibrium_state
