"""Contacts of vertices with shapes, solids given by their signed distance: half-spaces at the surface near a vertex."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.row_kernels import uncounted_row_kernel
from ...device.threads import run
from ...errors import SceneError
from ...mathlib.vec3 import dot, sub
from ..narrow_phase.distance import length, row
from .half_spaces import fill_slot
from .law import friction_between, reach, target_distance
from .tables import SLOTS, Array, SlotTable, VertexTable

ZERO = f32(0)


@dataclass
class Shape:
    """A solid. signed_distance: of points (k, 3) [m] in the frame of the body positions, (k,) [m], and unit normals (k, 3).
    friction [1], thickness [m]."""

    name: str
    signed_distance: Callable[[Array], tuple[Array, Array]]
    friction: float
    thickness: float


class ShapeDistances(NamedTuple):
    """Distances of vertices to one shape at a substep's start and as predicted [m], (n,), and normals at the start, (n, 3).
    thickness [m] and friction [1] of the shape."""

    starts: Array
    ends: Array
    normals: Array
    thickness: float
    friction: float


class ShapeContacts:
    """The shapes of a world, which put half-spaces into slots of vertices. rules: which bodies touch which, (bodies, shapes)
    bool."""

    def __init__(self, shapes: Sequence[Shape], rules: Array) -> None:
        self._shapes, self._rules = list(shapes), rules

    def __len__(self) -> int:
        return len(self._shapes)

    def begin(self, x0: Array, x1: Array, vertices: VertexTable, allowance, slots: SlotTable) -> None:
        """Start the contacts with the shapes near vertices. Arguments of `half_spaces.fill`. Written: slots."""
        for number, shape in enumerate(self._shapes):
            start, end = self._distances(shape, x0), self._distances(shape, x1)
            movable = vertices.movable & self._rules[vertices.owner[: len(x0)], number]
            of_shape = x0.dtype.type(shape.thickness), x0.dtype.type(shape.friction)
            near = ShapeDistances(start[0], end[0], start[1], *of_shape)
            run(fill, len(x0), x0, x1, vertices._replace(movable=movable), near, allowance, slots)

    def guard(self, x0: Array, x: Array, vertices: VertexTable, allowance) -> int:
        """Put vertices that entered a shape back in front of it; return how many. Written: x, (n, 4) [m]."""
        count = 0
        for number, shape in enumerate(self._shapes):
            (start, _), (end, normals) = self._distances(shape, x0), self._distances(shape, x)
            touches = vertices.movable & self._rules[vertices.owner[: len(x0)], number]
            rows = np.flatnonzero(touches & (start >= 0) & (end < 0))
            # As `law.target_distance` of a start in front: never nearer than the start, never farther than kept.
            full = vertices.distance[rows] + x.dtype.type(shape.thickness)
            target = np.minimum(full, start[rows] + allowance)
            x[rows, :3] += (target - end[rows])[:, None] * normals[rows]
            count += len(rows)
        return count

    @staticmethod
    def _distances(shape: Shape, x: Array) -> tuple[Array, Array]:
        """Return distances (n,) [m] and normals (n, 3), of the type of x, (n, 4). Raises: SceneError."""
        distances, normals = (np.asarray(of, x.dtype) for of in shape.signed_distance(x[:, :3].astype(float)))
        if distances.shape != (len(x),) or normals.shape != (len(x), 3):
            raise SceneError(
                f"{shape.name}: signed_distance returns shapes {distances.shape} and {normals.shape} for {len(x)} points; "
                f"wanted ({len(x)},) and ({len(x)}, 3). Correct it."
            )
        return distances, normals


NO_SHAPES = ShapeContacts((), np.zeros((0, 0), bool))


@uncounted_row_kernel
def fill(begin, finish, x0, x1, vertices, near, allowance, slots):
    """Start the contacts of the vertices begin..finish with one shape.

    x0, x1: at the start and predicted [m], (n, 4). near: `ShapeDistances`. Written: slots, which may hold contacts already.
    """
    touches, distance, friction, _ = vertices
    starts, ends, normals, thickness, of_shape = near
    number, rows = slots
    for i in range(begin, finish):
        full, start = distance[i] + thickness, starts[i]
        motion = sub(row(x1, i), row(x0, i))
        n = row(normals, i)
        nearest = min(min(start, ends[i]), start + dot(n, motion))
        if touches[i] and number[i] < SLOTS and nearest < reach(full, length(motion)):
            target = target_distance(full, start, allowance)
            drift = (ZERO * full, ZERO * full, ZERO * full)
            fill_slot(rows[i, number[i]], n, start - target, friction_between(friction[i], of_shape), drift, full - target)
            number[i] += 1
