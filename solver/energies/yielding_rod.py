"""Yielding rod: bending and twist of a wire that keeps part of a bend.

    U = 1/2 K |kb - P (r + p)|^2 + 1/2 T m^2  [J]

as `elastic_rod`, with a plastic curvature p, which flows where the wire is bent beyond its yield curvature, and a plastic
twist in m. With the elastic curvature e = kb - P (r + p) of a joint that bends for a length l:

    |e| <= l kappa_y + H a,   dp = da e / |e|,   a: accumulated |dp|

Moments beyond the yield grow by H times the bending rigidity. A round wire of Young's modulus E and yield stress s begins
to yield at 1 / r * s / E, and bears 16 / (3 pi) of that moment at most: kappa_y is 1.7 s / (E r). By von Mises it bears a
torque of pi / (2 sqrt(3)) of its largest moment, beyond which its twist flows in the same way, on its own. The flow is taken
at each substep's start (`model/rod_frames.py`): it never adds energy.
Source: Simo and Hughes 1998, "Computational inelasticity", box 3.2 (radial return, isotropic hardening).
"""

from ..elements import elastic_joint

NAME = "yielding_rod"
LABEL = "Bend, Twist and Yield"
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
    "yield_curvature": ("Yield", "1/m", 3.0, 0.0, 1e6, False, "Curvature, one over the radius, beyond which a bend stays"),
    "hardening": ("Hardening", "", 0.0, 0.0, 100.0, False, "Slope of the moment beyond the yield over that below it"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS, REST, CONSTANTS = elastic_joint.CORNERS, elastic_joint.REST, elastic_joint.CONSTANTS
STATE, START_STRAINS, CONSTRAINTS = elastic_joint.STATE, elastic_joint.START_STRAINS, elastic_joint.CONSTRAINTS
ONE_SIDED = False

rest, constants, bending_matrix = elastic_joint.rest, elastic_joint.constants, elastic_joint.bending_matrix
displacement, strain_at_start = elastic_joint.displacement, elastic_joint.strain_at_start
project, gradient, constraints = elastic_joint.project, elastic_joint.gradient, elastic_joint.constraints
equilibrium_state = elastic_joint.equilibrium_state
