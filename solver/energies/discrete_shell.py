"""Discrete shell: the bending of a sheet by the angle between neighbouring triangles.

    U = 1/2 k (theta - theta_rest)^2,  k = B l^2 / A  [J]

l: length of the shared edge, A: area of both triangles, B: bending rigidity across the edge [N m]. With this factor a
sheet of equilateral or of right triangles rolled to a cylinder along its rows stores B kappa^2 / 2 a unit area, as the
continuum does (Seung and Nelson 1988, for the first). Source: Grinspun et al. 2003, "Discrete Shells".
The local solve has one unknown, along the gradient of theta: the compliant constraint of XPBD.
"""

import math

import numpy as np

from ..device.cpu import CHUNK, LANES, element, f32, kernel, parallel_kernel, prange
from ..device.lanes import corner, gather, put, scatter, weight
from ..mathlib import vec3

NAME = "discrete_shell"
LABEL = "Bend"
ELEMENT = "hinge"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "bending_warp": ("Bend Warp", "N m", 1e-5, 0.0, 1e3, False, "Bending rigidity for curvature along the warp"),
    "bending_weft": ("Bend Weft", "N m", 1e-5, 0.0, 1e3, False, "Bending rigidity for curvature along the weft"),
    "damping": ("Bend Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous moment over the rate of moment"),
}
STATE = 1  # lambda: the force displacement per w_a grad_a theta
MEMORY = 1  # angle at the start of the substep [rad]

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
HALF = f32(0.5)
HALF_PI = f32(np.pi / 2)
TINY = f32(1e-30)
#: atan(u) / u for |u| <= tan(pi / 8) as a polynomial in u^2 (Taylor; the next term is below 1e-8).
ATAN = (f32(1), f32(-1 / 3), f32(1 / 5), f32(-1 / 7), f32(1 / 9), f32(-1 / 11), f32(1 / 13), f32(-1 / 15), f32(1 / 17))


def rest(x, elements, values, axes, fraction):
    """Stiffness k [J] and rest angle [rad] of each hinge: (n, 2).

    x: rest positions [m], (n_vertices, 3). axes: unit vectors of warp and weft in the plane of each hinge's first
    triangle, (n, 2, 3). fraction: share of the stiffness of each hinge, (n,).
    """
    x0, x1, x2, x3 = (x[elements[:, i]] for i in range(4))
    edge = x1 - x0
    area = 0.5 * np.linalg.norm(np.cross(edge, x2 - x0), axis=1) + 0.5 * np.linalg.norm(np.cross(edge, x3 - x0), axis=1)
    length2 = (edge * edge).sum(1)
    # Curvature across the edge, so along the direction in the sheet that stands at right angles to it.
    along_warp = np.einsum("ei,ei->e", edge, axes[:, 0]) ** 2 / length2
    rigidity = (1 - along_warp) * values["bending_warp"] + along_warp * values["bending_weft"]
    return np.column_stack([rigidity * fraction * length2 / area, _angles(x0, x1, x2, x3)])


def _angles(x0, x1, x2, x3):
    edge = x1 - x0
    n1, n2 = np.cross(edge, x2 - x0), np.cross(x3 - x0, edge)
    return np.arctan2((np.cross(n1, n2) * edge).sum(1) / np.linalg.norm(edge, axis=1), (n1 * n2).sum(1))


def constants(values, h):
    """The damping share tau / h: (1,)."""
    return np.array([values["damping"] / h])


@element
def angle(x0, x1, x2, x3):
    """Dihedral angle theta [rad], 0 when flat, and its gradients at the four corners [rad/m]."""
    e = vec3.sub(x1, x0)
    a = vec3.sub(x2, x0)
    b = vec3.sub(x3, x0)
    n1 = vec3.cross(e, a)
    n2 = vec3.cross(b, e)
    e2 = vec3.dot(e, e) + TINY
    length = math.sqrt(e2)
    inverse = ONE / length
    i1 = ONE / math.sqrt(vec3.dot(n1, n1) + TINY)
    i2 = ONE / math.sqrt(vec3.dot(n2, n2) + TINY)
    # n1 x n2 runs along e.
    sine = vec3.dot(vec3.cross(n1, n2), e) * inverse * i1 * i2
    cosine = vec3.dot(n1, n2) * i1 * i2
    # tan(theta / 2) = sine / (1 + cosine); the smaller over the larger stays in [0, 1], as in atan2.
    s = abs(sine)
    c = max(ONE + cosine, ZERO)
    big = max(s, c) + TINY
    u = min(s, c) / big  # tan of an angle in [0, pi / 4]
    v = u / (ONE + math.sqrt(ONE + u * u))  # tan of its half, at most tan(pi / 8)
    z = v * v
    p = ATAN[8]
    p = ATAN[7] + z * p
    p = ATAN[6] + z * p
    p = ATAN[5] + z * p
    p = ATAN[4] + z * p
    p = ATAN[3] + z * p
    p = ATAN[2] + z * p
    p = ATAN[1] + z * p
    p = ATAN[0] + z * p
    small = TWO * v * p  # atan(u)
    half = small if s <= c else HALF_PI - small
    theta = TWO * half if sine >= ZERO else -TWO * half
    g2 = vec3.scale(-length * i1 * i1, n1)
    g3 = vec3.scale(-length * i2 * i2, n2)
    t2 = vec3.dot(a, e) * inverse * inverse
    t3 = vec3.dot(b, e) * inverse * inverse
    g1 = vec3.combine(-t2, g2, -t3, g3)
    g0 = vec3.combine(t2 - ONE, g2, t3 - ONE, g3)
    return theta, g0, g1, g2, g3


@element
def project(x0, x1, x2, x3, w, stiffness, rest_angle, old, share, lam):
    """One local solve: the moved corners and the new lambda.

    w: h^2 / mass of the corners. stiffness [J]. rest_angle, old (at the substep's start) [rad]. share: tau / h.
    """
    theta, g0, g1, g2, g3 = angle(x0, x1, x2, x3)
    moment = stiffness * (theta - rest_angle + share * (theta - old))
    slope = (
        w[0] * vec3.dot(g0, g0) + w[1] * vec3.dot(g1, g1) + w[2] * vec3.dot(g2, g2) + w[3] * vec3.dot(g3, g3)
    )
    step = -(moment + lam) / (ONE + stiffness * (ONE + share) * slope)
    return (
        vec3.add_scaled(x0, w[0] * step, g0),
        vec3.add_scaled(x1, w[1] * step, g1),
        vec3.add_scaled(x2, w[2] * step, g2),
        vec3.add_scaled(x3, w[3] * step, g3),
        lam + step,
    )


@kernel
def project_pack(pack, index, rest, constants, material, memory, state, x, lanes):
    gather(x, index, pack, 4, lanes)
    r = rest[pack]
    m = memory[pack]
    s = state[pack]
    share = constants[material[pack], 0]
    for lane in range(LANES):
        w = (weight(lanes, 0, lane), weight(lanes, 1, lane), weight(lanes, 2, lane), weight(lanes, 3, lane))
        x0, x1, x2, x3, lam = project(
            corner(lanes, 0, lane),
            corner(lanes, 1, lane),
            corner(lanes, 2, lane),
            corner(lanes, 3, lane),
            w,
            r[lane],
            r[LANES + lane],
            m[lane],
            share,
            s[lane],
        )
        put(lanes, 0, lane, x0)
        put(lanes, 1, lane, x1)
        put(lanes, 2, lane, x2)
        put(lanes, 3, lane, x3)
        s[lane] = lam
    scatter(x, index, pack, 4, lanes)


@parallel_kernel
def sweep(first, last, index, rest, constants, material, memory, state, reprojection, x):
    for chunk in prange((last - first + CHUNK - 1) // CHUNK):
        lanes = np.empty(16 * LANES, x.dtype)
        for pack in range(first + chunk * CHUNK, min(first + (chunk + 1) * CHUNK, last)):
            project_pack(pack, index, rest, constants, material, memory, state, x, lanes)


@element
def _angle_of(index, pack, lane, x):
    a = index[pack, lane]
    b = index[pack, LANES + lane]
    c = index[pack, 2 * LANES + lane]
    d = index[pack, 3 * LANES + lane]
    return angle(
        (x[a, 0], x[a, 1], x[a, 2]), (x[b, 0], x[b, 1], x[b, 2]), (x[c, 0], x[c, 1], x[c, 2]), (x[d, 0], x[d, 1], x[d, 2])
    )


@kernel
def remember(first, last, index, rest, constants, material, memory, x):
    for pack in range(first, last):
        for lane in range(LANES):
            memory[pack, lane] = _angle_of(index, pack, lane, x)[0]


@kernel
def warm_start(first, last, index, rest, constants, material, state, share, x):
    for pack in range(first, last):
        for lane in range(LANES):
            state[pack, lane] *= share
            _, g0, g1, g2, g3 = _angle_of(index, pack, lane, x)
            for number, g in enumerate((g0, g1, g2, g3)):
                vertex = index[pack, number * LANES + lane]
                step = x[vertex, 3] * state[pack, lane]
                for i in range(3):
                    x[vertex, i] += step * g[i]


@kernel
def add_gradient(first, last, index, rest, constants, material, memory, x, gradient_out):
    total = 0.0
    for pack in range(first, last):
        share = constants[material[pack], 0]
        for lane in range(LANES):
            theta, g0, g1, g2, g3 = _angle_of(index, pack, lane, x)
            k = rest[pack, lane]
            bend = theta - rest[pack, LANES + lane]
            rate = theta - memory[pack, lane]
            moment = k * (bend + share * rate)
            total += HALF * k * (bend * bend + share * rate * rate)
            for number, g in enumerate((g0, g1, g2, g3)):
                vertex = index[pack, number * LANES + lane]
                for i in range(3):
                    gradient_out[vertex, i] += moment * g[i]
    return total
