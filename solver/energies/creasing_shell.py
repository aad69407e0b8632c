"""Creasing shell: bending with plastic curvature, for creases of paper, dents of sheet metal and ironed pleats.

    U = 1/2 e : K : e  [J],  e_i = theta_i - rest_i - p_i

p: plastic bend at each edge, which flows beyond the yield curvature (`elements/shell.py` has K). The equivalent curvature of
an element is kappa with kappa^2 = 2 e : K : e / (A (D_warp + D_weft)): for bending of an isotropic sheet in one direction,
its curvature. The yield surface is a level set of the elastic energy. Radial return of the moment is therefore the
closest-point projection in that energy, and associated:

    kappa <= kappa_y + H a,   dp = da e / kappa,   a: plastic curvature that has accumulated [1/m]

Moments beyond the yield grow by H times the bending rigidity. Creep relaxes e at a rate, also below the yield (Maxwell). The
flow is explicit, at each substep's start: it never adds energy, and bending within a substep is elastic until the next.
Source: Simo and Hughes 1998, "Computational inelasticity", box 3.2 (radial return, isotropic hardening).
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..elements import shell
from ..mathlib import vec3

NAME = "creasing_shell"
LABEL = "Creasing"
ELEMENT = "patch"  # a triangle and its three neighbours
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "bending_warp": ("Bend Warp", "N m", 4e-4, 0.0, 1e3, False, "Bending rigidity for curvature along the warp"),
    "bending_weft": ("Bend Weft", "N m", 4e-4, 0.0, 1e3, False, "Bending rigidity for curvature along the weft"),
    "yield_curvature": ("Yield", "1/m", 100.0, 0.0, 1e6, False, "Curvature, one over the radius, beyond which a bend stays"),
    "hardening": ("Hardening", "", 0.0, 0.0, 100.0, False, "Slope of the moment beyond the yield over that below it"),
    "creep": ("Creep", "1/s", 0.0, 0.0, 1e3, False, "Rate at which any bend becomes the rest shape; 1 is a second"),
    "damping": ("Bend Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous moment over the rate of moment"),
}
CORNERS = 6
REST = 10
CONSTANTS = 4
STATE = 3  # lambda: the force displacement per w_a grad_a theta_i
START_STRAINS = 7  # angles at the start of the substep [rad], plastic bends [rad], accumulated plastic curvature [1/m]
CONSTRAINTS = 3
ONE_SIDED = False

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)

displacement, strain_at_start = shell.displacement, shell.strain_at_start
stiffness_ratio, bending_matrix = shell.stiffness_ratio, shell.bending_matrix


def rest(x, elements, values, axes, fraction):
    """Stiffness matrix K [J] and rest angles [rad] of each patch, then 2 / (A (D_warp + D_weft)) [1/(J m^2)]: (n, 10)."""
    bending = values["bending_warp"], values["bending_weft"]
    a, b, c = (x[elements[:, i]] for i in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    rigidity = area * fraction * 0.5 * (bending[0] + bending[1])
    inverse = np.divide(1.0, rigidity, out=np.zeros(len(rigidity)), where=rigidity > 0)
    return np.column_stack([shell.rest(x, elements, bending, axes, fraction), inverse])


def constants(values, h):
    """The damping share tau / h, the yield curvature [1/m], H, and the share of a bend that creeps in a substep: (4,)."""
    return np.array([values["damping"] / h, values["yield_curvature"], values["hardening"], -np.expm1(-values["creep"] * h)])


@element
def _unbent(K, old):
    """Return the angles without moment. K: `rest`."""
    return K[6] + old[3], K[7] + old[4], K[8] + old[5]


@element
def flow_at_start(corners, K, k, old):
    """Return the strains of a substep that starts here: beyond the yield the bend flows, and all of it creeps."""
    A, B, C = shell.angles(corners)
    unbent = _unbent(K, old)
    bend = (A[0] - unbent[0], B[0] - unbent[1], C[0] - unbent[2])
    kappa = math.sqrt(max(K[9] * vec3.dot(bend, shell.times(K, bend)), ZERO))
    grown = max(kappa - k[1] - k[2] * old[6], ZERO) / (ONE + k[2])
    flowed = grown / max(kappa, TINY)
    flowed += (ONE - flowed) * k[3]
    return (
        A[0],
        B[0],
        C[0],
        old[3] + flowed * bend[0],
        old[4] + flowed * bend[1],
        old[5] + flowed * bend[2],
        old[6] + grown,
    )


@element
def plastic_strain(K, old):
    """Return the plastic curvature [1/m]."""
    bend = (old[3], old[4], old[5])
    return math.sqrt(max(K[9] * vec3.dot(bend, shell.times(K, bend)), ZERO))


@element
def project(corners, w, K, k, old, lam, reprojection):
    return shell.solve(corners, w, K, _unbent(K, old), k[0], old, lam)


@element
def equilibrium_state(corners, K, k, old):
    return shell.equilibrium_state(corners, K, _unbent(K, old), k[0], old)


@element
def gradient(corners, K, k, old):
    return shell.gradient(corners, K, _unbent(K, old), k[0], old)


@element
def hessian_times(corners, K, k, old, directions, exact):
    return shell.hessian_times(corners, K, _unbent(K, old), k[0], old, directions, exact)


@element
def constraints(corners, K, k, old):
    return shell.constraints(corners, K, _unbent(K, old))
