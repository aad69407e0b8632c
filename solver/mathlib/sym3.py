"""Symmetric 2x2 matrices as (00, 11, 01), and the 3x3 matrices of quadratic forms over them by upper rows."""

import math

from ..device.cpu import element, f32

ZERO = f32(0)
HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
FLOOR = f32(1e-6)
TINY = f32(1e-30)


@element
def symmetric_kronecker(c, m):
    """The form L -> tr(L C L M) of symmetric C and M; also the map L -> sym(C L M), off-diagonal doubled."""
    c0, c1, c2 = c
    m0, m1, m2 = m
    return (
        c0 * m0,
        c2 * m2,
        c0 * m2 + c2 * m0,
        c1 * m1,
        c1 * m2 + c2 * m1,
        TWO * c2 * m2 + c1 * m0 + c0 * m1,
    )


@element
def times(H, v):
    return (
        H[0] * v[0] + H[1] * v[1] + H[2] * v[2],
        H[1] * v[0] + H[3] * v[1] + H[4] * v[2],
        H[2] * v[0] + H[4] * v[1] + H[5] * v[2],
    )


@element
def positive_part(s):
    """The symmetric 2x2 matrix with its negative eigenvalues set to zero."""
    mean = HALF * (s[0] + s[1])
    half = HALF * (s[0] - s[1])
    radius = math.sqrt(half * half + s[2] * s[2])
    low = mean - radius
    high = max(mean + radius, ZERO)
    keep = max(low, ZERO)
    share = (high - keep) / (TWO * radius + TINY)
    return (keep + share * (s[0] - low), keep + share * (s[1] - low), share * s[2])


@element
def eigen(s):
    """Return the larger and smaller eigenvalue of the symmetric 2x2 matrix, and the unit vector of the larger one.

    The other vector is at right angles. For a multiple of the unit matrix the vector is (1, 0).
    """
    mean = HALF * (s[0] + s[1])
    half = HALF * (s[0] - s[1])
    radius = math.sqrt(half * half + s[2] * s[2])
    double = half / radius if radius > TINY else ONE  # cosine of twice the angle
    side = s[2] / radius if radius > TINY else ZERO
    large = math.sqrt(HALF + HALF * abs(double))
    small = HALF * side / large
    upright = double < ZERO
    sign = -ONE if side < ZERO else ONE
    v = (sign * small if upright else large, sign * large if upright else small)
    return mean + radius, mean - radius, v


@element
def solve(H, n):
    """x with H x = n by LDL^T; pivots are kept positive, so a singular H gives the step in its range."""
    h00, h01, h02, h11, h12, h22 = H
    floor = FLOOR * (abs(h00) + abs(h11) + abs(h22)) + TINY
    r0 = ONE / max(h00, floor)
    l1 = h01 * r0
    l2 = h02 * r0
    u = h12 - l2 * h01
    r1 = ONE / max(h11 - l1 * h01, floor)
    m = u * r1
    r2 = ONE / max(h22 - l2 * h02 - m * u, floor)
    y1 = n[1] - l1 * n[0]
    y2 = n[2] - l2 * n[0] - m * y1
    x2 = y2 * r2
    x1 = y1 * r1 - m * x2
    x0 = n[0] * r0 - l1 * x1 - l2 * x2
    return (x0, x1, x2)
