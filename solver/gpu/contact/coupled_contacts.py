"""Contacts of coupled points on a device: what they weigh and push, and how planes hold them.

A sweep of `pairs` is Jacobi's, and so are contacts of points with planes, which `planes` projects one after the other of
other vertices: each takes its step from the same positions, as short as all that share its carriers ask for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...contact.constraints.half_spaces import target_distance
from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.uncounted import inline
from ...mathlib.vec3 import add, add_scaled, dot, scale, sub
from ..one_vertex import take_up
from ..rigid import three
from .coupled import ONE, TINY, ZERO, share_of
from .pairs import PairContacts, pushed, weights_at
from .planes import VALUE, Planes


class Asked(NamedTuple):
    """rows: of what is coupled, (k,). pairs, planes: its contacts."""

    rows: Any
    pairs: PairContacts
    planes: Planes


@body
def tell_weights(k, given):
    """The sum of the weights of a point in its contacts, each by its scale."""
    row, c = given.rows[k], given.pairs.coupled
    c.told[row] = weights_at(row, given.pairs) + f32(given.planes.number[row]) * c.scale[row]


@body
def collect(k, given):
    """What a point is pushed by: its contacts with surfaces, which have been projected, and with planes, which are now."""
    row, planes, m = given.rows[k], given.planes, given.pairs.motion
    total = pushed(row, given.pairs)
    d = sub(three(m.x, row), three(m.x0, row))
    load = given.pairs.load[row]
    inverse = given.pairs.coupled.scale[row] / load if load > TINY else ZERO
    for s in range(planes.number[row]):
        first, n = s * VALUE.width, three(planes.normals, planes.plane[row, s])
        across, values = first + VALUE.tangential, planes.values
        along, before = dot(n, d), values[row, first + VALUE.multiplier]
        after = max(ZERO, before - (along + values[row, first + VALUE.gap]) * inverse)
        old = (values[row, across], values[row, across + 1], values[row, across + 2])
        t = sub(old, scale(inverse, add_scaled(d, -along, n)))
        # A denormal length would make the reciprocal infinite, and zero times infinity is no number.
        most = values[row, first + VALUE.friction] * after / math.sqrt(max(dot(t, t), TINY))
        t = scale(min(ONE, most), t)
        values[row, first + VALUE.multiplier] = after
        values[row, across], values[row, across + 1], values[row, across + 2] = t
        total = add(total, add_scaled(sub(t, old), after - before, n))
    push = given.pairs.coupled.push
    push[row, 0], push[row, 1], push[row, 2] = total


@inline
def lift_of(row, x0, x, planes):
    """How far a point that went through a plane from x0 to x has to go to be in front of it; of several the farthest."""
    lift, longest = (ZERO, ZERO, ZERO), ZERO
    if planes.touches[row]:
        for k in range(planes.points.shape[0]):
            n, point = three(planes.normals, k), three(planes.points, k)
            start, gap = dot(n, sub(three(x0, row), point)), dot(n, sub(three(x, row), point))
            if start >= ZERO and gap < ZERO and planes.rules[planes.owner[row], k]:
                way = target_distance(planes.distance[row] + planes.thickness[k], start, planes.allowance) - gap
                if way > longest:
                    longest, lift = way, scale(way, n)
    return lift


@body
def lift(k, given):
    """What puts a point back in front of planes."""
    row, push, m = given.rows[k], given.pairs.coupled.push, given.pairs.motion
    push[row, 0], push[row, 1], push[row, 2] = lift_of(row, m.x0, m.x, given.planes)


@body
def lift_carriers(i, given):
    """Moves a vertex by what the one of its points needs that needs most. given: `PairContacts`."""
    c, m, best, longest = given.coupled, given.motion, (ZERO, ZERO, ZERO), ZERO
    if m.x0[i, 3] > ZERO:
        for s in range(c.first[i], c.first[i + 1]):
            row, share = share_of(c, s)
            own = three(c.push, row)
            if share != ZERO and dot(own, own) > longest:
                best, longest = own, dot(own, own)
    if longest > ZERO:
        take_up(m, i, add(three(m.x, i), best))
