"""Excess over a limit at the start of a substep: initial constraint violation not balanced by stored force.

Sweeps that end early, or contact that holds a sheet, leave an element beyond its limit. Backward Euler would treat the
excess as the energy of a stretched spring: recovered in one substep, it becomes speed, for a hard limit any speed. So a
limit resists extension beyond the substep's start, and recovers the part balanced by its own stored force, alpha times the
tension at the end of the last substep; the rest it recovers slowly. Except for that its work is never positive.
"""

from __future__ import annotations

from ..device.cpu import element, f32

ZERO = f32(0)
#: Rate of strain at which excess is recovered [1/s]; an excess below that of one substep is recovered at once. With 1 a
#: sheet held by hard edges alone creeps under its weight, where ten sweeps a substep carry it (296 % at single edges), with
#: 10 and 30 it does not (0.13 % in the mean); with 30 a ball on a trampoline gains 12 % in a frame, with 10 nothing.
RECOVERY_RATE = 10.0


@element
def let_through(beyond, earned, recovery):
    """Excess that a substep leaves alone. beyond: over the limit at the start; earned: by force; recovery: in a substep.

    All in the same unit, of extension; zero or above.
    """
    return max(beyond - earned - recovery, ZERO)
