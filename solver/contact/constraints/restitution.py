"""Restitution of zero: contacts that moved surfaces apart in a substep must not eject them.

A surface that starts nearer than the kept distance is moved out, and backward Euler takes that way for a velocity. Layers of
a pile then eject each other for ever. So contacts that push lose the separation speed in excess of the prediction's.
Source: as restitution in Mueller et al. 2020, "Detailed rigid body simulation with extended position based dynamics",
section 3.6, with a coefficient of zero.
"""

from __future__ import annotations

from ...device.cpu import LANES, f32
from ...device.uncounted import uncounted_kernel
from .law import separation_to_remove
from .tables import HALF_SPACE, PAIR

ZERO = f32(0)


@uncounted_kernel
def stop_pairs(table, x0, predicted, inverse_h, v):
    """Take the velocity of separation out of contacts that push, one after the other, beyond that of the prediction.

    table: `PairTable`. x0, predicted: (n, 4), h^2/m in the last column [m]. inverse_h: [1/s].
    Written: v (n, 3) [m/s]. Impulses are equal and opposite, so momentum is kept.
    """
    corners, packs, keys = table
    for c in range(len(keys)):
        corners_of_pack, pack_values, lane = corners[c // LANES], packs[c // LANES], c % LANES
        if not pack_values[PAIR.multiplier * LANES + lane] > 0:
            continue
        now, before = ZERO * inverse_h, ZERO * inverse_h
        for axis in range(3):
            n = pack_values[(PAIR.normal + axis) * LANES + lane]
            drift = n * pack_values[(PAIR.drift + axis) * LANES + lane]
            now += inverse_h * drift
            before += drift
            for q in range(4):
                i = corners_of_pack[q * LANES + lane]
                share = n * pack_values[(PAIR.weight + q) * LANES + lane]
                now += share * v[i, axis]
                before += share * (predicted[i, axis] - x0[i, axis])
        excess = separation_to_remove(now, inverse_h * before)
        if excess > 0:
            for q in range(4):
                i = corners_of_pack[q * LANES + lane]
                weight = pack_values[(PAIR.weight + q) * LANES + lane]
                push = -excess * pack_values[PAIR.effective_mass * LANES + lane] * weight * x0[i, 3]
                for axis in range(3):
                    v[i, axis] += push * pack_values[(PAIR.normal + axis) * LANES + lane]


@uncounted_kernel
def stop_vertices(table, x0, predicted, inverse_h, v):
    """The same for contacts of vertices with half-spaces. table: `HalfSpaceTable`. Written: v (n, 3) [m/s]."""
    vertices, packs, _ = table
    for c in range(len(vertices)):
        pack_values, lane, i = packs[c // LANES], c % LANES, vertices[c]
        if not pack_values[HALF_SPACE.multiplier * LANES + lane] > 0:
            continue
        now, before = ZERO * inverse_h, ZERO * inverse_h
        for axis in range(3):
            n = pack_values[(HALF_SPACE.normal + axis) * LANES + lane]
            drift = pack_values[(HALF_SPACE.drift + axis) * LANES + lane]
            now += n * (v[i, axis] - inverse_h * drift)
            before += n * (predicted[i, axis] - x0[i, axis] - drift)
        excess = separation_to_remove(now, inverse_h * before)
        if excess > 0:
            for axis in range(3):
                v[i, axis] -= excess * pack_values[(HALF_SPACE.normal + axis) * LANES + lane]
