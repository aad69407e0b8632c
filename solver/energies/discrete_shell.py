"""Discrete shell: the bending of a sheet, from the dihedral angles at the edges of a triangle (`elements/shell.py`)."""

import numpy as np

from ..device.cpu import element
from ..elements import shell

NAME = "discrete_shell"
LABEL = "Angular"
ELEMENT = "patch"  # a triangle and its three neighbours
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "bending_warp": ("Bend Warp", "N m", 1e-5, 0.0, 1e3, False, "Bending rigidity for curvature along the warp"),
    "bending_weft": ("Bend Weft", "N m", 1e-5, 0.0, 1e3, False, "Bending rigidity for curvature along the weft"),
    "damping": ("Bend Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous moment over the rate of moment"),
}
CORNERS = 6
REST = 9
CONSTANTS = 1
STATE = 3  # lambda: the force displacement per w_a grad_a theta_i
START_STRAINS = 3  # angles at the start of the substep [rad]
CONSTRAINTS = 3
ONE_SIDED = False

displacement, strain_at_start = shell.displacement, shell.strain_at_start
stiffness_ratio, bending_matrix = shell.stiffness_ratio, shell.bending_matrix


def rest(x, elements, values, axes, fraction):
    """Stiffness matrix K [J] and rest angles [rad] of each patch, (n, 9): `shell.rest`."""
    return shell.rest(x, elements, (values["bending_warp"], values["bending_weft"]), axes, fraction)


def constants(values, h):
    """The damping share tau / h: (1,)."""
    return np.array([values["damping"] / h])


@element
def _unbent(K):
    """Return the rest angles. K: `rest`."""
    return K[6], K[7], K[8]


@element
def project(corners, w, K, k, old, lam, reprojection):
    return shell.solve(corners, w, K, _unbent(K), k[0], old, lam)


@element
def equilibrium_state(corners, K, k, old):
    return shell.equilibrium_state(corners, K, _unbent(K), k[0], old)


@element
def gradient(corners, K, k, old):
    return shell.gradient(corners, K, _unbent(K), k[0], old)


@element
def hessian_times(corners, K, k, old, directions, exact):
    return shell.hessian_times(corners, K, _unbent(K), k[0], old, directions, exact)


@element
def constraints(corners, K, k, old):
    return shell.constraints(corners, K, _unbent(K))
