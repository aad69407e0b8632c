"""Symmetric 6x6 matrices of quadratic forms over symmetric 3x3 matrices, as tuples of the 21 upper entries by rows."""

from ..device.cpu import element, f32

HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
#: A pivot is kept above this share of the trace: a pinned vertex makes its matrix singular.
FLOOR = f32(1e-6)
TINY = f32(1e-30)


@element
def symmetric_kronecker(c, m):
    """The form L -> tr(L C L M) of symmetric C and M; half its Hessian in the six numbers of L."""
    c0, c1, c2, c3, c4, c5 = c
    m0, m1, m2, m3, m4, m5 = m
    return (
        c0 * m0,
        c3 * m3,
        c4 * m4,
        c0 * m3 + c3 * m0,
        c0 * m4 + c4 * m0,
        c3 * m4 + c4 * m3,
        c1 * m1,
        c5 * m5,
        c3 * m1 + c1 * m3,
        c3 * m5 + c5 * m3,
        c1 * m5 + c5 * m1,
        c2 * m2,
        c4 * m5 + c5 * m4,
        c4 * m2 + c2 * m4,
        c5 * m2 + c2 * m5,
        TWO * c3 * m3 + c1 * m0 + c0 * m1,
        c3 * m4 + c5 * m0 + c0 * m5 + c4 * m3,
        c1 * m4 + c5 * m3 + c3 * m5 + c4 * m1,
        TWO * c4 * m4 + c2 * m0 + c0 * m2,
        c5 * m4 + c2 * m3 + c3 * m2 + c4 * m5,
        TWO * c5 * m5 + c2 * m1 + c1 * m2,
    )


@element
def add_determinant_terms(A, z, q, w, r):
    """A + z q q^T + w X(r), where X(r) is the Hessian of det at the symmetric matrix whose cofactor is r."""
    q0, q1, q2, q3, q4, q5 = q
    r0, r1, r2, r3, r4, r5 = r
    w2 = TWO * w
    z0 = z * q0
    z1 = z * q1
    z2 = z * q2
    z3 = z * q3
    z4 = z * q4
    z5 = z * q5
    return (
        A[0] + z0 * q0,
        A[1] + z0 * q1 + w * r2,
        A[2] + z0 * q2 + w * r1,
        A[3] + z0 * q3,
        A[4] + z0 * q4,
        A[5] + z0 * q5 - w2 * r5,
        A[6] + z1 * q1,
        A[7] + z1 * q2 + w * r0,
        A[8] + z1 * q3,
        A[9] + z1 * q4 - w2 * r4,
        A[10] + z1 * q5,
        A[11] + z2 * q2,
        A[12] + z2 * q3 - w2 * r3,
        A[13] + z2 * q4,
        A[14] + z2 * q5,
        A[15] + z3 * q3 - w2 * r2,
        A[16] + z3 * q4 + w2 * r5,
        A[17] + z3 * q5 + w2 * r4,
        A[18] + z4 * q4 - w2 * r1,
        A[19] + z4 * q5 + w2 * r3,
        A[20] + z5 * q5 - w2 * r0,
    )


@element
def add_outer(A, z, q):
    """A + z q q^T."""
    q0, q1, q2, q3, q4, q5 = q
    z0, z1, z2, z3, z4, z5 = z * q0, z * q1, z * q2, z * q3, z * q4, z * q5
    return (
        A[0] + z0 * q0,
        A[1] + z0 * q1,
        A[2] + z0 * q2,
        A[3] + z0 * q3,
        A[4] + z0 * q4,
        A[5] + z0 * q5,
        A[6] + z1 * q1,
        A[7] + z1 * q2,
        A[8] + z1 * q3,
        A[9] + z1 * q4,
        A[10] + z1 * q5,
        A[11] + z2 * q2,
        A[12] + z2 * q3,
        A[13] + z2 * q4,
        A[14] + z2 * q5,
        A[15] + z3 * q3,
        A[16] + z3 * q4,
        A[17] + z3 * q5,
        A[18] + z4 * q4,
        A[19] + z4 * q5,
        A[20] + z5 * q5,
    )


@element
def add_scaled(A, z, B):
    """A + z B, 21 numbers each."""
    return (
        A[0] + z * B[0],
        A[1] + z * B[1],
        A[2] + z * B[2],
        A[3] + z * B[3],
        A[4] + z * B[4],
        A[5] + z * B[5],
        A[6] + z * B[6],
        A[7] + z * B[7],
        A[8] + z * B[8],
        A[9] + z * B[9],
        A[10] + z * B[10],
        A[11] + z * B[11],
        A[12] + z * B[12],
        A[13] + z * B[13],
        A[14] + z * B[14],
        A[15] + z * B[15],
        A[16] + z * B[16],
        A[17] + z * B[17],
        A[18] + z * B[18],
        A[19] + z * B[19],
        A[20] + z * B[20],
    )


@element
def rows(A):
    """A written out."""
    return (
        (A[0], A[1], A[2], A[3], A[4], A[5]),
        (A[1], A[6], A[7], A[8], A[9], A[10]),
        (A[2], A[7], A[11], A[12], A[13], A[14]),
        (A[3], A[8], A[12], A[15], A[16], A[17]),
        (A[4], A[9], A[13], A[16], A[18], A[19]),
        (A[5], A[10], A[14], A[17], A[19], A[20]),
    )


@element
def add_square(A, z, K):
    """Return A + z K D K, where D halves the off-diagonal of a symmetric 3x3 matrix in six numbers.

    K = symmetric_kronecker(c, m) maps L to sym(c L m) with doubled off-diagonals, so K D K is the form |sym(c L m)|^2.
    """
    a, b, c, d, e, f = rows(K)
    h = HALF * z
    return (
        A[0] + weighed(z, h, a, a),
        A[1] + weighed(z, h, a, b),
        A[2] + weighed(z, h, a, c),
        A[3] + weighed(z, h, a, d),
        A[4] + weighed(z, h, a, e),
        A[5] + weighed(z, h, a, f),
        A[6] + weighed(z, h, b, b),
        A[7] + weighed(z, h, b, c),
        A[8] + weighed(z, h, b, d),
        A[9] + weighed(z, h, b, e),
        A[10] + weighed(z, h, b, f),
        A[11] + weighed(z, h, c, c),
        A[12] + weighed(z, h, c, d),
        A[13] + weighed(z, h, c, e),
        A[14] + weighed(z, h, c, f),
        A[15] + weighed(z, h, d, d),
        A[16] + weighed(z, h, d, e),
        A[17] + weighed(z, h, d, f),
        A[18] + weighed(z, h, e, e),
        A[19] + weighed(z, h, e, f),
        A[20] + weighed(z, h, f, f),
    )


@element
def weighed(z, h, a, b):
    return z * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + h * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@element
def add_to(a, s, b):
    """a + s b, six numbers each."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3], a[4] + s * b[4], a[5] + s * b[5])


@element
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@element
def solve(H, n):
    """x with H x = n by LDL^T; pivots are kept positive, so a singular H gives the step in its range."""
    h00, h01, h02, h03, h04, h05, h11, h12, h13, h14, h15, h22, h23, h24, h25, h33, h34, h35, h44, h45, h55 = H
    n0, n1, n2, n3, n4, n5 = n
    floor = FLOOR * (abs(h00) + abs(h11) + abs(h22) + abs(h33) + abs(h44) + abs(h55)) + TINY
    R0 = ONE / max(h00, floor)
    l10 = h01 * R0
    l20 = h02 * R0
    l30 = h03 * R0
    l40 = h04 * R0
    l50 = h05 * R0
    R1 = ONE / max(h11 - l10 * h01, floor)
    u21 = h12 - l20 * h01
    u31 = h13 - l30 * h01
    u41 = h14 - l40 * h01
    u51 = h15 - l50 * h01
    l21 = u21 * R1
    l31 = u31 * R1
    l41 = u41 * R1
    l51 = u51 * R1
    R2 = ONE / max(h22 - l20 * h02 - l21 * u21, floor)
    u32 = h23 - l30 * h02 - l31 * u21
    u42 = h24 - l40 * h02 - l41 * u21
    u52 = h25 - l50 * h02 - l51 * u21
    l32 = u32 * R2
    l42 = u42 * R2
    l52 = u52 * R2
    R3 = ONE / max(h33 - l30 * h03 - l31 * u31 - l32 * u32, floor)
    u43 = h34 - l40 * h03 - l41 * u31 - l42 * u32
    u53 = h35 - l50 * h03 - l51 * u31 - l52 * u32
    l43 = u43 * R3
    l53 = u53 * R3
    R4 = ONE / max(h44 - l40 * h04 - l41 * u41 - l42 * u42 - l43 * u43, floor)
    u54 = h45 - l50 * h04 - l51 * u41 - l52 * u42 - l53 * u43
    l54 = u54 * R4
    R5 = ONE / max(h55 - l50 * h05 - l51 * u51 - l52 * u52 - l53 * u53 - l54 * u54, floor)
    y0 = n0
    y1 = n1 - l10 * y0
    y2 = n2 - l20 * y0 - l21 * y1
    y3 = n3 - l30 * y0 - l31 * y1 - l32 * y2
    y4 = n4 - l40 * y0 - l41 * y1 - l42 * y2 - l43 * y3
    y5 = n5 - l50 * y0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4
    x5 = y5 * R5
    x4 = y4 * R4 - l54 * x5
    x3 = y3 * R3 - l43 * x4 - l53 * x5
    x2 = y2 * R2 - l32 * x3 - l42 * x4 - l52 * x5
    x1 = y1 * R1 - l21 * x2 - l31 * x3 - l41 * x4 - l51 * x5
    x0 = y0 * R0 - l10 * x1 - l20 * x2 - l30 * x3 - l40 * x4 - l50 * x5
    return (x0, x1, x2, x3, x4, x5)
