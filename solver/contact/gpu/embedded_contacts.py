"""Contacts of embedded points on a device: weights, displacements, and contacts with planes.

Sweeps of `pairs` and of contacts between points and planes are Jacobi sweeps: each contact starts from the same positions,
with the l1-Jacobi step over all contacts that share its corners. (`planes` is Gauss-Seidel over other vertices.)
"""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.uncounted import inline
from ...mathlib.vec3 import add, add_scaled, dot, scale, sub
from ...model.gpu.rigid_bodies import three
from ..constraints.law import friction_force, normal_force, target_distance
from .embedded_points import TINY, ZERO, share_of
from .one_vertex import take_up
from .pair_sweeps import PairContacts, pushed, weights_at
from .plane_contacts import VALUE, Planes


class EmbeddedContacts(NamedTuple):
    """Embedded points in contact. rows: of points, (k,). pairs, planes: their contacts."""

    rows: Array
    pairs: PairContacts
    planes: Planes


@body
def write_weights(k, args):
    """Sum of the scaled weights of a point in its contacts."""
    row, c = args.rows[k], args.pairs.coupled
    c.point_value[row] = weights_at(row, args.pairs) + f32(args.planes.number[row]) * c.scale[row]


@body
def collect(k, args):
    """Sum the displacements of a point by its contacts: with surfaces, projected before, and with planes, projected here."""
    row, planes, m = args.rows[k], args.planes, args.pairs.motion
    total = pushed(row, args.pairs)
    d = sub(three(m.x, row), three(m.x0, row))
    load = args.pairs.load[row]
    mass = args.pairs.coupled.scale[row] / load if load > TINY else ZERO
    for s in range(planes.number[row]):
        first, n = s * VALUE.width, three(planes.normals, planes.plane[row, s])
        across, values = first + VALUE.tangential, planes.values
        before = values[row, first + VALUE.multiplier]
        after = normal_force(before, dot(n, d) + values[row, first + VALUE.gap], mass)
        old = (values[row, across], values[row, across + 1], values[row, across + 2])
        t = friction_force(old, d, n, mass, values[row, first + VALUE.friction] * after)
        values[row, first + VALUE.multiplier] = after
        values[row, across], values[row, across + 1], values[row, across + 2] = t
        total = add(total, add_scaled(sub(t, old), after - before, n))
    push = args.pairs.coupled.push
    push[row, 0], push[row, 1], push[row, 2] = total


@inline
def lift_of(row, x0, x, planes):
    """Return the displacement that brings a point back in front of the planes that it crossed from x0 to x; for several
    planes the longest."""
    lift, longest = (ZERO, ZERO, ZERO), ZERO
    if planes.touches[row]:
        for k in range(planes.points.shape[0]):
            n, point = three(planes.normals, k), three(planes.points, k)
            start, gap = dot(n, sub(three(x0, row), point)), dot(n, sub(three(x, row), point))
            if start >= ZERO and gap < ZERO and planes.rules[planes.owner[row], k]:
                distance = target_distance(planes.distance[row] + planes.thickness[k], start, planes.allowance) - gap
                if distance > longest:
                    longest, lift = distance, scale(distance, n)
    return lift


@body
def lift(k, args):
    """Write the displacement that brings a point back in front of planes."""
    row, push, m = args.rows[k], args.pairs.coupled.push, args.pairs.motion
    push[row, 0], push[row, 1], push[row, 2] = lift_of(row, m.x0, m.x, args.planes)


@body
def lift_carriers(i, args):
    """Move a vertex by the longest displacement of its points. args: `PairContacts`."""
    c, m, best, longest = args.coupled, args.motion, (ZERO, ZERO, ZERO), ZERO
    if m.x0[i, 3] > ZERO:
        for s in range(c.first[i], c.first[i + 1]):
            row, share = share_of(c, s)
            lift = three(c.push, row)
            if share != ZERO and dot(lift, lift) > longest:
                best, longest = lift, dot(lift, lift)
    if longest > ZERO:
        take_up(m, i, add(three(m.x, i), best))
