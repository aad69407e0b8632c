"""Plain membrane: an isotropic Saint Venant-Kirchhoff sheet, as a user would add one in a folder of their own.

    psi = mu |E|^2 + lam/2 (tr E)^2  [N/m],  E = (F^T F - 1) / 2

Copied from `stvk_membrane.py`: no directions, no damping.
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import triangle
from ..elements.triangle import deformation, green_strain, metric

NAME = "plain_membrane"
LABEL = "Plain Stretch"
ELEMENT = "triangle"
PARAMETERS = {
    "young": ("Stretch", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness"),
    "poisson": ("Poisson", "", 0.3, 0.0, 0.9, False, "Sideways contraction"),
}
CORNERS = 4
REST = 7
CONSTANTS = 3
STATE = 6
START_STRAINS = 3

HALF = f32(0.5)
ONE = f32(1)

displacement, strain_at_start = triangle.displacement, triangle.strain_at_start


def rest(x, elements, values, axes, fraction):
    """Shape gradients [1/m], and area times Young's modulus [N/m * m^2]: (n, 7)."""
    return triangle.shape(x, elements, axes, fraction * values["young"])


def constants(values, h):
    """D00 = D11, D01 and D22 over Young's modulus: (3,)."""
    nu = values["poisson"]
    return np.array([1.0, nu, (1 - nu) / 2]) / (1 - nu * nu)


@element
def _stress(E, k):
    return k[0] * E[0] + k[1] * E[1], k[1] * E[0] + k[0] * E[1], k[2] * E[2]


@element
def gradient(corners, g, k, old):
    f0, f1 = deformation(corners, g)
    E = green_strain(metric(f0, f1))
    S = _stress(E, k)
    return g[4] * HALF * (S[0] * E[0] + S[1] * E[1] + S[2] * E[2]), triangle.stress_forces(f0, f1, S, g)


@element
def project(corners, w, g, k, old, state, reprojection):
    f0, f1 = deformation(corners, g)
    C = metric(f0, f1)
    return triangle.solve(w, g, f0, f1, C, _stress(green_strain(C), k), (k[0], k[1], k[0], k[2]), state)


@element
def linearise(strain, rest, k, old):
    return _stress(strain, k), (k[0], k[1], k[0], k[2]), ONE
