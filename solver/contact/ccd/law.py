"""Laws of the CCD clamp: functions of numbers, which the loops of every device call."""

from __future__ import annotations

from ...device.cpu import f32
from ...device.uncounted import inline
from ...steering import HALF_GAP_SHARE, LEAST_GAP

ZERO, QUARTER, HALF, ONE, TINY = f32(0), f32(0.25), f32(0.5), f32(1), f32(1e-30)
#: Levels of the clamp: the safe share of the own motion, half of the gap beside the motion of the nearest neighbour, an
#: eighth of it, the last motion that is safe.
CCD_LEVELS = 4


@inline
def half_gap(distance, thick):
    """Allowed motion of each side of a pair towards the other [m]. distance: at the start; thick: the kept one [m]."""
    return HALF * max(distance - LEAST_GAP * thick, ZERO)


@inline
def rank(distance, is_driven):
    """The pair of lowest rank leads a particle: the nearest, but before all others one of which a side is driven [m]."""
    return LEAST_GAP * distance if is_driven else distance


@inline
def weight_in_lead(weight, other, is_driven):
    """Weight of a corner in the motion that leads a particle: the centre of mass of the pair, or the mean of its driven
    corners. weight, other: h^2/m of the particle and of the corner, 0 for a driven one."""
    if is_driven:
        return ONE if other == ZERO else ZERO
    return weight / other


@inline
def own_share(level, share, room, size):
    """Share of its own motion that a particle with a level keeps. share: of the path that is safe; room: half of
    its smallest gap [m]; size: of that motion, beside the leading one [m]."""
    if level == 1:
        return share
    allowed = f32(HALF_GAP_SHARE) * room if level < CCD_LEVELS else HALF * room
    if level == 3:
        allowed = QUARTER * allowed
    return allowed / size if size > allowed and size > TINY else ONE + allowed * ZERO
