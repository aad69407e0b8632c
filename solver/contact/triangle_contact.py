"""Collider vertices against body triangles, so that spikes, poles and small balls do not poke through coarse cloth.

The roles of `vertex_contact` with the same planes; the triangle's three vertices move, by their weights and inverse
masses. The contacts share vertices, so one thread projects them in a fixed order: by collider vertex, then by distance.
Collider vertices on flat ground are left out: body vertices already keep faces off a plane.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import kernel
from ..mathlib.vec3 import add, cross, dot, scale, sub
from .distance import blend, length, row, triangle_normal
from .vertex_contact import COLUMNS, GAP, LAMBDA, MISSING, NORMAL, fill_slot, project

#: Cosine between a triangle's normal and the average at its corner, above which the corner counts as flat (2 degrees).
FLAT = 0.9994


@kernel
def corner_normals(starts, stops, around_offsets, around, triangles, outward, A, normals, pointed):
    """Area-weighted unit normals of the collider vertices that have candidates.

    Written: normals (m, 3), out of a closed surface, zero where the surface is open; pointed (m,) bool, false on flat
    ground and where there are no candidates.
    """
    one = A.dtype.type(1)
    zero = one - one
    for v in range(len(starts)):
        pointed[v] = False
        if stops[v] == starts[v]:
            continue
        total, side = (zero, zero, zero), zero
        for k in range(around_offsets[v], around_offsets[v + 1]):
            t = around[k]
            a = row(A, triangles[t, 0])
            total = add(total, cross(sub(row(A, triangles[t, 1]), a), sub(row(A, triangles[t, 2]), a)))
            side = outward[t]
        size = length(total)
        total = scale(one / size if size > 1e-18 else zero, total)
        for k in range(around_offsets[v], around_offsets[v + 1]):
            t = around[k]
            n, valid = triangle_normal(row(A, triangles[t, 0]), row(A, triangles[t, 1]), row(A, triangles[t, 2]), one)
            if valid and dot(n, total) < FLAT:
                pointed[v] = True
        for axis in range(3):
            normals[v, axis] = side * total[axis]


@kernel
def fill(x0, movable, mu, surface, friction, normals, A, B, planes, kept, plane_number, corners, weights, spread, slots):
    """Starts the contacts that `planes.choose` found for the collider vertices.

    x0: (n, 4) [m]. surface: (t, 3). friction, normals, A, B: of the collider vertices, (m,) and (m, 3).
    Written: corners (capacity, 3), weights (capacity, 3), spread (capacity,) = sum of weight^2 h^2/m, slots.
    Returns how many there are, also when they do not fit.
    """
    count = 0
    for v in range(len(plane_number)):
        p, drift = row(B, v), sub(row(B, v), row(A, v))
        for k in range(plane_number[v]):
            s = kept[v, k]
            n = (-planes[v, k, 0], -planes[v, k, 1], -planes[v, k, 2])  # from the collider vertex to the body
            if dot(n, row(normals, v)) < 0:
                continue  # this body triangle is inside the collider: `vertex_contact` takes it out
            i, j, m = surface[s, 0], surface[s, 1], surface[s, 2]
            b = (planes[v, k, 3], planes[v, k, 4], planes[v, k, 5])
            total = x0.dtype.type(0)
            for c in range(3):
                if movable[surface[s, c]]:
                    total += planes[v, k, 3 + c] * planes[v, k, 3 + c] * x0[surface[s, c], 3]
            if not total > 1e-30:
                continue
            if count < len(corners):
                target = planes[v, k, 6]
                gap = dot(n, sub(blend(b, row(x0, i), row(x0, j), row(x0, m)), p)) - target
                body_mu = b[0] * mu[i] + b[1] * mu[j] + b[2] * mu[m]
                fill_slot(slots, count, n, gap, drift, math.sqrt(body_mu * friction[v]), planes[v, k, 7] - target)
                for c in range(3):
                    corners[count, c], weights[count, c] = surface[s, c], b[c]
                spread[count] = total
            count += 1
    return count


@kernel
def sweep(count, corners, weights, spread, movable, slots, x0, x):
    """Projects all contacts in order. Written: slots, x."""
    for c in range(count):
        dx = dy = dz = x.dtype.type(0)
        for k in range(3):
            i, w = corners[c, k], weights[c, k]
            dx += w * (x[i, 0] - x0[i, 0])
            dy += w * (x[i, 1] - x0[i, 1])
            dz += w * (x[i, 2] - x0[i, 2])
        m = project(slots, c, (dx, dy, dz))
        for k in range(3):
            i = corners[c, k]
            if movable[i]:
                share = weights[c, k] * x[i, 3] / spread[c]
                x[i, 0] += share * m[0]
                x[i, 1] += share * m[1]
                x[i, 2] += share * m[2]


class Contacts:
    """The contacts of one substep, (capacity,) rows of which `count` are in use."""

    def __init__(self, capacity: int, dtype: np.dtype) -> None:
        self.count = 0
        self.corners = np.empty((capacity, 3), np.int32)
        self.weights = np.empty((capacity, 3), dtype)
        self.spread = np.empty(capacity, dtype)
        self.slots = np.empty((capacity, COLUMNS), dtype)

    def measure(self, x0: np.ndarray, x: np.ndarray) -> tuple[int, float]:
        """Number of contacts that push, and the largest shortfall of a kept distance [m]."""
        slots, corners = self.slots[: self.count], self.corners[: self.count]
        pushing = slots[:, LAMBDA] > 0
        if not pushing.any():
            return 0, 0.0
        d = (self.weights[: self.count, :, None] * (x[corners, :3] - x0[corners, :3])).sum(1)
        gap = slots[:, GAP] + (slots[:, NORMAL : NORMAL + 3] * d).sum(1)
        return int(pushing.sum()), max(0.0, float((slots[:, MISSING] - gap)[pushing].max()))
