"""A shell element, a triangle and its three neighbours: the dihedral angles at its edges, and the moments of bends.

    U = 1/2 b : K : b  [J],  b_i = theta_i less the angle of edge i without moment

theta_i: angle at edge i, which lies opposite corner i. K makes of b the energy of a plate, A/2 kappa : D : kappa with
kappa = sum_i b_i l_i / (2 A) n_i n_i^T [1/m], the discrete shape operator: l_i the length of the edge, n_i its normal in
the triangle, A the area. On grids of right triangles it is exact for every quadratic surface, whichever way the diagonals
run; the sum over single hinges of Grinspun et al. 2003 is a fifth too soft along such a grid and three times too stiff
across it.
Source: Grinspun, Gingold, Reisman, Zorin 2006, "Computing discrete shape operators on general meshes"; orthotropic plate
with Poisson ratio 0: D = (warp, weft, 1/2 sqrt(warp weft)) on (kappa_00, kappa_11, 2 kappa_01).
The local solve has three unknowns, one along the gradient of each angle: three coupled compliant constraints of XPBD.

K is a tuple that begins with (00, 11, 22, 01, 02, 12); `rest` of an energy begins so. unbent: the three angles without
moment. share: damping time over the substep. old: the three angles at its start.
"""

import math

import numpy as np

from ..device.cpu import element, f32
from ..mathlib import vec3
from .hinge import fold, fold_rates

ZERO = f32(0)
ONE = f32(1)
HALF = f32(0.5)
TINY = f32(1e-30)
#: A pivot of K below this share of its diagonal is rounding.
SINGULAR = f32(1e-6)


def rest(x, elements, bending, axes, fraction):
    """Stiffness matrix K [J] (00, 11, 22, 01, 02, 12) and rest angles [rad] of each patch: (n, 9).

    x: rest positions [m], (n_vertices, 3). bending: rigidity for curvature along warp and weft [N m]. elements: triangle
    corners, then the corner across the edge opposite each, (n, 6), -1 where the sheet ends; there an angle has no stiffness.
    axes: unit vectors of warp and weft in each triangle's plane, (n, 2, 3). fraction: share of the stiffness of each
    triangle, (n,).
    """
    corners = [x[elements[:, i]] for i in range(3)]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    area = 0.5 * np.linalg.norm(normal, axis=1)
    normal /= 2 * area[:, None]
    D = np.array([*bending, 0.0])
    D[2] = 0.5 * np.sqrt(D[0] * D[1])
    rows, angles = [], []
    for i in range(3):
        edge = corners[(i + 2) % 3] - corners[(i + 1) % 3]
        across = np.einsum("eij,ej->ei", axes, np.cross(normal, edge))  # normal to the edge, times its length
        length = np.linalg.norm(edge, axis=1)
        inside = elements[:, 3 + i] >= 0
        size = np.where(inside, 0.5 / (area * length), 0.0)[:, None]
        rows.append(size * np.stack([across[:, 0] ** 2, across[:, 1] ** 2, 2 * across[:, 0] * across[:, 1]], 1))
        flap = x[np.where(inside, elements[:, 3 + i], elements[:, i])]
        n2 = np.cross(flap - corners[(i + 1) % 3], edge)
        sine = (np.cross(normal, n2) * edge).sum(1) / length
        angles.append(np.where(inside, np.arctan2(sine, (normal * n2).sum(1)), 0.0))
    M = np.stack(rows, 1)
    K = np.einsum("e,eik,k,ejk->eij", area * fraction, M, D, M)
    packed = [K[:, 0, 0], K[:, 1, 1], K[:, 2, 2], K[:, 0, 1], K[:, 0, 2], K[:, 1, 2]]
    return np.column_stack(packed + angles)


def stiffness_ratio(x, elements, rest, w):
    """Elastic over inertial stiffness, h^2 k / m, of each patch when it is flat: (n,).

    x: rest positions [m]. elements: (n, 6), -1 where the sheet ends. rest: as returned by `rest`. w: h^2 / mass of each
    vertex [s^2/kg]. Bounds sum_i K_ii sum_a w_a |grad_a theta_i|^2 by the heights of the two triangles at each edge.
    """
    total = np.zeros(len(elements))
    heaviest = w[elements[:, :3]].max(1)
    for i in range(3):
        a, b = x[elements[:, (i + 1) % 3]], x[elements[:, (i + 2) % 3]]
        flap = np.where(elements[:, 3 + i] >= 0, elements[:, 3 + i], elements[:, i])
        length = np.linalg.norm(b - a, axis=1)
        inverse = [length / np.linalg.norm(np.cross(b - a, x[tip] - a), axis=1) for tip in (elements[:, i], flap)]
        both = inverse[0] ** 2 + inverse[1] ** 2 + (inverse[0] + inverse[1]) ** 2
        total += rest[:, i] * heaviest * both
    return total


def bending_matrix(x, elements, rest):
    """Return a bound of the second derivative for motion along the normal of a flat sheet [N/m]: (n, 6, 6).

    x: rest positions [m]. elements: (n, 6), -1 where the sheet ends. rest: as returned by `rest`; it begins with K, replaced
    by the sums of its rows: three uncoupled hinges, at most twice as stiff on grids of right triangles.
    """
    slopes = np.zeros((len(elements), 3, 6))  # of the angles [1/m]
    every = np.arange(len(elements))
    for i in range(3):
        first, second = (i + 1) % 3, (i + 2) % 3
        a, b = x[elements[:, first]], x[elements[:, second]]
        edge = b - a
        length = np.linalg.norm(edge, axis=1)
        flap = np.where(elements[:, 3 + i] >= 0, elements[:, 3 + i], elements[:, i])
        for corner, tip in ((i, x[elements[:, i]] - a), (3 + i, x[flap] - a)):
            steep = length / np.linalg.norm(np.cross(edge, tip), axis=1)
            foot = (tip * edge).sum(1) / length**2
            slopes[every, i, corner] += steep
            slopes[every, i, first] -= (1 - foot) * steep
            slopes[every, i, second] -= foot * steep
    sums = np.abs(rest[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]]).reshape(-1, 3, 3).sum(2)
    return np.einsum("eia,ei,eib->eab", slopes, sums, slopes)


@element
def angle_rates(corners, d):
    """`fold_rates` of the three folds of a patch, in the order of `angles`."""
    x0, x1, x2, f0, f1, f2 = corners
    return (
        fold_rates(x1, x2, x0, f0, d[1], d[2], d[0], d[3]),
        fold_rates(x2, x0, x1, f1, d[2], d[0], d[1], d[4]),
        fold_rates(x0, x1, x2, f2, d[0], d[1], d[2], d[5]),
    )


@element
def angles(corners):
    """The three folds of a patch; edge i lies opposite corner i.

    Fold A lies on corners 1, 2, 0 and flap 0; B on 2, 0, 1 and flap 1; C on 0, 1, 2 and flap 2.
    """
    x0, x1, x2, f0, f1, f2 = corners
    n = vec3.cross(vec3.sub(x1, x0), vec3.sub(x2, x0))
    i = ONE / math.sqrt(vec3.dot(n, n) + TINY)
    return fold(x1, x2, x0, f0, n, i), fold(x2, x0, x1, f1, n, i), fold(x0, x1, x2, f2, n, i)


@element
def times(K, v):
    """K v of a symmetric 3x3 matrix (00, 11, 22, 01, 02, 12)."""
    return (
        K[0] * v[0] + K[3] * v[1] + K[4] * v[2],
        K[3] * v[0] + K[1] * v[1] + K[5] * v[2],
        K[4] * v[0] + K[5] * v[1] + K[2] * v[2],
    )


@element
def moments(theta, K, unbent, old, share):
    """Elastic and damping moment of each angle [J/rad]."""
    return times(
        K,
        (
            theta[0] - unbent[0] + share * (theta[0] - old[0]),
            theta[1] - unbent[1] + share * (theta[1] - old[1]),
            theta[2] - unbent[2] + share * (theta[2] - old[2]),
        ),
    )


@element
def solve(corners, w, K, unbent, share, old, lam):
    """Solve locally, (1 + K G) step = -(moment + lambda). Returns the forces of the step and the new lambda."""
    A, B, C = angles(corners)
    m = moments((A[0], B[0], C[0]), K, unbent, old, share)
    n0 = -(m[0] + lam[0])
    n1 = -(m[1] + lam[1])
    n2 = -(m[2] + lam[2])
    G = (
        w[0] * vec3.dot(A[3], A[3])
        + w[1] * vec3.dot(A[1], A[1])
        + w[2] * vec3.dot(A[2], A[2])
        + w[3] * vec3.dot(A[4], A[4]),
        w[0] * vec3.dot(B[2], B[2])
        + w[1] * vec3.dot(B[3], B[3])
        + w[2] * vec3.dot(B[1], B[1])
        + w[4] * vec3.dot(B[4], B[4]),
        w[0] * vec3.dot(C[1], C[1])
        + w[1] * vec3.dot(C[2], C[2])
        + w[2] * vec3.dot(C[3], C[3])
        + w[5] * vec3.dot(C[4], C[4]),
        w[0] * vec3.dot(A[3], B[2]) + w[1] * vec3.dot(A[1], B[3]) + w[2] * vec3.dot(A[2], B[1]),
        w[0] * vec3.dot(A[3], C[1]) + w[1] * vec3.dot(A[1], C[2]) + w[2] * vec3.dot(A[2], C[3]),
        w[0] * vec3.dot(B[2], C[1]) + w[1] * vec3.dot(B[3], C[2]) + w[2] * vec3.dot(B[1], C[3]),
    )
    grow = ONE + share
    r0 = times(G, (grow * K[0], grow * K[3], grow * K[4]))  # rows of K G
    r1 = times(G, (grow * K[3], grow * K[1], grow * K[5]))
    r2 = times(G, (grow * K[4], grow * K[5], grow * K[2]))
    a = (ONE + r0[0], r0[1], r0[2])
    b = (r1[0], ONE + r1[1], r1[2])
    c = (r2[0], r2[1], ONE + r2[2])
    bc = vec3.cross(b, c)
    ca = vec3.cross(c, a)
    ab = vec3.cross(a, b)
    inverse = ONE / vec3.dot(a, bc)
    s0 = inverse * (n0 * bc[0] + n1 * ca[0] + n2 * ab[0])
    s1 = inverse * (n0 * bc[1] + n1 * ca[1] + n2 * ab[1])
    s2 = inverse * (n0 * bc[2] + n1 * ca[2] + n2 * ab[2])
    return forces(A, B, C, (s0, s1, s2)), (lam[0] + s0, lam[1] + s1, lam[2] + s2)


@element
def forces(A, B, C, s):
    """Sum of the gradients of the three angles, each times its s, at the six corners."""
    return (
        vec3.add_scaled(vec3.combine(s[0], A[3], s[1], B[2]), s[2], C[1]),
        vec3.add_scaled(vec3.combine(s[0], A[1], s[1], B[3]), s[2], C[2]),
        vec3.add_scaled(vec3.combine(s[0], A[2], s[1], B[1]), s[2], C[3]),
        vec3.scale(s[0], A[4]),
        vec3.scale(s[1], B[4]),
        vec3.scale(s[2], C[4]),
    )


@element
def displacement(corners, K, lam):
    """lambda along the gradients of the angles, at the six corners."""
    A, B, C = angles(corners)
    return forces(A, B, C, lam)


@element
def equilibrium_state(corners, K, unbent, share, old):
    """Return the state whose displacement is that of the element's own force: minus the moments."""
    A, B, C = angles(corners)
    return vec3.scale(-ONE, moments((A[0], B[0], C[0]), K, unbent, old, share))


@element
def strain_at_start(corners, K):
    """The three angles."""
    A, B, C = angles(corners)
    return A[0], B[0], C[0]


@element
def gradient(corners, K, unbent, share, old):
    """Energy [J], with the dissipation potential of the damping, and its gradient at the six corners [N]."""
    A, B, C = angles(corners)
    theta = (A[0], B[0], C[0])
    bend = vec3.sub(theta, unbent)
    rate = vec3.sub(theta, (old[0], old[1], old[2]))
    energy = HALF * vec3.dot(bend, times(K, bend)) + HALF * share * vec3.dot(rate, times(K, rate))
    return energy, forces(A, B, C, moments(theta, K, unbent, old, share))


@element
def hessian_times(corners, K, unbent, damping, old, directions, exact):
    """Second derivative times directions [N]. damping: the share. exact: 0 leaves out the turning of the angles'
    gradients."""
    A, B, C = angles(corners)
    dA, dB, dC = angle_rates(corners, directions)
    grow = ONE + damping
    rate = times(K, (grow * dA[0], grow * dB[0], grow * dC[0]))
    share = ONE if exact > 0 else ZERO
    moment = vec3.scale(share, moments((A[0], B[0], C[0]), K, unbent, old, damping))
    stiff = forces(A, B, C, rate)
    turned = forces(dA, dB, dC, moment)
    return (
        vec3.add(stiff[0], turned[0]),
        vec3.add(stiff[1], turned[1]),
        vec3.add(stiff[2], turned[2]),
        vec3.add(stiff[3], turned[3]),
        vec3.add(stiff[4], turned[4]),
        vec3.add(stiff[5], turned[5]),
    )


@element
def constraints(corners, K, unbent):
    """Three combinations of the bends whose stiffnesses [J] do not couple, from K = L d L^T, and their gradients [1/m].

    Where the sheet ends an angle has no stiffness; then its constraint has none either.
    """
    A, B, C = angles(corners)
    b0 = A[0] - unbent[0]
    b1 = B[0] - unbent[1]
    b2 = C[0] - unbent[2]
    l10 = K[3] / (K[0] + TINY)
    l20 = K[4] / (K[0] + TINY)
    s1 = max(K[1] - l10 * K[3], ZERO)
    rest12 = K[5] - l10 * K[4]
    # A pivot that rounding made out of nothing has no row below it.
    l21 = rest12 / s1 if s1 > SINGULAR * K[1] else ZERO
    s2 = max(K[2] - l20 * K[4] - l21 * rest12, ZERO)
    values = (b0 + l10 * b1 + l20 * b2, b1 + l21 * b2, b2)
    slopes = (forces(A, B, C, (ONE, l10, l20)), forces(A, B, C, (ZERO, ONE, l21)), forces(A, B, C, (ZERO, ZERO, ONE)))
    return values, (K[0], s1, s2), slopes
