"""Rigid bodies in time: where they are, how they turn, and the six numbers a substep by which contact moves each.

A body's vertices are rows of the solver's arrays that no force moves by themselves. In a substep the body moves freely
(its momentum and its angular momentum are kept exactly), contact pushes it by a small displacement and a small turn, its
`twist`, and its vertices are placed where the turned body has them: the shape is exact, whatever pushes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.uncounted import uncounted_kernel

Array = np.ndarray

#: A vertex that is held wholly pulls so many times as hard as the inertia of its body withstands in a substep.
HOLDING = 1e6


@dataclass(frozen=True)
class RigidShape:
    """start, stop: rows of the body. mass [kg]. inertia: principal moments [kg m^2], (3,). local: vertices in the frame of
    the principal axes about the centre [m], (stop - start, 3). centre [m], axes (3, 3), velocity [m/s], angular_velocity
    [rad/s]: at frame 1, in the frame of the solver's arrays."""

    start: int
    stop: int
    mass: float
    inertia: Array
    local: Array
    centre: Array
    axes: Array
    velocity: Array
    angular_velocity: Array


class RigidMotion:
    """All rigid bodies of a scene; b is their number, every array float64 but those that contact sweeps.

    centre, velocity, spin: [m], [m/s], angular momentum about the centre [kg m^2/s], (b, 3). turn: unit quaternions (w, x,
    y, z) from the principal axes, (b, 4). start_centre, start_turn: at the substep's start. push, swing: compliance of
    contact: h^2 / mass [s^2/kg] (b,), and h^2 times the inverse inertia at the start (b, 3, 3). twist: displacement [m] and
    turn [rad] by contact in this substep, (b, 6). held: whether it sleeps, (b,) bool.
    """

    def __init__(self, shapes: list[RigidShape], h: float, dtype: np.dtype | type | str) -> None:
        self.shapes, self.h = shapes, float(h)
        count, dtype = len(shapes), np.dtype(dtype)
        self.rows = np.concatenate([np.zeros(0, np.int64), *[np.arange(s.start, s.stop) for s in shapes]])
        self._body = np.repeat(np.arange(count), np.array([s.stop - s.start for s in shapes], int))  # of each row
        self._local = np.concatenate([np.zeros((0, 3)), *[s.local for s in shapes]])
        self.mass = np.array([s.mass for s in shapes])
        self.inertia = np.array([s.inertia for s in shapes]).reshape(-1, 3)
        self.centre = np.array([s.centre for s in shapes], float).reshape(-1, 3)
        self.turn = np.array([quaternion(s.axes) for s in shapes]).reshape(-1, 4)
        self.velocity = np.array([s.velocity for s in shapes], float).reshape(-1, 3)
        omega = np.array([s.angular_velocity for s in shapes], float).reshape(-1, 3)
        self.spin = np.einsum("bij,bj->bi", self._tensor(self.inertia, self.turn), omega)
        self.start_centre, self.start_turn = self.centre.copy(), self.turn.copy()
        self.push = (self.h**2 / self.mass).astype(dtype)
        self.swing = np.zeros((count, 3, 3), dtype)
        self.twist = np.zeros((count, 6), dtype)
        self.held = np.zeros(count, bool)

    def set_step(self, h: float) -> None:
        """Set the substep to h [s]."""
        self.h = float(h)
        self.push[:] = self.h**2 / self.mass

    @property
    def memory(self) -> dict[str, Array]:
        """The state at a substep's end, by name; a checkpoint keeps and restores these arrays."""
        return {
            "rigid_centre": self.centre,
            "rigid_turn": self.turn,
            "rigid_velocity": self.velocity,
            "rigid_spin": self.spin,
        }

    @property
    def angular_velocity(self) -> Array:
        """[rad/s], (b, 3)."""
        return np.einsum("bij,bj->bi", self._tensor(1 / self.inertia, self.turn), self.spin)

    def begin(self, gravity: Array, keep: float, h: float) -> None:
        """Move the bodies as if nothing touched them. gravity: [m/s^2], (3,). keep: share of the velocities. h: [s]."""
        self.h, self.push[:] = h, h**2 / self.mass
        self.start_centre[:], self.start_turn[:] = self.centre, self.turn
        self.velocity *= keep
        self.velocity[~self.held] += self.h * gravity
        self.spin *= keep
        inverse = self._tensor(1 / self.inertia, self.turn)
        self.swing[:], self.twist[:] = self.h**2 * inverse, 0
        self.push[self.held], self.swing[self.held] = 0, 0
        self.centre += self.h * self.velocity
        # The turn of the middle of the substep, at which the body turns as its angular momentum says: of second order.
        middle = turned(self.turn, 0.5 * self.h * np.einsum("bij,bj->bi", inverse, self.spin))
        omega = np.einsum("bij,bj->bi", self._tensor(1 / self.inertia, middle), self.spin)
        self.turn[:] = turned(self.turn, self.h * omega)

    def hold(self, body: int, held: bool) -> None:
        """Put a body to sleep in its pose, or wake it."""
        self.held[body] = held
        if held:
            self.velocity[body], self.spin[body] = 0, 0

    def place(self, x: Array) -> None:
        """Writes the vertices where the bodies are. Written: x (n, 3 or more)."""
        place_all(self.rows, self._body, self._local, self.centre, matrix(self.turn), x)

    def place_one(self, body: int, centre: Array, turn: Array, x: Array) -> None:
        """The vertices of one body in a pose. Written: x (n, 3 or more)."""
        shape = self.shapes[body]
        x[shape.start : shape.stop, :3] = shape.local @ matrix(turn).T + centre

    def correct(self) -> None:
        """Take contact's twists over into the poses and the momenta."""
        twist = self.twist.astype(float)
        self.centre += twist[:, :3]
        self.velocity += twist[:, :3] / self.h
        tensor = self._tensor(self.inertia, self.start_turn)
        self.spin += np.einsum("bij,bj->bi", tensor, twist[:, 3:]) / self.h
        self.turn[:] = turned(self.turn, twist[:, 3:])
        self.twist[:] = 0

    def pull(self, body: int, vertices: Array, stiffness: Array, targets: Array) -> None:
        """Moves a body, in a substep that has begun, as springs from its vertices to their targets do until the end of it.

        vertices: of the body, (k,). stiffness: [N/m], (k,); infinite is stiff enough to hold. targets: [m], (k, 3).
        A step of backward Euler, linear in the turn: it does not swing up, however stiff the springs are.
        """
        if self.held[body]:
            return
        shape = self.shapes[body]
        arms = shape.local[vertices] @ matrix(self.turn[body]).T
        k = np.minimum(stiffness, HOLDING * shape.mass / self.h**2 / len(vertices))
        slopes = np.zeros((len(vertices), 3, 6))  # of each vertex by the twist
        slopes[:, :, :3] = np.eye(3)
        slopes[:, :, 3:] = -np.cross(arms[:, None, :], np.eye(3)).transpose(0, 2, 1)
        inertia = np.diag(np.full(6, shape.mass))
        inertia[3:, 3:] = self._tensor(self.inertia[body : body + 1], self.turn[body : body + 1])[0]
        stiff = inertia / self.h**2 + np.einsum("kia,k,kib->ab", slopes, k, slopes)
        gaps = targets - arms - self.centre[body]
        self.twist[:] = 0
        self.twist[body] = np.linalg.solve(stiff, np.einsum("kia,k,ki->a", slopes, k, gaps))
        self.correct()

    def set_pose(self, body: int, centre: Array, turn: Array) -> None:
        """Set a body's pose in this substep; its momenta become those of the remaining motion."""
        self.centre[body], self.turn[body] = centre, turn
        self.velocity[body] = (centre - self.start_centre[body]) / self.h
        tensor = self._tensor(self.inertia[body : body + 1], self.start_turn[body : body + 1])[0]
        self.spin[body] = tensor @ rotation_between(self.start_turn[body], turn) / self.h

    def kinetic_energy(self) -> float:
        """J."""
        moving = 0.5 * (self.mass * (self.velocity**2).sum(1)).sum()
        return float(moving + 0.5 * (self.angular_velocity * self.spin).sum())

    @staticmethod
    def _tensor(principal: Array, turn: Array) -> Array:
        """R diag(principal) R^T of each body, (b, 3, 3)."""
        r = matrix(turn)
        return np.einsum("bij,bj,bkj->bik", r, principal, r)


def matrix(q: Array) -> Array:
    """The rotation matrices, (..., 3, 3), of unit quaternions (w, x, y, z), (..., 4)."""
    rotations = np.empty((*q.shape[:-1], 3, 3))
    matrices(q.reshape(-1, 4), rotations.reshape(-1, 3, 3))
    return rotations


@uncounted_kernel
def matrices(turn, out):
    """The rotation matrices of unit quaternions, (b, 4). Written: out (b, 3, 3)."""
    for b in range(len(turn)):
        w, x, y, z = turn[b, 0], turn[b, 1], turn[b, 2], turn[b, 3]
        m = out[b]
        m[0, 0], m[0, 1], m[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        m[1, 0], m[1, 1], m[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        m[2, 0], m[2, 1], m[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@uncounted_kernel
def place_all(rows, body, local, centre, rotation, x):
    """Writes the vertices of bodies, (k,), where these are. body: of each, local: in its frame [m], (k, 3). centre (b, 3),
    rotation (b, 3, 3). Written: x (n, 3 or more)."""
    for k in range(len(rows)):
        r, c = rotation[body[k]], centre[body[k]]
        for i in range(3):
            x[rows[k], i] = c[i] + r[i, 0] * local[k, 0] + r[i, 1] * local[k, 1] + r[i, 2] * local[k, 2]


def quaternion(rotation: Array) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation matrix. Source: Shepperd 1978, by the largest component."""
    m = np.asarray(rotation, float)
    squares = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], *(1 + 2 * m[k, k] - np.trace(m) for k in range(3))])
    k = int(squares.argmax())
    off = [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    q = np.empty(4)
    if k == 0:
        q[:] = squares[0], *off
    else:
        i = k - 1
        q[0], q[k] = off[i], squares[k]
        for j in range(3):
            if j != i:
                q[j + 1] = m[j, i] + m[i, j]
    return q / np.linalg.norm(q)


def turned(q: Array, rotation: Array) -> Array:
    """Quaternions q (b, 4), turned further by rotation vectors [rad] in the world's frame, (b, 3); of length 1."""
    angle = np.linalg.norm(rotation, axis=1)
    half = 0.5 * angle
    v = rotation * (0.5 * np.sinc(half / np.pi))[:, None]
    w = np.cos(half)
    new = np.empty_like(q)
    new[:, 0] = w * q[:, 0] - (v * q[:, 1:]).sum(1)
    new[:, 1:] = w[:, None] * q[:, 1:] + q[:, :1] * v + np.cross(v, q[:, 1:])
    return new / np.linalg.norm(new, axis=1, keepdims=True)


def rotation_between(one: Array, other: Array) -> Array:
    """Return the rotation vector [rad], (3,), that turns a body from one quaternion to another, the short way."""
    conjugate = one * [1, -1, -1, -1]
    w = other[0] * conjugate[0] - other[1:] @ conjugate[1:]
    v = other[0] * conjugate[1:] + conjugate[0] * other[1:] + np.cross(other[1:], conjugate[1:])
    if w < 0:
        w, v = -w, -v
    sine = np.linalg.norm(v)
    return 2 * v if sine < 1e-12 else v * (2 * np.arctan2(sine, w) / sine)
