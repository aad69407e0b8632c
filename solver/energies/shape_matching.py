"""Shape matching: springs from vertices to where their rest shape best fits, cluster by cluster.

    U = 1/2 sum_i k_i |x_i - t_i|^2  [J],  k_i = m_i (2 pi f)^2

t_i is the mean of the places that the clusters of vertex i have for it (`model/shape_clusters.py`), each with its rest shape
moved and turned, and to a share deformed linearly, as fits its vertices best. For rigid goals of one cluster this is the
square of the distance to the nearest rigid motion, whose gradient is that of springs to targets that are held still; so a
sweep fits first, then solves for the springs, which is projective dynamics with a diagonal matrix.
Source: Mueller, Heidelberger, Teschner, Gross 2005, "Meshless deformations based on shape matching"; the implicit step of
such goals is that of Bouaziz, Martin, Liu, Kavan, Pauly 2014, "Projective dynamics".
"""

import numpy as np

from ..elements import target_spring

NAME = "shape_matching"
LABEL = "Shape Matching"
ELEMENT = "vertex"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "frequency": ("Jiggle", "Hz", 4.0, 0.01, 1e3, False, "Swings in a second at any mass; more is stiffer"),
    "damping_ratio": ("Damping", "", 0.1, 0.0, 100.0, False, "0 swings for ever, 1 comes back without a swing"),
    "linear": ("Stretch", "", 0.2, 0.0, 0.95, False, "How far a cluster stretches and shears with its vertices, 0 rigid"),
}
CORNERS, STATE, START_STRAINS = target_spring.CORNERS, target_spring.STATE, target_spring.START_STRAINS
CONSTRAINTS = target_spring.CONSTRAINTS
REST = 1
CONSTANTS = 2
ONE_SIDED = False

project, displacement, gradient = target_spring.project, target_spring.displacement, target_spring.gradient
hessian_times, block, constraints = target_spring.hessian_times, target_spring.block, target_spring.constraints


def rest(x, elements, values, axes, fraction):
    """Stiffness k [N/m] of each vertex, whose mass [kg] is given as `fraction`: (n, 1)."""
    return (np.asarray(fraction, float) * (2 * np.pi * values["frequency"]) ** 2)[:, None]


def constants(values, h):
    """Return the factor of the stiffness by damping, and the damping time over the substep: (2,)."""
    share = values["damping_ratio"] / (np.pi * values["frequency"] * h)
    return np.array([1.0 + share, share])
