"""Rigid bodies on a device: six numbers each, in double precision, computed by few threads (`model/rigid_motion.py`).

A body moves freely in a substep; contact adds a twist, and its vertices follow.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..device.cpu import f32
from ..device.cuda.body import body
from ..device.cuda.device import SerialDevice
from ..device.uncounted import inline
from ..mathlib.vec3 import add, add_scaled, cross, dot, scale, sub
from ..model.model import Model
from ..model.rigid_motion import RigidMotion
from ..model.state import State
from .predict import NOW, Motion

f64 = np.float64
ZERO, HALF, ONE, TWO = f64(0), f64(0.5), f64(1), f64(2)
NONE = f32(0)


class Rigid(NamedTuple):
    """Rigid bodies, (b,) or (b, numbers): awake (1, or 0 asleep), mass [kg], inertia, centre, turn, velocity, spin,
    start_centre, start_turn: as in `RigidMotion`, double; push, swing, twist likewise, single, swing in rows. Of their
    vertices, (k,): rows, owner; local: in the frame of the principal axes [m], (k, 3); arm: from the centre to the predicted
    position [m], (k, 3).
    """

    awake: Any
    mass: Any
    inertia: Any
    centre: Any
    turn: Any
    velocity: Any
    spin: Any
    start_centre: Any
    start_turn: Any
    push: Any
    swing: Any
    twist: Any
    rows: Any
    owner: Any
    local: Any
    arm: Any


class Moved(NamedTuple):
    """rigid, motion: see there."""

    rigid: Rigid
    motion: Motion


class PlacedBodies(NamedTuple):
    """Arguments of placement. rigid; x: positions, of which those of the bodies' vertices are written, (n, 3 or
    more) [m]."""

    rigid: Rigid
    x: Any


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


@inline
def matrix(q):
    """`rigid_motion.matrix`, in rows."""
    w, x, y, z = q
    return (
        (ONE - TWO * (y * y + z * z), TWO * (x * y - w * z), TWO * (x * z + w * y)),
        (TWO * (x * y + w * z), ONE - TWO * (x * x + z * z), TWO * (y * z - w * x)),
        (TWO * (x * z - w * y), TWO * (y * z + w * x), ONE - TWO * (x * x + y * y)),
    )


@inline
def times(r, v):
    """r v, r in rows."""
    return dot(r[0], v), dot(r[1], v), dot(r[2], v)


@inline
def times_transposed(r, v):
    """r^T v, r in rows."""
    return add(add(scale(v[0], r[0]), scale(v[1], r[1])), scale(v[2], r[2]))


@inline
def through(q, principal, v):
    """R diag(principal) R^T v of a quaternion."""
    r = matrix(q)
    a = times_transposed(r, v)
    return times(r, (principal[0] * a[0], principal[1] * a[1], principal[2] * a[2]))


@inline
def inverse_of(inertia):
    """Return the inverse of each principal moment."""
    return ONE / inertia[0], ONE / inertia[1], ONE / inertia[2]


@inline
def turned(q, rotation):
    """`rigid_motion.turned` of one quaternion. Sine and cosine of an eighth of half the angle are series, to 1e-11 at one
    turn: functions of the compiler would be calls."""
    u = scale(f64(1 / 16), rotation)
    x = dot(u, u)
    v = scale(ONE - x * f64(1 / 6) * (ONE - x * f64(1 / 20) * (ONE - x * f64(1 / 42) * (ONE - x * f64(1 / 72)))), u)
    w = ONE - x * HALF * (ONE - x * f64(1 / 12) * (ONE - x * f64(1 / 30) * (ONE - x * f64(1 / 56))))
    for _ in range(3):  # twice the angle
        w, v = w * w - dot(v, v), scale(TWO * w, v)
    old = (q[1], q[2], q[3])
    new = add(add_scaled(scale(w, old), q[0], v), cross(v, old))
    first = w * q[0] - dot(v, old)
    inverse = ONE / math.sqrt(first * first + dot(new, new))
    return first * inverse, new[0] * inverse, new[1] * inverse, new[2] * inverse


@inline
def rotation_between(one, other):
    """`rigid_motion.rotation_between`. The angle is a series of the sine of a sixteenth of its half, to 1e-12."""
    a, b = (-one[1], -one[2], -one[3]), (other[1], other[2], other[3])
    w = other[0] * one[0] - dot(b, a)
    v = add(add_scaled(scale(other[0], a), one[0], b), cross(b, a))
    sign = ONE if w >= ZERO else -ONE
    w, v = sign * w, scale(sign, v)
    for _ in range(4):  # half the angle
        w = math.sqrt(HALF * (ONE + w))
        v = scale(HALF / w, v)
    x = dot(v, v)
    more = x * (f64(3 / 40) + x * (f64(15 / 336) + x * f64(105 / 3456)))
    return scale(f64(32) * (ONE + x * (f64(1 / 6) + more)), v)


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
    velocity = add_scaled(scale(keep, three(g.velocity, b)), awake * h, fall)
    spin = scale(keep, three(g.spin, b))
    put_three(g.velocity, b, velocity)
    put_three(g.spin, b, spin)
    inverse = inverse_of(inertia)
    g.push[b] = awake * h * h / g.mass[b]
    for k in range(3):
        axis = (ONE if k == 0 else ZERO, ONE if k == 1 else ZERO, ONE if k == 2 else ZERO)
        column = scale(awake * h * h, through(turn, inverse, axis))
        for j in range(3):
            g.swing[b, 3 * j + k] = column[0] if j == 0 else column[1] if j == 1 else column[2]
    for k in range(6):
        g.twist[b, k] = NONE
    put_three(g.centre, b, add_scaled(three(g.centre, b), h, velocity))
    # The turn of the middle of the substep, at which the body turns as its angular momentum says: of second order.
    middle = turned(turn, scale(HALF * h, through(turn, inverse, spin)))
    put_four(g.turn, b, turned(turn, scale(h, through(middle, inverse, spin))))


@inline
def place_row(k, g, x):
    """Write the position of a body's vertex; return its arm [m]."""
    b, row = g.owner[k], g.rows[k]
    arm = times(matrix(four(g.turn, b)), three(g.local, k))
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
    start, inertia = four(g.start_turn, b), three(g.inertia, b)
    put_three(g.centre, b, centre)
    put_four(g.turn, b, turn)
    put_three(g.velocity, b, scale(ONE / h, sub(centre, three(g.start_centre, b))))
    put_three(g.spin, b, scale(ONE / h, through(start, inertia, rotation_between(start, turn))))


@body
def correct(b, args):
    """`RigidMotion.correct` of one body."""
    g, m = args.rigid, args.motion
    inverse_h = ONE / f64(m.now[m.step, NOW.h])
    move = (f64(g.twist[b, 0]), f64(g.twist[b, 1]), f64(g.twist[b, 2]))
    turn = (f64(g.twist[b, 3]), f64(g.twist[b, 4]), f64(g.twist[b, 5]))
    put_three(g.centre, b, add(three(g.centre, b), move))
    put_three(g.velocity, b, add_scaled(three(g.velocity, b), inverse_h, move))
    more = through(four(g.start_turn, b), three(g.inertia, b), turn)
    put_three(g.spin, b, add_scaled(three(g.spin, b), inverse_h, more))
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

    def place(self, x: Any) -> None:
        """Write all vertices where the bodies are."""
        self.device.launch(place, self.vertices, PlacedBodies(self.table, x))
