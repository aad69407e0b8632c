"""Weak constraint: a spring of no length from a vertex of one surface to the point of a triangle that it was nearest to.

    U = 1/2 k |x_0 - b_1 x_1 - b_2 x_2 - b_3 x_3|^2  [J]

It pulls and pushes alike, in all directions, and closes the gap that the two surfaces had at first. The local solve is
exact. Source: Chen, Han, Chen, Teran 2023, "Position-Based Nonlinear Gauss-Seidel for Quasistatic Hyperelasticity", eqs.
18 and 19, with one stiffness in all directions; per area of surface, so that the mesh's resolution does not change it.
"""

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3

NAME = "weak_constraint"
LABEL = "Tie"
ELEMENT = "tie"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "stiffness": ("Stiffness", "N/m^3", 1e7, 0.0, 1e15, True, "Force of a square meter of tied surface over the gap"),
}
CORNERS = 4
REST = 4
CONSTANTS = 1
STATE = 3  # force on the vertex [N]
START_STRAINS = 1  # nothing: energies without damping have one number that nobody reads
CONSTRAINTS = 3
ONE_SIDED = False

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TINY = 1e-30


def rest(x, elements, values, axes, fraction):
    """Stiffness [N/m] and shares b_1, b_2, b_3 of the triangle's corners at the point nearest the vertex: (n, 4).

    x: start positions [m]. elements: (n, 4), a vertex and the corners of its triangle, -1 for none. fraction: tied area of
    each vertex [m^2], (n,).
    """
    return np.column_stack([values["stiffness"] * np.asarray(fraction, float), _barycentric(x, elements)])


def weights(x, elements):
    """Weights of an element's vertices in its gap: (n, 4). x, elements: see `rest`."""
    return np.column_stack([np.ones(len(elements)), -_barycentric(x, elements)])


def _barycentric(x, elements):
    """Shares of the triangle's corners at the foot of the perpendicular, or on the border if that is outside: (n, 3). The
    last corner of a segment of a rope is -1."""
    p, a, b, c = (x[elements[:, k]] for k in range(4))
    u, v, d = b - a, c - a, p - a
    uu, uv, vv = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1)
    du, dv = (d * u).sum(1), (d * v).sum(1)
    area = np.maximum(uu * vv - uv * uv, TINY)
    shares = np.stack([np.zeros(len(p)), (vv * du - uv * dv) / area, (uu * dv - uv * du) / area], 1)
    shares[:, 0] = 1 - shares[:, 1] - shares[:, 2]
    along = du / np.maximum(uu, TINY)
    shares = np.where(elements[:, 3:] < 0, np.stack([1 - along, along, 0 * along], 1), shares)
    shares = np.maximum(shares, 0)
    return shares / shares.sum(1, keepdims=True)


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


@element
def _gap(corners, rest):
    """Return the vector from the point of the triangle to the vertex [m]; for directions in place of corners its change."""
    x0, x1, x2, x3 = corners
    return vec3.sub(x0, vec3.add(vec3.combine(rest[1], x1, rest[2], x2), vec3.scale(rest[3], x3)))


@element
def _spread(force, rest):
    """Return a force on the vertex, and its reaction at the triangle's corners."""
    return force, vec3.scale(-rest[1], force), vec3.scale(-rest[2], force), vec3.scale(-rest[3], force)


@element
def project(corners, w, rest, k, old, force, reprojection):
    """The local solve: force = -k gap, where all corners move by w times their share of the force. The change of
    the force at the corners, and the new one."""
    share = w[0] + rest[1] * rest[1] * w[1] + rest[2] * rest[2] * w[2] + rest[3] * rest[3] * w[3]
    other = vec3.add_scaled(_gap(corners, rest), -share, force)
    new = vec3.scale(-rest[0] / (ONE + rest[0] * share), other)
    return _spread(vec3.sub(new, force), rest), new


@element
def displacement(corners, rest, force):
    return _spread((force[0], force[1], force[2]), rest)


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient [N]."""
    d = _gap(corners, rest)
    return HALF * rest[0] * vec3.dot(d, d), _spread(vec3.scale(rest[0], d), rest)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """k times the change of the gap, at all corners [N]; it is the same everywhere."""
    return _spread(vec3.scale(rest[0], _gap(directions, rest)), rest)


@element
def block(corners, rest, k, old, mine):
    """Return the gradient at one corner [N] and its diagonal 3x3 block [N/m]."""
    b = mine[0] - mine[1] * rest[1] - mine[2] * rest[2] - mine[3] * rest[3]
    stiffness = rest[0] * b * b
    return vec3.scale(rest[0] * b, _gap(corners, rest)), (stiffness, stiffness, stiffness, ZERO, ZERO, ZERO)


@element
def constraints(corners, rest, k, old):
    """The three coordinates of the gap [m], their stiffnesses, and their gradients at the corners."""
    zero = rest[1] - rest[1]  # of the type of the others
    one = ONE + zero
    x, y, z = (one, zero, zero), (zero, one, zero), (zero, zero, one)
    return _gap(corners, rest), (rest[0], rest[0], rest[0]), (_spread(x, rest), _spread(y, rest), _spread(z, rest))
