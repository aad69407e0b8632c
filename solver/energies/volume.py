"""Volume constraint: a tetrahedron that keeps its volume, softly or exactly.

    U = V (J - 1)^2 / (2 alpha)  [J],  J volume over rest volume, V the rest volume, alpha the compressibility [1/Pa]

With 1 / alpha the bulk modulus it is the volume part of a solid, whatever the mesh. It resists no shear: a material has it
beside another energy. A mesh has more tetrahedra than free coordinates, so at alpha = 0 the body keeps its volume while
single tetrahedra cannot all keep theirs, and swell and shrink in turns; a compressibility avoids that. The local solve has
one unknown, along the gradient of J, and never divides by alpha.
Source: Muller, Heidelberger, Hennix, Ratcliff 2007, "Position Based Dynamics", and Macklin, Muller, Chentanez 2016, "XPBD".
"""

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3

NAME = "volume"
LABEL = "Keep Volume"
ELEMENT = "tetrahedron"
LIMIT = 20
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "compliance": ("Compressibility", "1/Pa", 1e-5, 0.0, 1.0, False, "Inverse bulk modulus; 0 keeps the volume exactly"),
}
CORNERS = 4
REST = 3
CONSTANTS = 1
STATE = 1  # lambda: the force displacement per w_a grad_a J
START_STRAINS = 0
CONSTRAINTS = 1
ONE_SIDED = False

ONE = f32(1)
HALF = f32(0.5)
ZERO = f32(0)
SIX = f32(6)
#: Compliance of a hard constraint in functions that need a force as a function of the positions [1/Pa].
HARDEST = f32(1e-11)
#: Share of the gradients at rest that a squashed element's count as at least: from nearly flat it opens in several steps.
FLAT = f32(1e-2)


def rest(x, elements, values, axes, fraction):
    """1 / (6 V) [1/m^3], alpha / V [1/J], mean square of J's gradient at a corner at rest [1/m^2]: (n, 3).

    fraction: filled share of each element, (n,).
    """
    edges = x[elements[:, 1:]] - x[elements[:, :1]]
    volume = np.linalg.det(edges) / 6
    slopes = np.linalg.inv(edges).transpose(0, 2, 1)
    squares = (slopes**2).sum((1, 2)) + (slopes.sum(1) ** 2).sum(1)
    return np.column_stack([1 / (6 * volume), values["compliance"] / (volume * fraction), squares / 4])


def constants(values, h):
    """None: (1,) zero, because a material has at least one number."""
    return np.zeros(1)


@element
def _ratio(corners, rest):
    """J and its gradient at the four corners [1/m]."""
    e1 = vec3.sub(corners[1], corners[0])
    e2 = vec3.sub(corners[2], corners[0])
    e3 = vec3.sub(corners[3], corners[0])
    g1 = vec3.scale(rest[0], vec3.cross(e2, e3))
    g2 = vec3.scale(rest[0], vec3.cross(e3, e1))
    g3 = vec3.scale(rest[0], vec3.cross(e1, e2))
    return vec3.dot(e1, g1), (vec3.scale(-ONE, vec3.add(vec3.add(g1, g2), g3)), g1, g2, g3)


@element
def project(corners, w, rest, k, old, state, reprojection):
    """Solve locally. Returns the change of the force at the corners, and the new lambda."""
    J, g = _ratio(corners, rest)
    mobility = (
        w[0] * vec3.dot(g[0], g[0]) + w[1] * vec3.dot(g[1], g[1]) + w[2] * vec3.dot(g[2], g[2]) + w[3] * vec3.dot(g[3], g[3])
    )
    below = rest[1] + max(mobility, FLAT * rest[2] * (w[0] + w[1] + w[2] + w[3]))
    step = -(J - ONE + rest[1] * state[0]) / below if below > ZERO else ZERO
    return _times(step, g), (state[0] + step,)


@element
def _times(s, g):
    """The four vectors times s."""
    return vec3.scale(s, g[0]), vec3.scale(s, g[1]), vec3.scale(s, g[2]), vec3.scale(s, g[3])


@element
def displacement(corners, rest, state):
    """lambda along the gradient of J, at the four corners."""
    _, g = _ratio(corners, rest)
    return _times(state[0], g)


@element
def _stiffness(rest):
    """V / alpha [J]; of a hard constraint V over the least compressibility."""
    return ONE / max(rest[1], SIX * HARDEST * rest[0])


@element
def gradient(corners, rest, k, old):
    """Energy [J] and its gradient at the four corners [N]."""
    J, g = _ratio(corners, rest)
    force = _stiffness(rest) * (J - ONE)
    return HALF * force * (J - ONE), _times(force, g)


@element
def equilibrium_state(corners, rest, k, old):
    """Return lambda of the element's own force."""
    J, _ = _ratio(corners, rest)
    return (-_stiffness(rest) * (J - ONE),)


@element
def hessian_times(corners, rest, k, old, directions, exact):
    """Second derivative times directions [N]. exact: 0 leaves out the turning of J's gradient."""
    J, g = _ratio(corners, rest)
    e1 = vec3.sub(corners[1], corners[0])
    e2 = vec3.sub(corners[2], corners[0])
    e3 = vec3.sub(corners[3], corners[0])
    d1 = vec3.sub(directions[1], directions[0])
    d2 = vec3.sub(directions[2], directions[0])
    d3 = vec3.sub(directions[3], directions[0])
    s = _stiffness(rest)
    along = s * (vec3.dot(g[1], d1) + vec3.dot(g[2], d2) + vec3.dot(g[3], d3))
    turning = rest[0] * s * (J - ONE) if exact > 0 else ZERO
    h1 = vec3.combine(along, g[1], turning, vec3.add(vec3.cross(d2, e3), vec3.cross(e2, d3)))
    h2 = vec3.combine(along, g[2], turning, vec3.add(vec3.cross(d3, e1), vec3.cross(e3, d1)))
    h3 = vec3.combine(along, g[3], turning, vec3.add(vec3.cross(d1, e2), vec3.cross(e1, d2)))
    return vec3.scale(-ONE, vec3.add(vec3.add(h1, h2), h3)), h1, h2, h3


@element
def constraints(corners, rest, k, old):
    """J - 1, its stiffness [J] and gradient [1/m]."""
    J, g = _ratio(corners, rest)
    return (J - ONE,), (_stiffness(rest),), (g,)
