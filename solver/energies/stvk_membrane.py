"""Orthotropic Saint Venant-Kirchhoff membrane: the stretch and shear of a woven sheet.

    psi = 1/2 E : D : E  [N/m],  E = (F^T F - 1) / 2 the Green strain in the axes of warp and weft

The local solve has three unknowns, the symmetric 2x2 matrix L of the displacement increment
dx_a = c w_a F L g_a. Source: Chaudhary, Pokhariya, Narain, "Towards Generalized Position-Based Dynamics", eq. 18, for a
triangle.
The sheet is swept without re-projection (`methods/gpbd.py`): it adds the geometric stiffness of the stress, which is
negative where the sheet is compressed; there more sweeps made a hanging sheet blow up instead of converge.
"""

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import sym3, vec3

NAME = "stvk_membrane"
LABEL = "Stretch"
ELEMENT = "triangle"
PARAMETERS = {
    # name: (label, unit, default, low, high, low itself is not allowed, description)
    "young_warp": ("Stretch Warp", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the warp (u)"),
    "young_weft": ("Stretch Weft", "N/m", 1000.0, 0.0, 1e7, True, "Young's modulus times thickness along the weft (v)"),
    "shear": ("Shear", "N/m", 100.0, 0.0, 1e7, True, "In-plane shear modulus times thickness"),
    "poisson": ("Poisson", "", 0.2, 0.0, 0.95, False, "Sideways contraction; the geometric mean of both directions"),
    "damping": ("Stretch Damping", "s", 0.0, 0.0, 10.0, False, "Rayleigh damping: viscous stress over the rate of stress"),
}
CORNERS = 3
REST = 5
CONSTANTS = 5
STATE = 6  # P, the force displacement per c w_a g_a: two columns of three
MEMORY = 3  # Green strain at the start of the substep (E00, E11, 2 E01)

HALF = f32(0.5)
ONE = f32(1)
#: Share of G's trace that P weighs by itself: large against float32's rounding, small against all else.
DRIFT = f32(4e-6)


def rest(x, elements, values, axes, fraction):
    """Shape gradients g1, g2 [1/m] in the axes of warp and weft, and c = area * stiffness [N/m * m^2]: (n, 5).

    x: rest positions [m], (n_vertices, 3). axes: unit vectors of warp and weft in each triangle's plane, (n, 2, 3).
    fraction: share of the stiffness of each triangle, (n,).
    """
    e1 = x[elements[:, 1]] - x[elements[:, 0]]
    e2 = x[elements[:, 2]] - x[elements[:, 0]]
    frame = np.einsum("eij,ekj->eik", axes, np.stack([e1, e2], 1))  # columns: edges in warp, weft
    gradients = np.linalg.inv(frame)  # rows g1, g2
    area = 0.5 * np.abs(np.linalg.det(frame))
    return np.column_stack([gradients.reshape(-1, 4), area * fraction * _scale(values)])


def _scale(values):
    return max(values["young_warp"], values["young_weft"])


def constants(values, h):
    """D00, D01, D11, D22 over the stiffness scale, and the damping share tau / h: (5,).

    Source: plane stress of an orthotropic sheet whose Poisson ratios obey nu_wf E_f = nu_fw E_w.
    """
    scale, nu = _scale(values), values["poisson"]
    plane = 1.0 / (scale * (1.0 - nu * nu))
    warp, weft = values["young_warp"], values["young_weft"]
    return np.array(
        [warp * plane, nu * np.sqrt(warp * weft) * plane, weft * plane, values["shear"] / scale, values["damping"] / h]
    )


@element
def deformation(corners, g):
    """Columns of F, the deformation gradient (3x2). g: (g1x, g1y, g2x, g2y), as `rest` begins."""
    x0, x1, x2 = corners
    e1 = vec3.sub(x1, x0)
    e2 = vec3.sub(x2, x0)
    return vec3.combine(g[0], e1, g[2], e2), vec3.combine(g[1], e1, g[3], e2)


@element
def metric(f0, f1):
    """F^T F."""
    return (vec3.dot(f0, f0), vec3.dot(f1, f1), vec3.dot(f0, f1))


@element
def green_strain(c):
    """(E00, E11, 2 E01) of F^T F."""
    return (HALF * (c[0] - ONE), HALF * (c[1] - ONE), c[2])


@element
def stress(strain, old, k):
    """Second Piola-Kirchhoff stress over the stiffness scale, the damping stress tau dE/dt included: (00, 11, 01)."""
    share = k[4]
    e0 = strain[0] + share * (strain[0] - old[0])
    e1 = strain[1] + share * (strain[1] - old[1])
    e2 = strain[2] + share * (strain[2] - old[2])
    return (k[0] * e0 + k[1] * e1, k[1] * e0 + k[2] * e1, k[3] * e2)


@element
def project(corners, w, g, k, old, state, reprojection):
    """One local solve (one Newton step): the moved corners and the new columns of P. g: `rest`."""
    x0, x1, x2 = corners
    c = g[4]
    p0 = (state[0], state[1], state[2])
    p1 = (state[3], state[4], state[5])
    g0x = -(g[0] + g[2])
    g0y = -(g[1] + g[3])
    w0 = c * w[0]
    w1 = c * w[1]
    w2 = c * w[2]
    G = (
        w0 * g0x * g0x + w1 * g[0] * g[0] + w2 * g[2] * g[2],
        w0 * g0y * g0y + w1 * g[1] * g[1] + w2 * g[3] * g[3],
        w0 * g0x * g0y + w1 * g[0] * g[1] + w2 * g[2] * g[3],
    )
    f0, f1 = deformation(corners, g)
    C = metric(f0, f1)
    # Newton step on 1/2 tr((P + F L) G (P + F L)^T) + psi(F (1 + L G)).
    S = stress(green_strain(C), old, k)
    B = sym3.symmetric_kronecker(C, G)
    m00 = vec3.dot(f0, p0)
    m01 = vec3.dot(f0, p1)
    m10 = vec3.dot(f1, p0)
    m11 = vec3.dot(f1, p1)
    b = sym3.times(B, S)
    # Where corners are pinned G has directions that move nothing; a little inertia of P itself keeps P from drifting there.
    drift = DRIFT * (G[0] + G[1])
    G0 = G[0] + drift
    G1 = G[1] + drift
    b0 = -(b[0] + m00 * G0 + m01 * G[2])
    b1 = -(b[1] + m10 * G[2] + m11 * G1)
    b2 = -(b[2] + m00 * G[2] + m01 * G1 + m10 * G0 + m11 * G[2])
    T = sym3.positive_part(S)  # a compressed sheet has negative geometric stiffness
    gt00 = G[0] * T[0] + G[2] * T[2]
    gt01 = G[0] * T[2] + G[2] * T[1]
    gt10 = G[2] * T[0] + G[1] * T[2]
    gt11 = G[2] * T[2] + G[1] * T[1]
    N = (
        G0 + gt00 * G[0] + gt01 * G[2],
        G1 + gt10 * G[2] + gt11 * G[1],
        G[2] + gt00 * G[2] + gt01 * G[1],
    )
    K = sym3.symmetric_kronecker(C, N)
    grow = ONE + k[4]
    d0 = grow * k[0]
    d1 = grow * k[1]
    d2 = grow * k[2]
    d3 = grow * k[3]
    # K + B D B with B = ((B0, B1, B2), (B1, B3, B4), (B2, B4, B5))
    u00 = d0 * B[0] + d1 * B[1]
    u01 = d0 * B[1] + d1 * B[3]
    u02 = d0 * B[2] + d1 * B[4]
    u10 = d1 * B[0] + d2 * B[1]
    u11 = d1 * B[1] + d2 * B[3]
    u12 = d1 * B[2] + d2 * B[4]
    u20 = d3 * B[2]
    u21 = d3 * B[4]
    u22 = d3 * B[5]
    H = (
        K[0] + B[0] * u00 + B[1] * u10 + B[2] * u20,
        K[1] + B[0] * u01 + B[1] * u11 + B[2] * u21,
        K[2] + B[0] * u02 + B[1] * u12 + B[2] * u22,
        K[3] + B[1] * u01 + B[3] * u11 + B[4] * u21,
        K[4] + B[1] * u02 + B[3] * u12 + B[4] * u22,
        K[5] + B[2] * u02 + B[4] * u12 + B[5] * u22,
    )
    L = sym3.solve(H, (b0, b1, b2))
    s0 = vec3.combine(L[0], f0, L[2], f1)
    s1 = vec3.combine(L[2], f0, L[1], f1)
    p0 = vec3.add(p0, s0)
    p1 = vec3.add(p1, s1)
    x0 = vec3.add(x0, vec3.combine(w0 * g0x, s0, w0 * g0y, s1))
    x1 = vec3.add(x1, vec3.combine(w1 * g[0], s0, w1 * g[1], s1))
    x2 = vec3.add(x2, vec3.combine(w2 * g[2], s0, w2 * g[3], s1))
    return (x0, x1, x2), (p0[0], p0[1], p0[2], p1[0], p1[1], p1[2])


@element
def displacement(corners, g, state):
    """c P g_a of the three corners."""
    return forces(vec3.scale(g[4], (state[0], state[1], state[2])), vec3.scale(g[4], (state[3], state[4], state[5])), g)


@element
def forces(s0, s1, g):
    """S g_a of the three corners; s0, s1: columns of S."""
    d1 = vec3.combine(g[0], s0, g[1], s1)
    d2 = vec3.combine(g[2], s0, g[3], s1)
    return vec3.scale(-ONE, vec3.add(d1, d2)), d1, d2


@element
def remembered(corners, g):
    """Green strain."""
    f0, f1 = deformation(corners, g)
    return green_strain(metric(f0, f1))


@element
def gradient(corners, g, k, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the corners [N]. g: `rest`."""
    c = g[4]
    f0, f1 = deformation(corners, g)
    E = green_strain(metric(f0, f1))
    S = stress(E, old, k)
    p0 = vec3.combine(c * S[0], f0, c * S[2], f1)
    p1 = vec3.combine(c * S[2], f0, c * S[1], f1)
    pure = stress(E, E, k)
    rate = (E[0] - old[0], E[1] - old[1], E[2] - old[2])
    viscous = stress(rate, rate, k)
    energy = HALF * c * (pure[0] * E[0] + pure[1] * E[1] + pure[2] * E[2])
    loss = HALF * c * k[4] * (viscous[0] * rate[0] + viscous[1] * rate[1] + viscous[2] * rate[2])
    return energy + loss, forces(p0, p1, g)
