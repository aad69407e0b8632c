"""Rigid bodies in time: where they are, how they turn, and the six numbers a substep by which contact moves each.

A body's vertices are rows of the solver's arrays that no force moves by themselves. In a substep the body moves freely
(its momentum and its angular momentum are kept exactly), contact pushes it by a small displacement and a small turn, its
`twist`, and its vertices are placed where the turned body has them: the shape is exact, whatever pushes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.uncounted import inline, uncounted_kernel
from ..mathlib import quaternion as quaternion_law
from ..mathlib.quaternion import turned_tensor_times
from .rigid_law import free_motion, inverse_of, momenta_between, spin_of

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
    turn [rad] by contact in this substep, (b, 6). held: whether it sleeps, (b,) bool. tied_vertices: the vertices' part
    of the gap of each of the `RigidTies` at the substep's start [m], tie_forces: on these, of the last substep [N], both
    (ties, 3).
    """

    def __init__(self, shapes: list[RigidShape], h: float, dtype: np.dtype | type | str, ties: int = 0) -> None:
        """ties: number of the ties to the bodies."""
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
        self.tied_vertices, self.tie_forces = np.zeros((2, ties, 3))

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
            **({"rigid_tie_forces": self.tie_forces} if len(self.tie_forces) else {}),
        }

    @property
    def angular_velocity(self) -> Array:
        """[rad/s], (b, 3)."""
        return np.einsum("bij,bj->bi", self._tensor(1 / self.inertia, self.turn), self.spin)

    def begin(self, gravity: Array, keep: float, h: float) -> None:
        """Move the bodies as if nothing touched them. gravity: [m/s^2], (3,). keep: share of the velocities. h: [s]."""
        self.h = float(h)
        self.start_centre[:], self.start_turn[:] = self.centre, self.turn
        awake = (~self.held).astype(float)
        of_bodies = self.centre, self.turn, self.velocity, self.spin, self.push, self.swing
        move_freely(awake, gravity, keep, self.h, self.mass, self.inertia, *of_bodies)
        self.twist[:] = 0

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
        take_up(self.twist, self.start_turn, self.inertia, self.h, self.centre, self.turn, self.velocity, self.spin)

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
        of_bodies = self.start_centre, self.start_turn, self.inertia, self.h, self.centre, self.turn
        set_momenta(body, *of_bodies, self.velocity, self.spin)

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
    matrices_of = np.empty((*q.shape[:-1], 3, 3))
    matrices(q.reshape(-1, 4), matrices_of.reshape(-1, 3, 3))
    return matrices_of


@uncounted_kernel
def matrices(turn, out):
    """The rotation matrices of unit quaternions, (b, 4). Written: out (b, 3, 3)."""
    for b in range(len(turn)):
        m = quaternion_law.matrix((turn[b, 0], turn[b, 1], turn[b, 2], turn[b, 3]))
        out[b, 0, 0], out[b, 0, 1], out[b, 0, 2] = m[0]
        out[b, 1, 0], out[b, 1, 1], out[b, 1, 2] = m[1]
        out[b, 2, 0], out[b, 2, 1], out[b, 2, 2] = m[2]


@inline
def _three(values, b):
    return values[b, 0], values[b, 1], values[b, 2]


@inline
def _four(values, b):
    return values[b, 0], values[b, 1], values[b, 2], values[b, 3]


@uncounted_kernel
def move_freely(awake, gravity, keep, h, mass, inertia, centre, turn, velocity, spin, push, swing):
    """Move bodies as if nothing touched them. awake: 1, or 0 asleep, (b,). Written: all after inertia, see `RigidMotion`."""
    for b in range(len(mass)):
        start, moments = _four(turn, b), _three(inertia, b)
        fall = (awake[b] * gravity[0], awake[b] * gravity[1], awake[b] * gravity[2])
        v, momentum, end = free_motion(start, moments, _three(velocity, b), _three(spin, b), fall, keep, h)
        push[b], inverse = awake[b] * h * h / mass[b], inverse_of(moments)
        for k in range(3):
            axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            column = turned_tensor_times(start, inverse, axis)
            for j in range(3):
                swing[b, j, k] = awake[b] * h * h * column[j]
        for k in range(3):
            velocity[b, k], spin[b, k] = v[k], momentum[k]
            centre[b, k] += h * v[k]
        for k in range(4):
            turn[b, k] = end[k]


@uncounted_kernel
def take_up(twist, start_turn, inertia, h, centre, turn, velocity, spin):
    """Move bodies by twists, (b, 6), and give them their momenta. Written: all after h; twists become 0."""
    for b in range(len(twist)):
        rotation = (float(twist[b, 3]), float(twist[b, 4]), float(twist[b, 5]))
        more = spin_of(_four(start_turn, b), _three(inertia, b), rotation, 1.0 / h)
        end = quaternion_law.turned(_four(turn, b), rotation)
        for k in range(3):
            move = float(twist[b, k])
            centre[b, k] += move
            velocity[b, k] += move / h
            spin[b, k] += more[k]
        for k in range(4):
            turn[b, k] = end[k]
        for k in range(6):
            twist[b, k] = 0.0


@uncounted_kernel
def set_momenta(b, start_centre, start_turn, inertia, h, centre, turn, velocity, spin):
    """Give body b the momenta of its motion in a substep. Written: velocity, spin."""
    start, end = (_three(start_centre, b), _four(start_turn, b)), (_three(centre, b), _four(turn, b))
    v, momentum = momenta_between(start[0], start[1], _three(inertia, b), end[0], end[1], 1.0 / h)
    for k in range(3):
        velocity[b, k], spin[b, k] = v[k], momentum[k]


@uncounted_kernel
def turn_all(q, rotation, new):
    """Turn quaternions, (b, 4), by rotation vectors, (b, 3). Written: new (b, 4)."""
    for b in range(len(q)):
        new[b, 0], new[b, 1], new[b, 2], new[b, 3] = quaternion_law.turned(_four(q, b), _three(rotation, b))


@uncounted_kernel
def rotations_between(one, other, rotation):
    """Rotation vectors from quaternions to others, (b, 4). Written: rotation (b, 3)."""
    for b in range(len(one)):
        r = quaternion_law.rotation_between(_four(one, b), _four(other, b))
        rotation[b, 0], rotation[b, 1], rotation[b, 2] = r


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
    new = np.empty((len(q), 4))
    turn_all(np.ascontiguousarray(q, float), np.ascontiguousarray(rotation, float), new)
    return new


def rotation_between(one: Array, other: Array) -> Array:
    """Return the rotation vector [rad], (3,), that turns a body from one quaternion to another, the short way."""
    rotation = np.empty((1, 3))
    rotations_between(np.asarray(one, float)[None], np.asarray(other, float)[None], rotation)
    return rotation[0]
