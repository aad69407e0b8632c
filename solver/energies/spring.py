"""Spring: an edge with a rest length.

    U = 1/2 k (l - L)^2  [J]

The stiffness is that of the edge, not of the fabric: the sheet depends on its mesh. For comparison with mass-spring solvers.
The local solve has one unknown, along the edge: the compliant constraint of XPBD.
Source: Macklin, Muller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

import numpy as np

from ..elements import elastic_line, segment

NAME = "spring"
LABEL = "Springs"
ELEMENT = "edge"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "stiffness": ("Stiffness", "N/m", 1000.0, 0.0, 1e9, True, "Force of an edge over its extension; changes with the mesh"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous force over the rate of force"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a along the edge
START_STRAINS = 1  # length at the start of the substep [m]
CONSTRAINTS = 1
ONE_SIDED = False


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and stiffness [N/m] of each edge: (n, 2). x: rest positions [m]. fraction: share of k, (n,)."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["stiffness"] * np.asarray(fraction)])


constants, displacement, strain_at_start = elastic_line.constants, segment.displacement, segment.strain_at_start
project, gradient, hessian_times = elastic_line.project, elastic_line.gradient, elastic_line.hessian_times
linearise, constraints = elastic_line.linearise, elastic_line.constraints
