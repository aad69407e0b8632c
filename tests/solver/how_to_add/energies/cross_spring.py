"""Cross spring: a spring between the two corners that face each other over an interior edge, which resists bending.

    U = 1/2 k (l - L)^2  [J]

It brings its cells kind of element, "across".
"""

import numpy as np

from ..elements import elastic_line, segment
from ..topology.hinges import find_hinges

NAME = "cross_spring"
LABEL = "Cross Springs"
ELEMENT = "across"
ELEMENT_KIND = {"sweep": "bending", "materials": ("fabric",), "map": "bending", "solved_as": "edge"}
PARAMETERS = {
    "stiffness": ("Stiffness", "N/m", 1000.0, 0.0, 1e9, True, "Force over extension"),
    "damping": ("Damping", "s", 0.0, 0.0, 10.0, False, "Viscous force over the rate of force"),
}
CORNERS = 2
REST = 2
CONSTANTS = 1
STATE = 1
START_STRAINS = 1

constants, displacement, strain_at_start = elastic_line.constants, segment.displacement, segment.strain_at_start
project, gradient, hessian_times = elastic_line.project, elastic_line.gradient, elastic_line.hessian_times
linearise = elastic_line.linearise


def find_elements(x, cells, values):
    """Return the corners that face each other over each interior edge, (k, 2)."""
    return find_hinges("the cloth", cells)[:, 2:]


def rest(x, elements, values, axes, fraction):
    """Rest length [m] and stiffness [N/m] of each element: (n, 2)."""
    length = np.linalg.norm(x[elements[:, 1]] - x[elements[:, 0]], axis=1)
    return np.column_stack([length, values["stiffness"] * np.asarray(fraction)])
