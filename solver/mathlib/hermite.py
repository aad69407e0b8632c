"""Cubic Hermite splines over knots that are even below 0 and even above it, and bicubic ones, without a branch.

An axis is eight numbers (`axis_numbers`): first and last knot, spacing below and above 0, one over each, number of cells
below 0, and of all. Beyond the outermost knots a spline is extrapolated linearly.

`basis` gives the weights of (value below, value above, slope below, slope above) in a cell. `cell` gives the place of a
number for a polynomial in the distance from a cell's lower knot; cells -1 and the last but one more are the straight lines.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import element, f32
from ..device.simd.table import whole_part

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
THREE = f32(3)
FOUR = f32(4)
SIX = f32(6)

#: Numbers of an axis.
AXIS = 8


def axis_numbers(knots: np.ndarray) -> np.ndarray:
    """(8,). knots: (n,), 0 among them, as `scene/fabric_table.py` has them."""
    below, cells = int(np.argmin(np.abs(knots))), len(knots) - 1
    down = -knots[0] / below if below else knots[-1] / cells
    up = knots[-1] / (cells - below) if below < cells else down
    first, last = (-below * down, (cells - below) * up)
    return np.array([first, last, down, up, 1 / down, 1 / up, below, cells])


@element
def place(a, x):
    """Return the number of the cell of x, or of the nearest number with data; its place in the cell, 0 to 1; the width; the
    distance of x beyond the data; one over the width. a: an axis."""
    inside = min(max(a[0], x), a[1])  # the first knot for a not-a-number: it is looked up too
    down = inside < ZERO
    inverse = a[4] if down else a[5]
    at = inside * inverse
    number = min(whole_part(max(at + a[6], ZERO)), a[7] - ONE)
    return number, at - (number - a[6]), a[2] if down else a[3], x - inside, inverse


@element
def basis(a, x):
    """Number of the cell of x, and the weights of the four numbers of a cell for value, slope and second derivative."""
    number, u, width, beyond, inverse = place(a, x)
    v = ONE - u
    inside = ONE if beyond == ZERO else ZERO
    uu, vv = u * u, v * v
    b0, b1, b2, b3 = vv * (ONE + TWO * u), uu * (ONE + TWO * v), width * u * vv, -width * uu * v
    d1 = SIX * u * v * inverse
    d2, d3 = vv - TWO * u * v, uu - TWO * u * v
    s1 = inside * SIX * (v - u) * inverse * inverse
    s2, s3 = inside * inverse * (TWO * u - FOUR * v), inside * inverse * (FOUR * u - TWO * v)
    values = (b0 - beyond * d1, b1 + beyond * d1, b2 + beyond * d2, b3 + beyond * d3)
    return number, values, (-d1, d1, d2, d3), (-s1, s1, s2, s3)


@element
def weighed(b, below, above, slope_below, slope_above):
    return b[0] * below + b[1] * above + b[2] * slope_below + b[3] * slope_above


@element
def cell(a, x):
    """Return the cell of x: its number, -1 before the data and `cells` after it; the knots below and above it, as numbers
    from the first on; the width, 0 of a straight line; one over it; the distance from the lower knot.

    Cells of a straight line have the nearest knot on both sides.
    """
    number, u, width, _, inverse = place(a, x)
    before, after = x < a[0], x >= a[1]
    axis_cell = -ONE if before else a[7] if after else number
    low = ZERO if before else a[7] if after else number
    outside = before or after
    high = low if outside else low + ONE
    return (
        axis_cell,
        low,
        high,
        ZERO if outside else width,
        ZERO if outside else inverse,
        x - (a[0] if before else a[1]) if outside else u * width,
    )


@element
def polynomial(where, low, high, slope_low, slope_high):
    """The four coefficients of a cubic in the distance from the lower knot. where: `cell`."""
    inverse = where[4]
    mean = (high - low) * inverse
    return (
        low,
        slope_low,
        (THREE * mean - (TWO * slope_low + slope_high) * (ONE if inverse > ZERO else ZERO)) * inverse,
        (slope_low + slope_high - TWO * mean) * inverse * inverse,
    )


@element
def between(one, two, r):
    """Return the arguments of divided differences between l1 and l2, common to all splines. one, two: `cell` of l1 = m + r
    and of l2 = m - r. r: at or above 0.

    Whether both are in one cell, and whether in neighbouring ones; the lengths of the pieces, above the last knot between
    them and below the first, and of the piece between these knots, over that of all; one over r.
    """
    same = one[0] == two[0]
    next_to = one[1] == two[2] and not same
    above, below = one[5], two[3] - two[5]
    middle = max(r + r - above - below, ZERO)
    whole = above + below + (ZERO if next_to else middle)
    inverse = ONE / (whole if whole > ZERO else ONE)
    return same, next_to, above * inverse, below * inverse, inverse


@element
def differences(a, b, one, two, gap, r):
    """Return exact differences of a cubic spline, without cancellation: at l1 and at l2 its value, slope and second
    derivative; then D = (f1 - f2) / 2r, D1 = (f1' - f2') / 2r and Q = ((f1' + f2') / 2 - D) / r.

    a, b: `polynomial` of the cells of l1 and l2. gap: `between`.
    """
    same, next_to, x, y, inverse = gap
    u, v, e = one[5], two[5], two[3]
    v1 = a[0] + u * (a[1] + u * (a[2] + u * a[3]))
    v2 = b[0] + v * (b[1] + v * (b[2] + v * b[3]))
    s1 = a[1] + u * (TWO * a[2] + THREE * u * a[3])
    s2 = b[1] + v * (TWO * b[2] + THREE * v * b[3])
    t1 = TWO * a[2] + SIX * u * a[3]
    t2 = TWO * b[2] + SIX * v * b[3]
    # In one cell: polynomials in the mean and r.
    mean = (u + v) / TWO
    in_one = a[1] + TWO * a[2] * mean + a[3] * (THREE * mean * mean + r * r), TWO * a[2] + SIX * a[3] * mean, TWO * a[3] * r
    # In two: the pieces on both sides of the knots between, each a mean over its length.
    slope_a, slope_b = a[2] + u * a[3], b[2] + b[3] * (TWO * e + v)  # of the mean slopes along the pieces
    bend_a, bend_b = TWO * a[2] + THREE * a[3] * u, TWO * b[2] + THREE * b[3] * (e + v)
    mean_a = a[1] + u * slope_a
    mean_b = b[1] + b[2] * (e + v) + b[3] * (e * e + e * v + v * v)
    end, end_slope = b[0] + e * (b[1] + e * (b[2] + e * b[3])), b[1] + e * (TWO * b[2] + THREE * e * b[3])
    between_values = ZERO if next_to else (a[0] - end) * inverse
    between_slopes = ZERO if next_to else (a[1] - end_slope) * inverse
    D = x * mean_a + y * mean_b + between_values
    D1 = x * bend_a + y * bend_b + between_slopes
    near = x * bend_a - y * bend_b - TWO * (x * x * slope_a - y * y * slope_b)
    far = ((s1 + s2) / TWO - D) * TWO * inverse
    Q = near if next_to else far
    return (
        v1, s1, t1, v2, s2, t2,
        in_one[0] if same else D, in_one[1] if same else D1, in_one[2] if same else Q,
    )  # fmt: skip
