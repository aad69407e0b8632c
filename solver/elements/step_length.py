"""Step length of a local solve's Newton step: the hook `step_length`.

Along the step, det(1 + a L G) is cubic in a, and all other terms are quadratic. The energy's slope at any share a of the
step therefore costs a few operations.
"""

from ..device.cpu import element, f32
from ..device.per_energy import GIVEN, per_energy

volume = GIVEN

ZERO = f32(0)
ONE = f32(1)
TWO = f32(2)
THREE = f32(3)
TINY = f32(1e-30)
#: Largest share of the volume that one step may remove.
MOST = f32(0.9)


@element
def full_step(J, k, viscous, before, change, slope, curvature):
    """Return the full step."""
    return ONE


@per_energy(element)
def secant_step(J, k, viscous, before, change, slope, curvature):
    """Return the longest step that keeps a tenth of the volume; a shorter one if the energy rises at its end.

    The shorter one ends at the zero of the slope's chord. The slope of a barrier is convex, so this is before the minimum,
    and the energy decreases. J: det F now. viscous, before: the damping 1/2 viscous (J - before)^2. change: coefficients of
    a, a^2,
    a^3 in det(1 + a L G). slope, curvature: of the energy over mu without the volume, along the step.
    """
    first, second, third = change
    # For a in 0..1 the cubic is at least 1 - a loss.
    loss = max(-first, ZERO) + max(-second, ZERO) + max(-third, ZERO)
    a = MOST / max(loss, MOST)
    _, push, _ = volume(J, k)
    start = slope + (push + viscous * (J - before)) * J * first
    now = J * (ONE + a * (first + a * (second + a * third)))
    _, push, _ = volume(now, k)
    end = slope + a * curvature + (push + viscous * (now - before)) * J * (first + a * (TWO * second + THREE * a * third))
    return a * min(max(-start, ZERO) / (max(end - start, TINY - start) + TINY), ONE)
