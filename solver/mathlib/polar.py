"""The rotation R of a 3x3 matrix, F = R U with U symmetric, without singular values.

R is the rotation nearest to F, also for an inverted F (det F < 0; U then has one negative eigenvalue). It is the derivative
of trace U, which is the largest root of a quartic; the root is found by Newton's method from a close bound. If the two
smallest singular values cancel, R is not unique: there it is finite, but no rotation.
Source: Horn 1987, "Closed-form solution of absolute orientation", for the quartic; its derivative by F is ours.
"""

import math

from ..device.cpu import element, f32
from . import mat3, sym6, vec3

HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
THREE = f32(3)
FOUR = f32(4)
EIGHT = f32(8)
TINY = f32(1e-30)
#: Share of |F|^2 trace(U) that the product of the sums of two singular values is large against, or R is not determined.
FLOOR = f32(3e-5)
ZERO = f32(0)


@element
def newton(t, n, J, m):
    """Return one step down to the largest root of (t^2 - n)^2 - 8 J t - 4 m."""
    s = t * t - n
    return t - (s * s - EIGHT * J * t - FOUR * m) * guarded_inverse(FOUR * (t * s - TWO * J), n * t)


@element
def guarded_inverse(slope, size):
    """Return 1 / slope, and 0 instead of infinity: where two roots meet, rounding alone must not push past them."""
    floor = FLOOR * size
    return slope / (slope * slope + floor * floor + TINY)


@element
def rotation(F, C):
    """R. C: F^T F, six numbers."""
    J = mat3.det(F)
    cof = mat3.cofactor(F)
    n = C[0] + C[1] + C[2]
    m = mat3.dot(cof, cof)
    # With singular values a, b, c: p = ab + bc + ca has p^2 = m + 2 J trace U, at most 3 m, and trace U = sqrt(n + 2 p).
    t = math.sqrt(n + TWO * math.sqrt(THREE * m + TINY) + TINY)
    t = math.sqrt(n + TWO * math.sqrt(max(m + TWO * J * t, ZERO) + TINY) + TINY)
    t = newton(t, n, J, m)
    t = newton(t, n, J, m)
    t = newton(t, n, J, m)
    t = newton(t, n, J, m)
    scale = guarded_inverse(t * (t * t - n) - TWO * J, n * t)
    R = mat3.sub(mat3.add(mat3.scale(t * t + n, F), mat3.scale(TWO * t, cof)), mat3.scale(TWO, mat3.times_symmetric(F, C)))
    R = mat3.scale(scale, R)
    # One Newton-Schulz step removes the remaining rounding error.
    return mat3.add(mat3.scale(THREE * HALF, R), mat3.scale(-HALF, mat3.times_symmetric(R, mat3.gram(R))))


@element
def turn_matrix(U, floor):
    """trace(U) - U, whose eigenvalues are sums of two of U's, raised evenly so that none is below the floor."""
    trace = U[0] + U[1] + U[2]
    mean, spread = mat3.mean_and_spread(U)
    least = trace - mean - spread
    size = trace + max(floor - least, ZERO)
    return size - U[0], size - U[1], size - U[2], -U[3], -U[4], -U[5]


@element
def rotation_change(R, U, dF, floor):
    """The change of R with dF. floor: at least this for the sums of two eigenvalues of U."""
    B = turn_matrix(U, floor)
    T = mat3.transpose_times(R, dF)
    turn = (T[2][1] - T[1][2], T[0][2] - T[2][0], T[1][0] - T[0][1])
    d = mat3.symmetric_det(B)
    a, b, c = vec3.scale(d / (d * d + TINY), mat3.times_vector(mat3.full(mat3.symmetric_cofactor(B)), turn))
    zero = a - a
    return mat3.times(R, ((zero, -c, b), (c, zero, -a), (-b, a, zero)))


@element
def add_turning(H, z, U, G, floor):
    """H + z dR : dF for dF = F L G, a form of rank three over symmetric L; floor as above, more than 0."""
    B = turn_matrix(U, floor)
    u, v = mat3.full(U), mat3.full(G)
    y0 = mat3.symmetric_sub(mat3.symmetric_vector(mat3.outer(u[2], v[1])), mat3.symmetric_vector(mat3.outer(u[1], v[2])))
    y1 = mat3.symmetric_sub(mat3.symmetric_vector(mat3.outer(u[0], v[2])), mat3.symmetric_vector(mat3.outer(u[2], v[0])))
    y2 = mat3.symmetric_sub(mat3.symmetric_vector(mat3.outer(u[1], v[0])), mat3.symmetric_vector(mat3.outer(u[0], v[1])))
    # y B^-1 y by LDL^T.
    r0 = ONE / B[0]
    a, b = B[3] * r0, B[4] * r0
    r1 = ONE / (B[1] - a * B[3])
    c = (B[5] - b * B[3]) * r1
    r2 = ONE / (B[2] - b * B[4] - c * (B[5] - b * B[3]))
    y1 = sym6.add_to(y1, -a, y0)
    y2 = sym6.add_to(sym6.add_to(y2, -b, y0), -c, y1)
    return sym6.add_outer(sym6.add_outer(sym6.add_outer(H, z * r0, y0), z * r1, y1), z * r2, y2)
