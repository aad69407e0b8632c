"""Stretch of a rope's segments: an elastic bar.

    U = E A (l - L)^2 / (2 L)  [J]

E is the Young's modulus of the whole cross section A = pi r^2, strands and the air between them: that of a laid rope is far
below that of its fibre. The local solve has one unknown, along the segment: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import numpy as np

from ..elements import elastic_line, segment

NAME = "rod_stretch"
LABEL = "Stretch"
ELEMENT = "segment"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young": ("Stretch", "Pa", 1e7, 0.0, 1e12, True, "Young's modulus: pull per cross section over relative extension"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a along the segment
START_STRAINS = 1  # length at the start of the substep [m]
CONSTRAINTS = 1
ONE_SIDED = False


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and stiffness [N/m] of each segment: (n, 2). x: rest positions [m]. fraction: cross section [m^2]."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["young"] * np.asarray(fraction) / np.maximum(length, 1e-12)])


constants, displacement, strain_at_start = elastic_line.constants, segment.displacement, segment.strain_at_start
project, gradient, hessian_times = elastic_line.project, elastic_line.gradient, elastic_line.hessian_times
linearise, constraints = elastic_line.linearise, elastic_line.constraints
