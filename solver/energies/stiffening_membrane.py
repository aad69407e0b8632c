"""Stiffening membrane: a woven or knitted sheet that gets stiffer as it is pulled and softer where it is pushed together.

    psi = psi_taut(E) + sum_i Y_i max(0, E_ii)^4 / (12 e_i^2)  [N/m],  i warp and weft
    psi_taut = b psi_0(E) + (1 - b) min over p, q >= 0 of psi_0(E00 + p, E11 + q, 2 E01),  psi_0 = 1/2 E : D : E

E is the Green strain in the axes of warp and weft. The second term gives fabrics their J-shaped curve: pulled along i alone,
the stress is Y_i (E + E^3 / (3 e_i^2)), whose slope has doubled at the strain e_i. The minimum is the relaxed energy of a
sheet that wrinkles instead of being compressed: where the stress along an axis would be compression it is zero, and the
other axis acts as in a strip. b is the share of compression that is left: wrinkles that the mesh cannot show carry little
load. Both terms are convex in E, and the moduli at small tension are the orthotropic ones, D. Shear keeps its modulus.
Source: Pipkin 1986, "The relaxed energy density for isotropic elastic membranes", along the axes of an orthotropic sheet; a
polynomial in the axial strains, as in Clyde, Teran, Tamstorf 2017, "Modeling and data-driven parameter estimation for woven
fabrics". `elements/triangle.py` has the local solve.
"""

import numpy as np

from ..device.cpu import element, f32
from ..elements import triangle
from ..elements.triangle import deformation, green_strain, metric

NAME = "stiffening_membrane"
LABEL = "Stiffening (Knits)"
ELEMENT = "triangle"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young_warp": ("Stretch Warp", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the warp, at rest"),
    "young_weft": ("Stretch Weft", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the weft, at rest"),
    "shear": ("Shear", "N/m", 100.0, 0.0, 1e7, True, "In-plane shear modulus times thickness"),
    "poisson": ("Poisson", "", 0.2, 0.0, 0.95, False, "Sideways contraction; the geometric mean of both directions"),
    "doubling_warp": ("Doubling Warp", "", 0.1, 0.0, 1e3, True, "Strain along the warp at which it is twice as stiff"),
    "doubling_weft": ("Doubling Weft", "", 0.1, 0.0, 1e3, True, "Strain along the weft at which it is twice as stiff"),
    "compression": ("Compression", "", 0.2, 0.0, 1.0, True, "Share of the stiffness that is left where it is compressed"),
    "damping": ("Stretch Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous over elastic stress at rest"),
}
CORNERS = 4
REST = 7
CONSTANTS = 10
STATE = 6  # P, the force displacement per c w_a g_a: two columns of three
START_STRAINS = 3  # Green strain at the start of the substep (E00, E11, 2 E01)

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
THIRD = f32(1 / 3)
SIXTH = f32(1 / 6)


def rest(x, elements, values, axes, fraction):
    """Shape gradients g1, g2, g3 [1/m] in the axes of warp and weft, and c = area * stiffness [N/m * m^2]: `triangle.shape`.

    x: rest positions [m], (n_vertices, 3). elements: (n, 4), -1 for a triangle's last corner. axes: unit vectors of warp
    and weft in each face's plane, (n, 2, 3). fraction: share of the stiffness of each face, (n,).
    """
    return triangle.shape(x, elements, axes, fraction * _scale(values))


def _scale(values):
    return max(values["young_warp"], values["young_weft"])


def constants(values, h):
    """D00, D01, D11, D22, Y0, Y1, Y0 / e0^2, Y1 / e1^2, all over the stiffness scale; b; and tau / h: (10,)."""
    young = np.array([values["young_warp"], values["young_weft"]])
    growth = young / np.array([values["doubling_warp"], values["doubling_weft"]]) ** 2
    D = triangle.plane_stress(young[0], young[1], values["shear"], values["poisson"])
    numbers = np.concatenate([D, young, growth]) / _scale(values)
    return np.append(numbers, [values["compression"], values["damping"] / h])


displacement, strain_at_start = triangle.displacement, triangle.strain_at_start


@element
def _response(E, old, k):
    """Stress (00, 11, 01), its derivative by the strain (00, 01, 11, 22), and psi, all over the stiffness scale."""
    # Saint Venant-Kirchhoff, and the relaxed sheet: taut, or wrinkled across one of the axes, or slack.
    S0 = k[0] * E[0] + k[1] * E[1]
    S1 = k[1] * E[0] + k[2] * E[1]
    taut = min(S0, S1) >= ZERO
    warp = not taut and E[0] > ZERO and S1 < ZERO
    weft = not taut and E[1] > ZERO and S0 < ZERO
    R0 = S0 if taut else k[4] * E[0] if warp else ZERO
    R1 = S1 if taut else k[5] * E[1] if weft else ZERO
    T0 = k[0] if taut else k[4] if warp else ZERO
    T1 = k[1] if taut else ZERO
    T2 = k[2] if taut else k[5] if weft else ZERO
    left = k[8]  # share of the resistance to compression that is left
    gone = ONE - left
    p0 = max(E[0], ZERO)
    p1 = max(E[1], ZERO)
    q0 = k[6] * p0 * p0
    q1 = k[7] * p1 * p1
    share = k[9]
    v0 = share * (E[0] - old[0])
    v1 = share * (E[1] - old[1])
    v2 = share * (E[2] - old[2])
    V0 = k[0] * v0 + k[1] * v1
    V1 = k[1] * v0 + k[2] * v1
    S = (left * S0 + gone * R0 + THIRD * q0 * p0 + V0, left * S1 + gone * R1 + THIRD * q1 * p1 + V1, k[3] * (E[2] + v2))
    both = left + share
    T = (
        both * k[0] + gone * T0 + q0,
        both * k[1] + gone * T1,
        both * k[2] + gone * T2 + q1,
        (ONE + share) * k[3],
    )
    loss = V0 * (E[0] - old[0]) + V1 * (E[1] - old[1]) + k[3] * v2 * (E[2] - old[2])
    elastic = (left * S0 + gone * R0) * E[0] + (left * S1 + gone * R1) * E[1] + k[3] * E[2] * E[2]
    return S, T, HALF * (elastic + loss + SIXTH * (q0 * p0 * p0 + q1 * p1 * p1))


@element
def project(corners, w, g, k, old, state, reprojection):
    """Solve locally (one Newton step). Returns the change of the force at the corners, and the new columns of P. g:
    `rest`."""
    f0, f1 = deformation(corners, g)
    C = metric(f0, f1)
    S, T, _ = _response(green_strain(C), old, k)
    return triangle.solve(w, g, f0, f1, C, S, T, state)


@element
def gradient(corners, g, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the corners [N]. g: `rest`."""
    f0, f1 = deformation(corners, g)
    S, _, psi = _response(green_strain(metric(f0, f1)), old, k)
    return g[4] * psi, triangle.stress_forces(f0, f1, S, g)


@element
def hessian_times(corners, g, k, old, directions, exact):
    """Second derivative times directions [N]. exact: 0 leaves out the geometric stiffness of compression."""
    f0, f1 = deformation(corners, g)
    S, T, _ = _response(green_strain(metric(f0, f1)), old, k)
    return triangle.hessian_times(f0, f1, g, S, T, directions, exact)


@element
def linearise(strain, rest, k, old):
    """Stress with the damping's, and its derivative, which has the damping in it."""
    S, T, _ = _response(strain, old, k)
    return S, T, ONE
