"""Isometric bending: the quadratic bending of a sheet that is flat at rest and hardly stretches.

    U = s/2 |y|^2  [J],  y = sum_a k_a x_a over the four corners of an interior edge,  s = B / (A0 + A1)

k are constant cotangent weights, so the force is linear, the Hessian constant and the local solve exact, without any angle:
the cheapest bending there is. Bent rest shapes are not possible, and uneven stretch in the plane costs a little: it is
taken for bending.
B [N m] is the rigidity of a plate for any roll of a lattice of equilateral triangles (Poisson ratio -1/3: a dome is a third
softer than at 0), and for rolls along the sides of a grid of right triangles; that grid is three times too stiff along one
diagonal, scattered vertices nearly twice in every direction. `discrete_shell` has none of these errors.
Source: Bergou, Wardetzky, Harmon, Zorin, Grinspun 2006, "A quadratic bending model for inextensible surfaces", eq. 4 and 5,
whose energy is three times as large at the same B, because it is three times a plate's.
"""

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3

NAME = "isometric_bending"
LABEL = "Flat"
ELEMENT = "hinge"  # an interior edge: its ends, then the two opposite corners
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "bending": ("Bend", "N m", 1e-5, 0.0, 1e3, False, "Bending rigidity, the same in all directions; flat at rest"),
}
CORNERS = 4
REST = 5
CONSTANTS = 1
STATE = 3  # force per k_a [N]
START_STRAINS = 0
CONSTRAINTS = 3
ONE_SIDED = False

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)


def rest(x, elements, values, axes, fraction):
    """Cotangent weights k of the four corners and stiffness s [N/m] of each hinge: (n, 5).

    x: rest positions [m], (n_vertices, 3). fraction: share of the stiffness of each hinge, (n,).
    """
    x0, x1, x2, x3 = (x[elements[:, a]] for a in range(4))
    at0, at1 = _cotangent(x1 - x0, x2 - x0), _cotangent(x0 - x1, x2 - x1)
    far0, far1 = _cotangent(x1 - x0, x3 - x0), _cotangent(x0 - x1, x3 - x1)
    area = 0.5 * (_double_area(x1 - x0, x2 - x0) + _double_area(x1 - x0, x3 - x0))
    stiffness = values["bending"] * np.asarray(fraction) / area
    return np.column_stack([at1 + far1, at0 + far0, -at0 - at1, -far0 - far1, stiffness])


def _double_area(a, b):
    return np.linalg.norm(np.cross(a, b), axis=1)


def _cotangent(a, b):
    return (a * b).sum(1) / _double_area(a, b)


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


def bending_matrix(x, elements, rest):
    """The second derivative for motion in any one direction [N/m]: (n, 4, 4), constant. rest: as returned by `rest`."""
    return rest[:, 4, None, None] * rest[:, :4, None] * rest[:, None, :4]


@element
def _weighted(points, rest):
    """y = sum_a k_a x_a [m]."""
    return vec3.add(
        vec3.combine(rest[0], points[0], rest[1], points[1]), vec3.combine(rest[2], points[2], rest[3], points[3])
    )


@element
def _spread(force, rest):
    """k_a times a force, at the four corners."""
    return (
        vec3.scale(rest[0], force),
        vec3.scale(rest[1], force),
        vec3.scale(rest[2], force),
        vec3.scale(rest[3], force),
    )


@element
def project(corners, w, rest, k, old, force, reprojection):
    """The exact local solve: force = -s (y + W (force - its old value)). The change of the force at the corners, and the
    new one."""
    mobility = w[0] * rest[0] * rest[0] + w[1] * rest[1] * rest[1] + w[2] * rest[2] * rest[2] + w[3] * rest[3] * rest[3]
    others = vec3.add_scaled(_weighted(corners, rest), -mobility, force)
    new = vec3.scale(-rest[4] / (ONE + mobility * rest[4]), others)
    return _spread(vec3.sub(new, force), rest), new


@element
def displacement(corners, rest, force):
    return _spread(force, rest)


@element
def equilibrium_state(corners, rest, k, old):
    """Return the state whose displacement is that of the element's own force."""
    return vec3.scale(-rest[4], _weighted(corners, rest))


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient at the four corners [N]."""
    y = _weighted(corners, rest)
    return HALF * rest[4] * vec3.dot(y, y), _spread(vec3.scale(rest[4], y), rest)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]: constant and positive."""
    return _spread(vec3.scale(rest[4], _weighted(directions, rest)), rest)


@element
def constraints(corners, rest, k, old):
    """The three components of y [m], their stiffnesses [N/m] and gradients."""
    s = rest[4]
    slopes = (_spread((ONE, ZERO, ZERO), rest), _spread((ZERO, ONE, ZERO), rest), _spread((ZERO, ZERO, ONE), rest))
    return _weighted(corners, rest), (s, s, s), slopes
