"""Natural logarithm without calls or branches, so that LLVM can work on 16 lanes, in either precision."""

from ..device.cpu import element, f32

HALF = f32(0.5)
ONE = f32(1)
TWO = f32(2)
FOUR = f32(4)
ZERO = f32(0)
EIGHT = f32(8)
#: ln 2 as a sum of two float32, good to 1e-15 in float64.
LN2, LN2_REST = f32(0.6931471824645996), f32(-1.904654299957768e-09)
#: (power of two taken out, from where on, its inverse): each leaves the number below the square root of the power.
POWERS = (
    (f32(8), f32(2**7.5), f32(2**-8)),
    (f32(4), f32(2**3.5), f32(2**-4)),
    (f32(2), f32(2**1.5), f32(2**-2)),
    (f32(1), f32(2**0.5), f32(2**-1)),
)
#: 45045 / (2 k + 1), whole numbers and so exact in both precisions: the series of atanh.
SERIES = tuple(f32(45045 // (2 * k + 1)) for k in range(8))
WHOLE = f32(45045)


@element
def log(x):
    """ln x for x between 2^-15 and 2^15 to a few units of the last place of float32, to 1e-13 in float64; 0 at 1 exactly."""
    below = x < ONE
    y = ONE / x if below else x
    power = ZERO * y
    for number, start, inverse in POWERS:
        large = y >= start
        power = power + number if large else power
        y = y * inverse if large else y
    # 2 atanh((y - 1) / (y + 1)) with y within a square root of 2 of 1.
    s = (y - ONE) / (y + ONE)
    s2 = s * s
    p = SERIES[7]
    p = SERIES[6] + s2 * p
    p = SERIES[5] + s2 * p
    p = SERIES[4] + s2 * p
    p = SERIES[3] + s2 * p
    p = SERIES[2] + s2 * p
    p = SERIES[1] + s2 * p
    p = SERIES[0] + s2 * p
    value = power * LN2 + (power * LN2_REST + TWO * s * p / WHOLE)
    return -value if below else value
