"""The local solve of six multipliers: (1 + H G) step = b with the mobility G >= 0 and a second derivative H of any sign.

With G = C C^T it is (1 + C^T H C) y = C^T b for y = C^T step. If H is not negative all pivots of that matrix are at least
one, that of inertia; so a smaller pivot is replaced by its size, or one. The result is a descent direction of the potential
for every H, independent of units.
"""

import math

from ..device.cpu import element, f32

ONE = f32(1)
TINY = f32(1e-30)
#: Share of its diagonal that a pivot of G has at least: where corners are pinned it is singular.
HELD = f32(1e-6)


@element
def _root(pivot, diagonal):
    root = math.sqrt(max(pivot, HELD * diagonal) + TINY)
    return root, ONE / root


@element
def _pivot(d):
    """A pivot that is at least one, and one over it."""
    d = max(abs(d), ONE)
    return ONE / d


@element
def cholesky(G):
    """C, lower, by columns: 21 numbers, and one over each number on its diagonal. G: upper entries by rows."""
    g00, g01, g02, g03, g04, g05, g11, g12, g13, g14, g15, g22, g23, g24, g25, g33, g34, g35, g44, g45, g55 = G
    c00, i0 = _root(g00, g00)
    c10, c20, c30, c40, c50 = g01 * i0, g02 * i0, g03 * i0, g04 * i0, g05 * i0
    c11, i1 = _root(g11 - c10 * c10, g11)
    c21, c31 = (g12 - c20 * c10) * i1, (g13 - c30 * c10) * i1
    c41, c51 = (g14 - c40 * c10) * i1, (g15 - c50 * c10) * i1
    c22, i2 = _root(g22 - c20 * c20 - c21 * c21, g22)
    c32 = (g23 - c30 * c20 - c31 * c21) * i2
    c42 = (g24 - c40 * c20 - c41 * c21) * i2
    c52 = (g25 - c50 * c20 - c51 * c21) * i2
    c33, i3 = _root(g33 - c30 * c30 - c31 * c31 - c32 * c32, g33)
    c43 = (g34 - c40 * c30 - c41 * c31 - c42 * c32) * i3
    c53 = (g35 - c50 * c30 - c51 * c31 - c52 * c32) * i3
    c44, i4 = _root(g44 - c40 * c40 - c41 * c41 - c42 * c42 - c43 * c43, g44)
    c54 = (g45 - c50 * c40 - c51 * c41 - c52 * c42 - c53 * c43) * i4
    c55, i5 = _root(g55 - c50 * c50 - c51 * c51 - c52 * c52 - c53 * c53 - c54 * c54, g55)
    C = (c00, c10, c20, c30, c40, c50, c11, c21, c31, c41, c51, c22, c32, c42, c52, c33, c43, c53, c44, c54, c55)
    return C, (i0, i1, i2, i3, i4, i5)


@element
def times(C, y):
    """C y."""
    y0, y1, y2, y3, y4, y5 = y
    return (
        C[0] * y0,
        C[1] * y0 + C[6] * y1,
        C[2] * y0 + C[7] * y1 + C[11] * y2,
        C[3] * y0 + C[8] * y1 + C[12] * y2 + C[15] * y3,
        C[4] * y0 + C[9] * y1 + C[13] * y2 + C[16] * y3 + C[18] * y4,
        C[5] * y0 + C[10] * y1 + C[14] * y2 + C[17] * y3 + C[19] * y4 + C[20] * y5,
    )


@element
def transposed_times(C, b):
    """C^T b."""
    b0, b1, b2, b3, b4, b5 = b
    return (
        C[0] * b0 + C[1] * b1 + C[2] * b2 + C[3] * b3 + C[4] * b4 + C[5] * b5,
        C[6] * b1 + C[7] * b2 + C[8] * b3 + C[9] * b4 + C[10] * b5,
        C[11] * b2 + C[12] * b3 + C[13] * b4 + C[14] * b5,
        C[15] * b3 + C[16] * b4 + C[17] * b5,
        C[18] * b4 + C[19] * b5,
        C[20] * b5,
    )


@element
def symmetric_times(H, v):
    """H v. H: upper entries by rows."""
    v0, v1, v2, v3, v4, v5 = v
    return (
        H[0] * v0 + H[1] * v1 + H[2] * v2 + H[3] * v3 + H[4] * v4 + H[5] * v5,
        H[1] * v0 + H[6] * v1 + H[7] * v2 + H[8] * v3 + H[9] * v4 + H[10] * v5,
        H[2] * v0 + H[7] * v1 + H[11] * v2 + H[12] * v3 + H[13] * v4 + H[14] * v5,
        H[3] * v0 + H[8] * v1 + H[12] * v2 + H[15] * v3 + H[16] * v4 + H[17] * v5,
        H[4] * v0 + H[9] * v1 + H[13] * v2 + H[16] * v3 + H[18] * v4 + H[19] * v5,
        H[5] * v0 + H[10] * v1 + H[14] * v2 + H[17] * v3 + H[19] * v4 + H[20] * v5,
    )


@element
def backward(C, inverse, y):
    """x with C^T x = y."""
    x5 = y[5] * inverse[5]
    x4 = (y[4] - C[19] * x5) * inverse[4]
    x3 = (y[3] - C[16] * x4 - C[17] * x5) * inverse[3]
    x2 = (y[2] - C[12] * x3 - C[13] * x4 - C[14] * x5) * inverse[2]
    x1 = (y[1] - C[7] * x2 - C[8] * x3 - C[9] * x4 - C[10] * x5) * inverse[1]
    x0 = (y[0] - C[1] * x1 - C[2] * x2 - C[3] * x3 - C[4] * x4 - C[5] * x5) * inverse[0]
    return x0, x1, x2, x3, x4, x5


@element
def congruence(H, C):
    """1 + C^T H C, upper entries by rows."""
    k0 = symmetric_times(H, (C[0], C[1], C[2], C[3], C[4], C[5]))
    zero = C[0] - C[0]
    k1 = symmetric_times(H, (zero, C[6], C[7], C[8], C[9], C[10]))
    k2 = symmetric_times(H, (zero, zero, C[11], C[12], C[13], C[14]))
    k3 = symmetric_times(H, (zero, zero, zero, C[15], C[16], C[17]))
    k4 = symmetric_times(H, (zero, zero, zero, zero, C[18], C[19]))
    k5 = symmetric_times(H, (zero, zero, zero, zero, zero, C[20]))
    m0, m1 = transposed_times(C, k0), transposed_times(C, k1)
    m2, m3 = transposed_times(C, k2), transposed_times(C, k3)
    m4, m5 = transposed_times(C, k4), transposed_times(C, k5)
    return (
        ONE + m0[0], m0[1], m0[2], m0[3], m0[4], m0[5],
        ONE + m1[1], m1[2], m1[3], m1[4], m1[5],
        ONE + m2[2], m2[3], m2[4], m2[5],
        ONE + m3[3], m3[4], m3[5],
        ONE + m4[4], m4[5],
        ONE + m5[5],
    )  # fmt: skip


@element
def solve(M, n):
    """x with M x = n by LDL^T, with pivots of at least one."""
    m00, m01, m02, m03, m04, m05, m11, m12, m13, m14, m15, m22, m23, m24, m25, m33, m34, m35, m44, m45, m55 = M
    d0 = _pivot(m00)
    l10, l20, l30, l40, l50 = m01 * d0, m02 * d0, m03 * d0, m04 * d0, m05 * d0
    d1 = _pivot(m11 - l10 * m01)
    u21, u31, u41, u51 = m12 - l20 * m01, m13 - l30 * m01, m14 - l40 * m01, m15 - l50 * m01
    l21, l31, l41, l51 = u21 * d1, u31 * d1, u41 * d1, u51 * d1
    d2 = _pivot(m22 - l20 * m02 - l21 * u21)
    u32 = m23 - l30 * m02 - l31 * u21
    u42 = m24 - l40 * m02 - l41 * u21
    u52 = m25 - l50 * m02 - l51 * u21
    l32, l42, l52 = u32 * d2, u42 * d2, u52 * d2
    d3 = _pivot(m33 - l30 * m03 - l31 * u31 - l32 * u32)
    u43 = m34 - l40 * m03 - l41 * u31 - l42 * u32
    u53 = m35 - l50 * m03 - l51 * u31 - l52 * u32
    l43, l53 = u43 * d3, u53 * d3
    d4 = _pivot(m44 - l40 * m04 - l41 * u41 - l42 * u42 - l43 * u43)
    u54 = m45 - l50 * m04 - l51 * u41 - l52 * u42 - l53 * u43
    l54 = u54 * d4
    d5 = _pivot(m55 - l50 * m05 - l51 * u51 - l52 * u52 - l53 * u53 - l54 * u54)
    y0 = n[0]
    y1 = n[1] - l10 * y0
    y2 = n[2] - l20 * y0 - l21 * y1
    y3 = n[3] - l30 * y0 - l31 * y1 - l32 * y2
    y4 = n[4] - l40 * y0 - l41 * y1 - l42 * y2 - l43 * y3
    y5 = n[5] - l50 * y0 - l51 * y1 - l52 * y2 - l53 * y3 - l54 * y4
    x5 = y5 * d5
    x4 = y4 * d4 - l54 * x5
    x3 = y3 * d3 - l43 * x4 - l53 * x5
    x2 = y2 * d2 - l32 * x3 - l42 * x4 - l52 * x5
    x1 = y1 * d1 - l21 * x2 - l31 * x3 - l41 * x4 - l51 * x5
    x0 = y0 * d0 - l10 * x1 - l20 * x2 - l30 * x3 - l40 * x4 - l50 * x5
    return x0, x1, x2, x3, x4, x5
