"""Ties of vertices to rigid bodies: each joins a point of these vertices with one that is fixed in the frame of the body."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .rigid_motion import RigidMotion, RigidShape, matrix

Array = np.ndarray


@dataclass(frozen=True)
class RigidTies:
    """Vertices of each tie, corners, and their weights in the gap, 0 for none, (k, 4); its rigid body, (k,); side: the
    weight of the body's point in the gap, 1 or -1, (k,); and this point in the frame of the body [m], (k, 3)."""

    corners: Array = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    weights: Array = field(default_factory=lambda: np.zeros((0, 4)))
    body: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    side: Array = field(default_factory=lambda: np.zeros(0))
    point: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def __len__(self) -> int:
        return len(self.body)

    def of_vertices(self, x: Array, remainder: Array) -> Array:
        """Return the vertices' part of each gap [m], (k, 3), double. x: (n, 3 or more), remainder: its rounding error [m],
        (n, 3)."""
        exact = x[self.corners, :3].astype(float) + remainder[self.corners]
        return np.einsum("ka,kai->ki", self.weights, exact)

    def arms(self, turn: Array) -> Array:
        """Return the weight of each body's point times its arm about the centre [m], (k, 3). turn: of the bodies, (b, 4)."""
        return self.side[:, None] * np.einsum("kij,kj->ki", matrix(turn)[self.body], self.point)

    def of_bodies(self, rigid: RigidMotion) -> Array:
        """Return the bodies' part of each gap where they are [m], (k, 3)."""
        return self.side[:, None] * rigid.centre[self.body] + self.arms(rigid.turn)


def rigid_ties(x: Array, corners: Array, weights: Array, shapes: list[RigidShape]) -> RigidTies:
    """Make ties that keep how vertices lie to rigid bodies.

    x: positions of all vertices in which that is so [m], (n, 3). corners, weights: of each tie vertices of a rigid body, and
    others, with weights in the gap between them, (k, 4). shapes: of the bodies.
    """
    count = len(corners)
    body, side, point = np.full(count, -1, np.int32), np.zeros(count), np.zeros((count, 3))
    is_rigid = np.zeros(corners.shape, bool)
    for number, shape in enumerate(shapes):
        inside = (corners >= shape.start) & (corners < shape.stop) & (weights != 0)
        body[inside.any(1)], is_rigid = number, is_rigid | inside
    of_vertices = np.where(is_rigid, 0.0, weights)
    side[:] = np.sign((weights - of_vertices).sum(1))
    end = -side[:, None] * np.einsum("ka,kai->ki", of_vertices, x[corners])
    for number in np.unique(body).tolist():
        centre, axes = _pose(x[shapes[number].start : shapes[number].stop], shapes[number].local)
        mine = body == number
        point[mine] = (end[mine] - centre) @ axes
    first = np.take_along_axis(corners, (of_vertices != 0).argmax(1)[:, None], 1)
    return RigidTies(np.where(of_vertices != 0, corners, first).astype(np.int32), of_vertices, body, side, point)


def _pose(x: Array, local: Array) -> tuple[Array, Array]:
    """Centre [m] and principal axes (3, 3) of a body with its vertices at x [m]. local: in the frame of these; both (n, 3).

    Source: Kabsch 1976, "A solution for the best rotation to relate two sets of vectors"."""
    u, _, v = np.linalg.svd((x - x.mean(0)).T @ (local - local.mean(0)))
    axes = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v
    return x.mean(0) - axes @ local.mean(0), axes
