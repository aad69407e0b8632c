"""Velocities after a substep in which contacts moved surfaces apart: the way out of each other must not throw them.

What starts nearer than the kept distance is moved out, and backward Euler takes that way for a velocity. Layers of a pile
then throw each other up for ever. So contacts that push lose what they separate by faster than the prediction did.
Source: as restitution in Mueller et al. 2020, "Detailed rigid body simulation with extended position based dynamics",
section 3.6, with a coefficient of zero.
"""

from __future__ import annotations

from ...device.cpu import LANES, f32
from ...device.inner import loop
from . import half_spaces as ground
from . import pairs as contacts

ZERO = f32(0)


@loop
def calm_pairs(count, corners, rows, x0, predicted, inverse_h, v):
    """Takes the velocity of separation out of contacts that push, one after the other, beyond that of the prediction.

    corners, rows: see `contacts`. x0, predicted: (n, 4), h^2/m in the last column [m]. inverse_h: [1/s].
    Written: v (n, 3) [m/s]. Impulses are equal and opposite, so momentum is kept.
    """
    for c in range(count):
        r = rows[c]
        if not r[contacts.LAMBDA] > 0:
            continue
        now, before = ZERO * inverse_h, ZERO * inverse_h
        for axis in range(3):
            n = r[contacts.NORMAL + axis]
            drift = n * r[contacts.DRIFT + axis]
            now += inverse_h * drift
            before += drift
            for q in range(4):
                i = corners[c, q]
                share = n * r[contacts.WEIGHT + q]
                now += share * v[i, axis]
                before += share * (predicted[i, axis] - x0[i, axis])
        excess = now - max(ZERO * now, inverse_h * before)
        if excess > 0:
            for q in range(4):
                i = corners[c, q]
                push = -excess * r[contacts.INVERSE] * r[contacts.WEIGHT + q] * x0[i, 3]
                for axis in range(3):
                    v[i, axis] += push * r[contacts.NORMAL + axis]


@loop
def calm_vertices(hot, packs, x0, predicted, inverse_h, v):
    """The same for contacts of the vertices `hot` with planes. hot, packs: see `ground`. Written: v (n, 3) [m/s]."""
    for c in range(len(hot)):
        kept, lane, i = packs[c // LANES], c % LANES, hot[c]
        if not kept[ground.LAMBDA * LANES + lane] > 0:
            continue
        now, before = ZERO * inverse_h, ZERO * inverse_h
        for axis in range(3):
            n = kept[(ground.NORMAL + axis) * LANES + lane]
            drift = kept[(ground.DRIFT + axis) * LANES + lane]
            now += n * (v[i, axis] - inverse_h * drift)
            before += n * (predicted[i, axis] - x0[i, axis] - drift)
        excess = now - max(ZERO * now, inverse_h * before)
        if excess > 0:
            for axis in range(3):
                v[i, axis] -= excess * kept[(ground.NORMAL + axis) * LANES + lane]
