"""Laws of a contact in a linear system: a penalty spring along the normal, and for friction one across it. Functions of
doubles and tuples, which the loops of the CPU call, and those of a device in single precision.

Source of the friction: Li et al. 2020, "Incremental Potential Contact" (lagged), with the bound by iterative reweighting.
"""

from __future__ import annotations

import math

from ..device.cpu import element
from ..mathlib.vec3 import add_scaled, dot, scale

TINY = 1e-30
#: Tangential motion [m] below which friction is as stiff as the contact itself.
LEAST_SLIP = 1e-9


@element
def active_stiffness(gap, slip, mu, penalty, force):
    """Stiffness of a contact along its normal and across it [N/m]; none of one that does not push.

    gap: below zero where it pushes [m]; slip: tangential motion over the other side (3) [m]; mu: coefficient of friction;
    penalty: stiffness where it pushes; force: force over violation [N/m].
    """
    length = max(math.sqrt(dot(slip, slip)), LEAST_SLIP)
    across = min(-mu * force * gap / length, penalty)
    none = 0.0 * penalty
    return (penalty, across) if gap < 0.0 else (none, none)


@element
def behind_spring(inertia, penalty):
    """Force of a contact over its predicted violation, with a mass behind its spring [N/m]. inertia: mass / h^2 [N/m]."""
    return inertia * penalty / max(inertia + penalty, TINY)


@element
def in_series(penalty, compliance):
    """Stiffness of a spring in series with the compliance of the other side [N/m]. compliance: [m/N]."""
    return penalty / (1.0 + penalty * compliance)


@element
def spring_force(gap, slip, mu, along, across):
    """Force of a contact along its normal, and across it (3) [N], in Coulomb's cone. along, across: stiffness [N/m]."""
    force = max(-along * gap, 0.0 * gap)
    wanted = across * math.sqrt(dot(slip, slip))
    share = min(1.0, mu * force / max(wanted, TINY))
    return force, scale(-share * across, slip)


@element
def spring_energy(gap, slip, penalty, across):
    """Energy of a contact [J]: of its spring where it pushes, and of its friction."""
    push = min(gap, 0.0 * gap)
    return 0.5 * penalty * push * push + 0.5 * across * dot(slip, slip)


@element
def energy_rise(share, gap, d, step, n, penalty, across):
    """Rise of `spring_energy` by a share of a step [J], exact where it is small beside the energy. gap: at which the force
    would vanish; d, step: motion over the other side so far, and that of the step (3) [m]."""
    begin, further = gap + dot(n, d), share * dot(n, step)
    before, after = min(begin, 0.0 * begin), min(begin + further, 0.0 * begin)
    slip, more = add_scaled(d, -dot(n, d), n), scale(share, add_scaled(step, -dot(n, step), n))
    return 0.5 * penalty * (after - before) * (after + before) + across * (dot(slip, more) + 0.5 * dot(more, more))
