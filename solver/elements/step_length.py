"""How much of a local solve's Newton step is gone: the hook `step_length`.

Along the step, det(1 + a L G) is a cubic in a, and everything beside the volume a parabola, so the energy after any share
of the step costs a few operations.
"""

from ..device.cpu import element, f32
from ..device.per_energy import GIVEN, per_energy

volume = GIVEN

ZERO = f32(0)
HALF = f32(0.5)
QUARTER = f32(0.25)
EIGHTH = f32(0.125)
ONE = f32(1)
#: At most this share of the volume is lost in one step.
MOST = f32(0.9)


@element
def whole(J, k, viscous, before, change, slope, curvature):
    """All of it."""
    return ONE


@per_energy(element)
def lowest(J, k, viscous, before, change, slope, curvature):
    """The longest step that keeps a tenth of the volume, or a half, quarter or eighth of it, whichever ends lowest.

    J: det F now. viscous, before: the damping 1/2 viscous (J - before)^2. change: coefficients of a, a^2, a^3 in
    det(1 + a L G). slope, curvature: of the energy over mu without the volume, along the step.
    """
    # For a in 0..1 the cubic is at least 1 - a loss.
    loss = max(-change[0], ZERO) + max(-change[1], ZERO) + max(-change[2], ZERO)
    most = min(ONE, MOST / max(loss, MOST))
    best = most
    least = along(most, J, k, viscous, before, change, slope, curvature)
    for share in (HALF, QUARTER, EIGHTH):
        length = share * most
        value = along(length, J, k, viscous, before, change, slope, curvature)
        best = length if value < least else best
        least = min(value, least)
    return best


@per_energy(element)
def along(a, J, k, viscous, before, change, slope, curvature):
    """Energy over mu after the share a of the step, but for a constant."""
    now = J * (ONE + a * (change[0] + a * (change[1] + a * change[2])))
    value, _, _ = volume(now, k)
    moved = now - before
    return a * (slope + HALF * a * curvature) + value + HALF * viscous * moved * moved
