"""Orthotropic Saint Venant-Kirchhoff membrane: the stretch and shear of a woven sheet.

    psi = 1/2 E : D : E  [N/m],  E = (F^T F - 1) / 2 the Green strain in the axes of warp and weft

`elements/triangle.py` has the local solve. The constraints of XPBD come from D = L d L^T:
E00 + D01/D00 E11, E11 and 2 E01.
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import triangle
from ..elements.triangle import deformation, green_strain, metric
from ..mathlib import vec3

NAME = "stvk_membrane"
LABEL = "Linear"
ELEMENT = "triangle"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young_warp": ("Stretch Warp", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the warp (u)"),
    "young_weft": ("Stretch Weft", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the weft (v)"),
    "shear": ("Shear", "N/m", 100.0, 0.0, 1e7, True, "In-plane shear modulus times thickness"),
    "poisson": ("Poisson", "", 0.2, 0.0, 0.95, False, "Sideways contraction; the geometric mean of both directions"),
    "damping": ("Stretch Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CORNERS = 4
REST = 7
CONSTANTS = 5
STATE = 6  # P, the force displacement per c w_a g_a: two columns of three
START_STRAINS = 3  # Green strain at the start of the substep (E00, E11, 2 E01)

CONSTRAINTS = 3
ONE_SIDED = False

HALF = f32(0.5)
ONE = f32(1)

displacement, strain_at_start = triangle.displacement, triangle.strain_at_start


def rest(x, elements, values, axes, fraction):
    """Shape gradients g1, g2, g3 [1/m] in the axes of warp and weft, and c = area * stiffness [N/m * m^2]: `triangle.shape`.

    x: rest positions [m], (n_vertices, 3). elements: (n, 4), -1 for a triangle's last corner. axes: unit vectors of warp
    and weft in each face's plane, (n, 2, 3). fraction: share of the stiffness of each face, (n,).
    """
    return triangle.shape(x, elements, axes, fraction * _scale(values))


def _scale(values):
    return max(values["young_warp"], values["young_weft"])


def constants(values, h):
    """D00, D01, D11, D22 over the stiffness scale, and the damping share tau / h: (5,)."""
    D = triangle.plane_stress(values["young_warp"], values["young_weft"], values["shear"], values["poisson"])
    return np.append(D / _scale(values), values["damping"] / h)


@element
def _stress(strain, old, k):
    """Second Piola-Kirchhoff stress over the stiffness scale, the damping stress tau dE/dt included: (00, 11, 01)."""
    share = k[4]
    e0 = strain[0] + share * (strain[0] - old[0])
    e1 = strain[1] + share * (strain[1] - old[1])
    e2 = strain[2] + share * (strain[2] - old[2])
    return (k[0] * e0 + k[1] * e1, k[1] * e0 + k[2] * e1, k[3] * e2)


@element
def _tangent(k):
    """Derivative of the stress by the strain."""
    grow = ONE + k[4]
    return (grow * k[0], grow * k[1], grow * k[2], grow * k[3])


@element
def project(corners, w, g, k, old, state, reprojection):
    """Solve locally (one Newton step). Returns the change of the force at the corners, and the new columns of P. g:
    `rest`."""
    f0, f1 = deformation(corners, g)
    C = metric(f0, f1)
    return triangle.solve(w, g, f0, f1, C, _stress(green_strain(C), old, k), _tangent(k), state)


@element
def gradient(corners, g, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the corners [N]. g: `rest`."""
    c = g[4]
    f0, f1 = deformation(corners, g)
    E = green_strain(metric(f0, f1))
    pure = _stress(E, E, k)
    rate = vec3.sub(E, old)
    viscous = _stress(rate, rate, k)
    energy = HALF * c * (vec3.dot(pure, E) + k[4] * vec3.dot(viscous, rate))
    return energy, triangle.stress_forces(f0, f1, _stress(E, old, k), g)


@element
def hessian_times(corners, g, k, old, directions, exact):
    """Second derivative times directions [N]. exact: 0 leaves out the geometric stiffness of compression."""
    f0, f1 = deformation(corners, g)
    S = _stress(green_strain(metric(f0, f1)), old, k)
    return triangle.hessian_times(f0, f1, g, S, _tangent(k), directions, exact)


@element
def linearise(strain, rest, k, old):
    """Stress with the damping's, its elastic derivative, and the factor by which damping stiffens that."""
    return _stress(strain, old, k), (k[0], k[1], k[2], k[3]), ONE + k[4]


@element
def constraints(corners, g, k, old):
    """E00 + r E11, E11 and 2 E01 with r = D01 / D00, their stiffnesses [J] and gradients [1/m]."""
    f0, f1 = deformation(corners, g)
    return triangle.constraints(green_strain(metric(f0, f1)), f0, f1, g, k)
