"""What a limit has let through: the excess over a limit that a substep begins with and its force has not earned.

Sweeps that end early, or contact that holds a sheet, leave an element beyond its limit. Backward Euler then finds the energy
of a spring that no motion has stretched: pulled back in one substep, the excess becomes speed, of a hard limit any speed.
So a limit resists what would go further than the substep's start, and gives back what its own force has stored, alpha times
the tension at the end of the last substep; the rest it takes back slowly. Its work is never positive but for that.
"""

from __future__ import annotations

from ..device.cpu import element, f32

ZERO = f32(0)
#: Strain by which excess is taken back [1/s]; below what a substep takes back it goes at once. With 1 a sheet that nothing
#: but hard edges holds creeps under its weight, where ten sweeps a substep carry it (296 % at single edges), with 10 and 30
#: it does not (0.13 % in the mean); with 30 a ball on a trampoline gains 12 % in a frame, with 10 nothing.
RECOVERY_RATE = 10.0


@element
def let_through(beyond, earned, recovery):
    """Excess that a substep leaves alone. beyond: over the limit at the start; earned: by force; recovery: in a substep.

    All in the same unit, of extension; zero or above.
    """
    return max(beyond - earned - recovery, ZERO)
