"""Faces of a sheet, triangles and quadrilaterals: deformation gradient, Green strain, and the local solve of a membrane.

A face has four corners, of which a triangle lacks the last. A quadrilateral's deformation gradient is that of the bilinear
map at its centre, which maps the diagonals as the whole face maps them (one-point integration). So it bends about its
diagonals, or any other line, without shear; two triangles in its place lock (`topology/quadrilaterals.py`).
Source: Flanagan, Belytschko 1981, "A uniform strain hexahedron and quadrilateral with orthogonal hourglass control".

The local solve has three unknowns, the symmetric 2x2 matrix L of the displacement increment dx_a = c w_a F L g_a.
Source: Chaudhary, Pokhariya, Narain, "Towards Generalized Position-Based Dynamics", eq. 18, for a triangle. Sheets are swept
without re-projection (`methods/gpbd.py`): it adds the geometric stiffness of the stress, which is negative under
compression; there more sweeps of a hanging sheet diverge.
"""

import numpy as np

from ..device.cpu import element, f32
from ..device.epsilon import epsilon
from ..mathlib import sym3, vec3

HALF = f32(0.5)
ONE = f32(1)
#: Share of G's trace that P weighs by itself, in roundings of the type: large against these, small against all else.
DRIFT = f32(33.554432)


def shape(x, elements, axes, stiffness):
    """Shape gradients g1, g2 [1/m] in the axes of warp and weft, c = area * stiffness [N/m * m^2], and g3 [1/m]: (n, 7).

    x: rest positions [m], (n_vertices, 3). elements: corners, (n, 4), the last -1 of a triangle, which has no g3. axes: unit
    vectors of warp and weft in each face's plane, (n, 2, 3). stiffness [N/m]: of each face, (n,).
    """
    corners, is_triangle = [x[corner] for corner in elements.T], elements[:, 3:] < 0
    first = corners[2] - corners[0]
    second = corners[3] - corners[1]
    first, second = np.where(is_triangle, corners[1] - corners[0], first), np.where(is_triangle, first, second)
    frame = np.einsum("eij,ekj->eik", axes, np.stack([first, second], 1))  # columns: edges or diagonals in warp, weft
    of_first, of_second = np.moveaxis(np.linalg.inv(frame), 1, 0)
    g1 = np.where(is_triangle, of_first, -of_second)
    g2 = np.where(is_triangle, of_second, of_first)
    g3 = np.where(is_triangle, 0.0, of_second)
    area = 0.5 * np.abs(np.linalg.det(frame))
    return np.column_stack([g1, g2, area * stiffness, g3])


def shape_gradients(shapes):
    """Gradients of the four corners [1/m], (n, 4, 2). shapes: `shape`, (n, 7 or more)."""
    others = np.stack([shapes[:, 0:2], shapes[:, 2:4], shapes[:, 5:7]], 1)
    return np.concatenate([-others.sum(1, keepdims=True), others], 1)


def with_gradients(shapes, gradients):
    """The shapes with these gradients of their corners, whose order may be another one."""
    shapes = shapes.copy()
    shapes[:, 0:2], shapes[:, 2:4], shapes[:, 5:7] = gradients[:, 1], gradients[:, 2], gradients[:, 3]
    return shapes


def plane_stress(warp, weft, shear, poisson):
    """Stiffness D00, D01, D11, D22 [N/m] of an orthotropic sheet: stress (00, 11, 01) over strain (E00, E11, 2 E01).

    warp, weft: Young's moduli times thickness [N/m]. poisson: geometric mean of both ratios, which obey
    nu_wf E_f = nu_fw E_w.
    """
    plane = 1.0 / (1.0 - poisson * poisson)
    return np.array([warp * plane, poisson * np.sqrt(warp * weft) * plane, weft * plane, shear])


@element
def deformation(corners, g):
    """Columns of F, the deformation gradient (3x2). g: `shape`."""
    x0, x1, x2, x3 = corners
    e1 = vec3.sub(x1, x0)
    e2 = vec3.sub(x2, x0)
    e3 = vec3.sub(x3, x0)
    f0 = vec3.add_scaled(vec3.combine(g[0], e1, g[2], e2), g[5], e3)
    return f0, vec3.add_scaled(vec3.combine(g[1], e1, g[3], e2), g[6], e3)


@element
def metric(f0, f1):
    """F^T F."""
    return (vec3.dot(f0, f0), vec3.dot(f1, f1), vec3.dot(f0, f1))


@element
def green_strain(c):
    """(E00, E11, 2 E01) of F^T F."""
    return (HALF * (c[0] - ONE), HALF * (c[1] - ONE), c[2])


@element
def strain_at_start(corners, g):
    """Green strain."""
    f0, f1 = deformation(corners, g)
    return green_strain(metric(f0, f1))


@element
def mobility(w, g):
    """G = c sum_a w_a g_a g_a^T (00, 11, 01): how far the stress moves the strain."""
    c = g[4]
    g0x = -(g[0] + g[2] + g[5])
    g0y = -(g[1] + g[3] + g[6])
    w0 = c * w[0]
    w1 = c * w[1]
    w2 = c * w[2]
    w3 = c * w[3]
    return (
        w0 * g0x * g0x + w1 * g[0] * g[0] + w2 * g[2] * g[2] + w3 * g[5] * g[5],
        w0 * g0y * g0y + w1 * g[1] * g[1] + w2 * g[3] * g[3] + w3 * g[6] * g[6],
        w0 * g0x * g0y + w1 * g[0] * g[1] + w2 * g[2] * g[3] + w3 * g[5] * g[6],
    )


@element
def scaled_forces(s0, s1, g):
    """c S g_a of the corners; s0, s1: columns of S."""
    return forces(vec3.scale(g[4], s0), vec3.scale(g[4], s1), g)


@element
def solve(w, g, f0, f1, C, S, D, state):
    """Solve a membrane locally (one Newton step). Returns the change of the force at the corners, and the new columns of P.

    g: `shape`. f0, f1: `deformation`. C: `metric`. S: second Piola-Kirchhoff stress (00, 11, 01). D: its derivative by the
    Green strain (00, 01, 11, 22). Both over the stiffness in g[4].
    """
    p0 = (state[0], state[1], state[2])
    p1 = (state[3], state[4], state[5])
    G = mobility(w, g)
    # Newton step on 1/2 tr((P + F L) G (P + F L)^T) + psi(F (1 + L G)).
    B = sym3.symmetric_kronecker(C, G)
    m00 = vec3.dot(f0, p0)
    m01 = vec3.dot(f0, p1)
    m10 = vec3.dot(f1, p0)
    m11 = vec3.dot(f1, p1)
    b = sym3.times(B, S)
    # Where corners are pinned G has directions that move nothing; a little inertia of P itself keeps P from drifting there.
    drift = DRIFT * epsilon(G[0]) * (G[0] + G[1])
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
    d0, d1, d2, d3 = D
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
    return scaled_forces(s0, s1, g), vec3.add(p0, s0) + vec3.add(p1, s1)


@element
def times(D, e):
    """D e: change of the stress (00, 11, 01) by a change of the strain (E00, E11, 2 E01). D: (00, 01, 11, 22)."""
    return D[0] * e[0] + D[1] * e[1], D[1] * e[0] + D[2] * e[1], D[3] * e[2]


@element
def forces(s0, s1, g):
    """S g_a of the corners; s0, s1: columns of S."""
    d1 = vec3.combine(g[0], s0, g[1], s1)
    d2 = vec3.combine(g[2], s0, g[3], s1)
    d3 = vec3.combine(g[5], s0, g[6], s1)
    return vec3.scale(-ONE, vec3.add(vec3.add(d1, d2), d3)), d1, d2, d3


@element
def displacement(corners, g, state):
    """c P g_a of the corners."""
    return scaled_forces((state[0], state[1], state[2]), (state[3], state[4], state[5]), g)


@element
def stress_forces(f0, f1, S, g):
    """c F S g_a of the corners: the gradient of an energy with the second Piola-Kirchhoff stress S (00, 11, 01)."""
    c = g[4]
    return forces(vec3.combine(c * S[0], f0, c * S[2], f1), vec3.combine(c * S[2], f0, c * S[1], f1), g)


@element
def hessian_times(f0, f1, g, S, D, directions, exact):
    """Second derivative times directions at the corners; S, D as in `solve`.

    exact: 1 for the true one, 0 with the positive part of S alone, because compression has a negative geometric stiffness.
    """
    d0, d1 = deformation(directions, g)
    e0 = vec3.dot(f0, d0)
    e1 = vec3.dot(f1, d1)
    e2 = vec3.dot(f0, d1) + vec3.dot(f1, d0)
    t0 = D[0] * e0 + D[1] * e1
    t1 = D[1] * e0 + D[2] * e1
    t2 = D[3] * e2
    c = g[4]
    T = sym3.positive_part(S)
    S0 = S[0] if exact > 0 else T[0]
    S1 = S[1] if exact > 0 else T[1]
    S2 = S[2] if exact > 0 else T[2]
    elastic0 = vec3.combine(c * t0, f0, c * t2, f1)
    elastic1 = vec3.combine(c * t2, f0, c * t1, f1)
    geometric0 = vec3.combine(c * S0, d0, c * S2, d1)
    geometric1 = vec3.combine(c * S2, d0, c * S1, d1)
    return forces(vec3.add(elastic0, geometric0), vec3.add(elastic1, geometric1), g)


@element
def strain_gradients(f0, f1, g):
    """Gradients of E00, E11 and 2 E01 at the corners [1/m]."""
    zero = vec3.sub(f0, f0)
    return forces(f0, zero, g), forces(zero, f1, g), forces(f1, f0, g)


@element
def constraints(E, f0, f1, g, k):
    """E00 + r E11, E11 and 2 E01 with r = D01 / D00, their stiffnesses [J] and gradients [1/m].

    E: the elastic Green strain. k: D00, D01, D11 and D22 over the stiffness in g[4], first.
    """
    g0, g1, g2 = strain_gradients(f0, f1, g)
    r = k[1] / k[0]
    c = g[4]
    both = (
        vec3.add_scaled(g0[0], r, g1[0]),
        vec3.add_scaled(g0[1], r, g1[1]),
        vec3.add_scaled(g0[2], r, g1[2]),
        vec3.add_scaled(g0[3], r, g1[3]),
    )
    return (E[0] + r * E[1], E[1], E[2]), (c * k[0], c * (k[2] - r * k[1]), c * k[3]), (both, g1, g2)


@element
def stiffness_block(u, v, f0, f1, T, D):
    """Block B^T D B + g^T S+ g of a face's second derivative between two corners, nine numbers column by column [N/m].

    u, v: their shape gradients, one of them times the area [m]. T: positive part S+ of the stress, which keeps the block
    positive. D: derivative of the stress by the strain, six numbers.
    """
    xx, xy, yx, yy = u[0] * v[0], u[0] * v[1], u[1] * v[0], u[1] * v[1]
    both = xy + yx
    m00 = D[0] * xx + D[2] * both + D[5] * yy
    m01 = D[1] * xy + D[2] * xx + D[4] * yy + D[5] * yx
    m10 = D[1] * yx + D[2] * xx + D[4] * yy + D[5] * xy
    m11 = D[3] * yy + D[4] * both + D[5] * xx
    r0 = vec3.combine(m00, f0, m10, f1)
    r1 = vec3.combine(m01, f0, m11, f1)
    geometric = T[0] * xx + T[1] * yy + T[2] * both
    return (
        r0[0] * f0[0] + r1[0] * f1[0] + geometric,
        r0[1] * f0[0] + r1[1] * f1[0],
        r0[2] * f0[0] + r1[2] * f1[0],
        r0[0] * f0[1] + r1[0] * f1[1],
        r0[1] * f0[1] + r1[1] * f1[1] + geometric,
        r0[2] * f0[1] + r1[2] * f1[1],
        r0[0] * f0[2] + r1[0] * f1[2],
        r0[1] * f0[2] + r1[1] * f1[2],
        r0[2] * f0[2] + r1[2] * f1[2] + geometric,
    )
