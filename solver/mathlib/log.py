"""Natural logarithm without calls or branches, so that LLVM can work on 16 lanes, in either precision."""

from ..device.cpu import element, f32

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
#: ln 2 as a sum of two float32, good to 1e-15 in float64.
LN2, LN2_REST = f32(0.6931471824645996), f32(-1.904654299957768e-09)
#: The range begins at 2^-7; numbers are lifted by this power of two, which is subtracted again.
LIFT, LIFTED = f32(2**7), f32(-7)
#: (power of two, threshold, its inverse): the rest is within a square root of 2 of 1.
POWERS = (
    (f32(16), f32(2**15.5), f32(2**-16)),
    (f32(8), f32(2**7.5), f32(2**-8)),
    (f32(4), f32(2**3.5), f32(2**-4)),
    (f32(2), f32(2**1.5), f32(2**-2)),
    (f32(1), f32(2**0.5), f32(2**-1)),
)
#: 45045 / (2 k + 1), whole numbers and so exact in both precisions: the series of atanh.
SERIES = tuple(f32(45045 // (2 * k + 1)) for k in range(8))
WHOLE = f32(45045)


@element
def without(power, y, one):
    """The power of two with one of POWERS, and y without it, where y is so large."""
    large = y >= one[1]
    return power + one[0] if large else power, y * one[2] if large else y


@element
def log(x):
    """ln x for x from 2^-7 to 2^24: absolutely or relatively good to two units in the last place of float32, to 1e-13 in
    float64; 0 at 1 exactly."""
    y = LIFT * x
    power = LIFTED + ZERO * x
    # One after the other: the compiler for GPUs knows no loop over tuples in a tuple.
    power, y = without(power, y, POWERS[0])
    power, y = without(power, y, POWERS[1])
    power, y = without(power, y, POWERS[2])
    power, y = without(power, y, POWERS[3])
    power, y = without(power, y, POWERS[4])
    s = (y - ONE) / (y + ONE)
    s2 = s * s
    s4 = s2 * s2
    # In pairs, so that fewer steps wait for one another.
    high = (SERIES[4] + s2 * SERIES[5]) + s4 * (SERIES[6] + s2 * SERIES[7])
    series = (SERIES[0] + s2 * SERIES[1]) + s4 * ((SERIES[2] + s2 * SERIES[3]) + s4 * high)
    return power * LN2 + (power * LN2_REST + TWO * s * series / WHOLE)
