"""Rigid bodies on a device: six numbers each, in double precision, computed by few threads (`model/rigid_motion.py`).

A body moves freely in a substep; contact adds a twist, and its vertices follow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import SerialDevice
from ...device.uncounted import inline
from ...mathlib.mat3 import times_vector
from ...mathlib.quaternion import matrix, turned, turned_tensor_times
from ...mathlib.vec3 import add, add_scaled, scale
from ..model import Model
from ..rigid_law import free_motion, inverse_of, momenta_between, spin_of
from ..rigid_motion import RigidMotion
from ..state import State
from .substep_motion import NOW, Motion

f64 = np.float64
ZERO, ONE = f64(0), f64(1)
NONE = f32(0)


class Rigid(NamedTuple):
    """Rigid bodies, (b,) or (b, numbers): awake (1, or 0 asleep), mass [kg], inertia, centre, turn, velocity, spin,
    start_centre, start_turn: as in `RigidMotion`, double; push, swing, twist likewise, single, swing in rows. Of their
    vertices, (k,): rows, owner; local: in the frame of the principal axes [m], (k, 3); arm: from the centre to the predicted
    position [m], (k, 3).
    """

    awake: Array
    mass: Array
    inertia: Array
    centre: Array
    turn: Array
    velocity: Array
    spin: Array
    start_centre: Array
    start_turn: Array
    push: Array
    swing: Array
    twist: Array
    rows: Array
    owner: Array
    local: Array
    arm: Array


class Moved(NamedTuple):
    """rigid, motion: see there."""

    rigid: Rigid
    motion: Motion


class PlacedBodies(NamedTuple):
    """Arguments of placement. rigid; x: positions, of which those of the bodies' vertices are written, (n, 3 or
    more) [m]."""

    rigid: Rigid
    x: Array


@inline
def three(values, i):
    """Row i of three columns."""
    return values[i, 0], values[i, 1], values[i, 2]


@inline
def four(values, i):
    """Row i of four columns."""
    return values[i, 0], values[i, 1], values[i, 2], values[i, 3]


@inline
def put_three(values, i, v):
    """Write row i, three columns."""
    values[i, 0], values[i, 1], values[i, 2] = v


@inline
def put_four(values, i, v):
    """Write row i, four columns."""
    values[i, 0], values[i, 1], values[i, 2], values[i, 3] = v


@body
def begin(b, args):
    """`RigidMotion.begin` of one body."""
    g, m = args.rigid, args.motion
    now = m.now[m.step]
    h, keep, awake = f64(now[NOW.h]), f64(now[NOW.keep]), g.awake[b]
    fall = (f64(now[NOW.gravity]), f64(now[NOW.gravity + 1]), f64(now[NOW.gravity + 2]))
    turn, inertia = four(g.turn, b), three(g.inertia, b)
    put_three(g.start_centre, b, three(g.centre, b))
    put_four(g.start_turn, b, turn)
    fall = scale(awake, fall)
    velocity, spin, end = free_motion(turn, inertia, three(g.velocity, b), three(g.spin, b), fall, keep, h)
    put_three(g.velocity, b, velocity)
    put_three(g.spin, b, spin)
    put_three(g.centre, b, add_scaled(three(g.centre, b), h, velocity))
    put_four(g.turn, b, end)
    inverse = inverse_of(inertia)
    g.push[b] = awake * h * h / g.mass[b]
    for k in range(3):
        axis = (ONE if k == 0 else ZERO, ONE if k == 1 else ZERO, ONE if k == 2 else ZERO)
        column = scale(awake * h * h, turned_tensor_times(turn, inverse, axis))
        for j in range(3):
            g.swing[b, 3 * j + k] = column[0] if j == 0 else column[1] if j == 1 else column[2]
    for k in range(6):
        g.twist[b, k] = NONE


@inline
def place_row(k, g, x):
    """Write the position of a body's vertex; return its arm [m]."""
    b, row = g.owner[k], g.rows[k]
    arm = times_vector(matrix(four(g.turn, b)), three(g.local, k))
    at = add(arm, three(g.centre, b))
    x[row, 0], x[row, 1], x[row, 2] = at
    return arm


@body
def place(k, args):
    """Write a vertex where its body is."""
    place_row(k, args.rigid, args.x)


@body
def predict(k, args):
    """Likewise where its body is predicted; its arm is kept."""
    put_three(args.rigid.arm, k, place_row(k, args.rigid, args.x))


@inline
def set_pose(g, b, centre, turn, h):
    """`RigidMotion.set_pose`."""
    start, start_turn, inertia = three(g.start_centre, b), four(g.start_turn, b), three(g.inertia, b)
    velocity, spin = momenta_between(start, start_turn, inertia, centre, turn, ONE / h)
    put_three(g.centre, b, centre)
    put_four(g.turn, b, turn)
    put_three(g.velocity, b, velocity)
    put_three(g.spin, b, spin)


@body
def correct(b, args):
    """`RigidMotion.correct` of one body."""
    g, m = args.rigid, args.motion
    inverse_h = ONE / f64(m.now[m.step, NOW.h])
    move = (f64(g.twist[b, 0]), f64(g.twist[b, 1]), f64(g.twist[b, 2]))
    turn = (f64(g.twist[b, 3]), f64(g.twist[b, 4]), f64(g.twist[b, 5]))
    put_three(g.centre, b, add(three(g.centre, b), move))
    put_three(g.velocity, b, add_scaled(three(g.velocity, b), inverse_h, move))
    more = spin_of(four(g.start_turn, b), three(g.inertia, b), turn, inverse_h)
    put_three(g.spin, b, add(three(g.spin, b), more))
    put_four(g.turn, b, turned(four(g.turn, b), turn))
    for k in range(6):
        g.twist[b, k] = NONE


class DeviceRigid:
    """The rigid bodies of a model, on a device. count, vertices: how many."""

    def __init__(self, device: SerialDevice, model: Model, state: State) -> None:
        rigid = state.rigid
        assert rigid is not None
        self.device, self.count, self.vertices = device, len(model.rigid), len(rigid.rows)
        up, zeros, b, k = device.upload, device.zeros, self.count, self.vertices
        owner = np.repeat(np.arange(b), [shape.stop - shape.start for shape in rigid.shapes])
        self.table = Rigid(
            zeros(b, f64), up(rigid.mass, f64), up(rigid.inertia, f64), up(rigid.centre, f64), up(rigid.turn, f64),
            up(rigid.velocity, f64), up(rigid.spin, f64), zeros((b, 3), f64), zeros((b, 4), f64),
            zeros(b, np.float32), zeros((b, 9), np.float32), zeros((b, 6), np.float32),
            up(rigid.rows, np.int32), up(owner, np.int32), up(np.concatenate([s.local for s in rigid.shapes]), f64),
            zeros((k, 3), np.float32),
        )  # fmt: skip

    def take(self, rigid: RigidMotion) -> None:
        """Take over a state of the host."""
        t, update = self.table, self.device.update
        for name in ("centre", "turn", "velocity", "spin"):
            update(getattr(t, name), getattr(rigid, name))
        update(t.awake, (~rigid.held).astype(f64))

    def write_to(self, rigid: RigidMotion) -> None:
        """Write it to a state of the host."""
        for name in ("centre", "turn", "velocity", "spin", "start_centre", "start_turn"):
            self.device.download(getattr(self.table, name), getattr(rigid, name))

    def begin(self, motion: Motion) -> None:
        """Move the bodies as if nothing touched them; vertices are predicted there."""
        self.device.launch(begin, self.count, Moved(self.table, motion))
        self.device.launch(predict, self.vertices, PlacedBodies(self.table, motion.x_pred))

    def place(self, x: Array) -> None:
        """Write all vertices where the bodies are."""
        self.device.launch(place, self.vertices, PlacedBodies(self.table, x))
