"""Contact of points embedded in tetrahedra on a device: forces on a point act on the tetrahedron's corners.

A point is a particle as all others for the search, for contacts, planes and continuous collision detection, with an
effective weight. Contact writes its load for each point; then each corner sums over its points, or takes the minimum, in
their order: no atomics. Then points are interpolated from their corners.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, SerialDevice
from ...device.uncounted import inline
from ...mathlib.vec3 import add_scaled
from ...model.gpu.state_arrays import incident

ZERO, ONE, TWO, BIG, TINY = f32(0), f32(1), f32(2), f32(1e30), f32(1e-30)


class Coupled(NamedTuple):
    """Embedded points. rows (k,), corners (k, 4), shares (k, 4): see `predict.Points`. first (n + 1,), at (m,): for each
    vertex the places in `corners`, flattened, at which it occurs. point_value: passed from a point to its corners, (n,);
    push: displacement of a point, (n, 3); scale: see `CONTACT`, of its contacts with planes, (n,).
    """

    rows: Array
    corners: Array
    shares: Array
    first: Array
    at: Array
    point_value: Array
    push: Array
    scale: Array


class Placed(NamedTuple):
    """Arguments of interpolation. coupled; x: positions, of which those of points are written, (n, 4 or more) [m]."""

    coupled: Coupled
    x: Array


class Lent(NamedTuple):
    """coupled; x: h^2/m of vertices in the last column, (n, 4); x0, x1: of particles, of which it is written."""

    coupled: Coupled
    x: Array
    x0: Array
    x1: Array


def coupled_on(device: SerialDevice, embedded: list[Array], n: int) -> Coupled:
    """embedded: rows, corners and shares, on the device; n: rows of all vertices, points among them. Of no points one, which
    nothing looks at: an array of nothing has no place."""
    zeros, first, at = device.zeros, np.zeros(n + 1, np.int32), np.zeros(1, np.int32)
    rows, corners, shares = embedded
    if len(rows):
        first, at = incident(device.download(corners), n)
    else:
        rows, corners, shares = zeros(1, np.int32), zeros((1, 4), np.int32), zeros((1, 4), np.float32)
    work_arrays = zeros(n, np.float32), zeros((n, 3), np.float32), zeros(n, np.float32)
    return Coupled(rows, corners, shares, device.upload(first), device.upload(at, np.int32), *work_arrays)


@inline
def share_of(c, s):
    """Return the row of the point at place s in the list of a vertex, and the share of the vertex."""
    place = c.at[s]
    return c.rows[place >> 2], c.shares[place >> 2, place & 3]


@inline
def weighted_sum(c, i):
    """Return the weighted sum of `point_value` over the points of vertex i."""
    total = ZERO
    for s in range(c.first[i], c.first[i + 1]):
        row, share = share_of(c, s)
        total += abs(share) * c.point_value[row]
    return total


@inline
def least_value(c, i):
    """Return the minimum of `point_value` over the points of vertex i; TWO if it has none."""
    least = TWO
    for s in range(c.first[i], c.first[i + 1]):
        row, share = share_of(c, s)
        if share != ZERO:
            least = min(least, c.point_value[row])
    return least


@inline
def sum_pushes(c, i):
    """Return the weighted sum of displacements over the points of vertex i."""
    total = (ZERO, ZERO, ZERO)
    for s in range(c.first[i], c.first[i + 1]):
        row, share = share_of(c, s)
        total = add_scaled(total, share, (c.push[row, 0], c.push[row, 1], c.push[row, 2]))
    return total


@inline
def put_point(c, k, x):
    """Write point k where its corners have it (`predict.embed`)."""
    row = c.rows[k]
    for axis in range(3):
        at = c.shares[k, 0] * x[c.corners[k, 0], axis]
        for corner in range(1, 4):
            at += c.shares[k, corner] * x[c.corners[k, corner], axis]
        x[row, axis] = at


@inline
def lend_row(args, row, weight):
    """Set the effective weight of a coupled particle."""
    args.x0[row, 3] = weight
    args.x1[row, 3] = weight
    args.coupled.scale[row] = ONE / math.sqrt(max(weight, TINY))


@body
def put(k, args):
    """Write a point where its corners have it."""
    put_point(args.coupled, k, args.x)


@body
def lend(k, args):
    """Write the compliance of a point into the last column of particles."""
    c, total = args.coupled, ZERO
    for corner in range(4):
        total += c.shares[k, corner] * c.shares[k, corner] * args.x[c.corners[k, corner], 3]
    lend_row(args, c.rows[k], total)


@body
def spread(k, args):
    """Set the load of a point from its corners, and its predicted position. args: `pair_sweeps.PairContacts`."""
    c, total = args.coupled, ZERO
    for corner in range(4):
        total += abs(c.shares[k, corner]) * args.load[c.corners[k, corner]]
    args.load[c.rows[k]] = total
    put_point(c, k, args.motion.x_pred)
    put_point(c, k, args.motion.x)
