"""Diagonal shift that makes a symmetric 6x6 matrix of any sign positive: small, and zero for a positive matrix.

It is factorised as L D L^T; a pivot is increased until the row of L below it is bounded. Source: Gill, Murray, Wright 1981,
"Practical Optimization", section 4.4.2.2 (modified Cholesky factors), whose bound is that for matrices of this size.
"""

import math

from ..device.cpu import element, f32

ONE = f32(1)
TINY = f32(1e-30)
#: Share of the largest number that a pivot has at least.
LEAST = f32(1e-5)
#: One over the root of 6^2 - 1.
SPREAD = f32(1 / 35**0.5)


@element
def _pivot(c, largest, inverse_square, least):
    """Return the pivot, one over it, and its excess over c. largest: of the numbers below c in its column."""
    d = max(max(abs(c), largest * largest * inverse_square), least)
    return ONE / d, d - c


@element
def _most(a, b, c, d, e):
    return max(max(max(abs(a), abs(b)), max(abs(c), abs(d))), abs(e))


@element
def lacking(H, scale):
    """Return six numbers to add to the diagonal, so that it is positive. H: 21 upper entries by rows. scale: six positive
    numbers, the units of the diagonal's."""
    s0, s1, s2 = ONE / math.sqrt(scale[0]), ONE / math.sqrt(scale[1]), ONE / math.sqrt(scale[2])
    s3, s4, s5 = ONE / math.sqrt(scale[3]), ONE / math.sqrt(scale[4]), ONE / math.sqrt(scale[5])
    a00, a01, a02, a03 = s0 * s0 * H[0], s0 * s1 * H[1], s0 * s2 * H[2], s0 * s3 * H[3]
    a04, a05, a11, a12 = s0 * s4 * H[4], s0 * s5 * H[5], s1 * s1 * H[6], s1 * s2 * H[7]
    a13, a14, a15, a22 = s1 * s3 * H[8], s1 * s4 * H[9], s1 * s5 * H[10], s2 * s2 * H[11]
    a23, a24, a25, a33 = s2 * s3 * H[12], s2 * s4 * H[13], s2 * s5 * H[14], s3 * s3 * H[15]
    a34, a35, a44, a45, a55 = s3 * s4 * H[16], s3 * s5 * H[17], s4 * s4 * H[18], s4 * s5 * H[19], s5 * s5 * H[20]
    on = max(_most(a00, a11, a22, a33, a44), abs(a55))
    off = max(_most(a01, a02, a03, a04, a05), _most(a12, a13, a14, a15, a23))
    off = max(off, _most(a24, a25, a34, a35, a45))
    inverse_square = ONE / (max(on, SPREAD * off) + TINY)
    least = LEAST * max(on, off) + TINY
    d0, e0 = _pivot(a00, _most(a01, a02, a03, a04, a05), inverse_square, least)
    l1, l2, l3, l4, l5 = a01 * d0, a02 * d0, a03 * d0, a04 * d0, a05 * d0
    a11, a12, a13, a14, a15 = a11 - l1 * a01, a12 - l1 * a02, a13 - l1 * a03, a14 - l1 * a04, a15 - l1 * a05
    a22, a23, a24, a25 = a22 - l2 * a02, a23 - l2 * a03, a24 - l2 * a04, a25 - l2 * a05
    a33, a34, a35 = a33 - l3 * a03, a34 - l3 * a04, a35 - l3 * a05
    a44, a45, a55 = a44 - l4 * a04, a45 - l4 * a05, a55 - l5 * a05
    d1, e1 = _pivot(a11, _most(a12, a13, a14, a15, a15), inverse_square, least)
    l2, l3, l4, l5 = a12 * d1, a13 * d1, a14 * d1, a15 * d1
    a22, a23, a24, a25 = a22 - l2 * a12, a23 - l2 * a13, a24 - l2 * a14, a25 - l2 * a15
    a33, a34, a35 = a33 - l3 * a13, a34 - l3 * a14, a35 - l3 * a15
    a44, a45, a55 = a44 - l4 * a14, a45 - l4 * a15, a55 - l5 * a15
    d2, e2 = _pivot(a22, _most(a23, a24, a25, a25, a25), inverse_square, least)
    l3, l4, l5 = a23 * d2, a24 * d2, a25 * d2
    a33, a34, a35 = a33 - l3 * a23, a34 - l3 * a24, a35 - l3 * a25
    a44, a45, a55 = a44 - l4 * a24, a45 - l4 * a25, a55 - l5 * a25
    d3, e3 = _pivot(a33, max(abs(a34), abs(a35)), inverse_square, least)
    l4, l5 = a34 * d3, a35 * d3
    a44, a45, a55 = a44 - l4 * a34, a45 - l4 * a35, a55 - l5 * a35
    d4, e4 = _pivot(a44, abs(a45), inverse_square, least)
    e5 = max(abs(a55 - a45 * d4 * a45), least) - (a55 - a45 * d4 * a45)
    return e0 * scale[0], e1 * scale[1], e2 * scale[2], e3 * scale[3], e4 * scale[4], e5 * scale[5]
