"""Contacts of vertices with infinite planes on a device (`contact/constraints/half_spaces.py`): a thread a vertex.

A substep is `begin` after the prediction, `project` after each sweep, `end` before velocities are set, `stop` after.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...device.cpu import f32
from ...device.cuda.array_copies import ArrayCopies
from ...device.cuda.body import Body, body
from ...device.cuda.device import Array, SerialDevice
from ...device.layout import layout
from ...mathlib.vec3 import add, add_scaled, dot, sub
from ...model.gpu.substep_motion import NOW, Motion
from ..constraints.law import friction_between, friction_force, normal_force, reach, separation_to_remove, target_distance
from ..constraints.tables import HALF_SPACE, SLOTS
from ..contact import Contact
from ..surfaces.collider_tables import PlaneTable
from .one_vertex import begin_first_order, take_up

ZERO, ONE = f32(0), f32(1)
#: Contact of a vertex with a plane: the columns of `HALF_SPACE` that are not the plane's.
VALUE = layout(gap=1, friction=1, multiplier=1, tangential=3, shortfall=1)


class Planes(NamedTuple):
    """Contacts with infinite planes. motion: see there. Of vertices, (n,): touches, coupled (whether its motion follows
    others), distance [m], friction, owner. Of planes, (k, 3): points [m], normals; (k,): thickness [m], rubbing; (bodies,
    k): rules. allowance: largest displacement of penetration recovery [m].

    number: contacts of each vertex, (n,); plane: of each contact, (n, SLOTS); values: (n, SLOTS * VALUE.width), of coupled
    vertices forces [N] in place of multipliers [m]. forces: of planes on each uncoupled vertex in the last substep, (n, k)
    [N].
    """

    motion: Motion
    touches: Array
    coupled: Array
    distance: Array
    friction: Array
    owner: Array
    points: Array
    normals: Array
    thickness: Array
    rubbing: Array
    rules: Array
    allowance: np.float32
    number: Array
    plane: Array
    values: Array
    forces: Array


@body
def begin(i, args):
    """Start the contacts of a vertex with planes near it; it takes this substep by backward Euler then."""
    m, number = args.motion, 0
    if args.touches[i] and (m.x0[i, 3] > ZERO or args.coupled[i]):
        p = (m.x0[i, 0], m.x0[i, 1], m.x0[i, 2])
        move = sub((m.x_pred[i, 0], m.x_pred[i, 1], m.x_pred[i, 2]), p)
        for k in range(args.points.shape[0]):
            n = (args.normals[k, 0], args.normals[k, 1], args.normals[k, 2])
            start = dot(n, sub(p, (args.points[k, 0], args.points[k, 1], args.points[k, 2])))
            full = args.distance[i] + args.thickness[k]
            near = min(start, start + dot(n, move)) < reach(full, math.sqrt(dot(move, move)))
            if near and number < SLOTS and args.rules[args.owner[i], k]:
                target = target_distance(full, start, args.allowance)
                at = number * VALUE.width
                args.plane[i, number] = k
                for column in range(VALUE.width):
                    args.values[i, at + column] = ZERO
                args.values[i, at + VALUE.gap] = start - target
                args.values[i, at + VALUE.friction] = friction_between(args.friction[i], args.rubbing[k])
                args.values[i, at + VALUE.shortfall] = full - target
                number += 1
    args.number[i] = number
    if number > 0 and not args.coupled[i]:
        begin_first_order(m, i)


@body
def project(i, args):
    """Project the contacts of a vertex, one after the other."""
    m = args.motion
    if args.number[i] > 0 and not args.coupled[i]:
        p = (
            m.x_pred[i, 0] + m.correction[i, 0],
            m.x_pred[i, 1] + m.correction[i, 1],
            m.x_pred[i, 2] + m.correction[i, 2],
        )
        x0 = (m.x0[i, 0], m.x0[i, 1], m.x0[i, 2])
        for s in range(args.number[i]):
            at, k = s * VALUE.width, args.plane[i, s]
            across = at + VALUE.tangential
            n = (args.normals[k, 0], args.normals[k, 1], args.normals[k, 2])
            d, before = sub(p, x0), args.values[i, at + VALUE.multiplier]
            after = normal_force(before - dot(n, d), args.values[i, at + VALUE.gap], ONE)
            old = (args.values[i, across], args.values[i, across + 1], args.values[i, across + 2])
            t = friction_force(old, d, n, ONE, args.values[i, at + VALUE.friction] * after)
            args.values[i, at + VALUE.multiplier] = after
            args.values[i, across], args.values[i, across + 1], args.values[i, across + 2] = t
            p = add(add_scaled(p, after - before, n), sub(t, old))
        take_up(m, i, p)


@body
def end(i, args):
    """Move a vertex that crossed a plane back in front of it; a vertex with contact force gets a first-order velocity."""
    m = args.motion
    if args.touches[i] and m.x0[i, 3] > ZERO:
        p = (
            m.x_pred[i, 0] + m.correction[i, 0],
            m.x_pred[i, 1] + m.correction[i, 1],
            m.x_pred[i, 2] + m.correction[i, 2],
        )
        x0 = (m.x0[i, 0], m.x0[i, 1], m.x0[i, 2])
        for k in range(args.points.shape[0]):
            if args.rules[args.owner[i], k]:
                n = (args.normals[k, 0], args.normals[k, 1], args.normals[k, 2])
                point = (args.points[k, 0], args.points[k, 1], args.points[k, 2])
                start, gap = dot(n, sub(x0, point)), dot(n, sub(p, point))
                if start >= ZERO and gap < ZERO:
                    target = target_distance(args.distance[i] + args.thickness[k], start, args.allowance)
                    p = add_scaled(p, target - gap, n)
        take_up(m, i, p)
        for k in range(args.points.shape[0]):
            args.forces[i, k] = ZERO
        for s in range(args.number[i]):
            moved = args.values[i, s * VALUE.width + VALUE.multiplier]
            args.forces[i, args.plane[i, s]] = moved / m.x0[i, 3]
            if moved > ZERO:
                m.history[i] = False


@body
def stop(i, args):
    """Apply restitution of zero (`contact/constraints/restitution.py`) and restart the vertex's velocity history."""
    m, number = args.motion, args.number[i]
    if number > 0 and not args.coupled[i]:
        now = m.now[m.step]
        v = (m.v[i, 0], m.v[i, 1], m.v[i, 2])
        moved = sub((m.x_pred[i, 0], m.x_pred[i, 1], m.x_pred[i, 2]), (m.x0[i, 0], m.x0[i, 1], m.x0[i, 2]))
        for s in range(number):
            k = args.plane[i, s]
            n = (args.normals[k, 0], args.normals[k, 1], args.normals[k, 2])
            excess = separation_to_remove(dot(n, v), now[NOW.inverse_h] * dot(n, moved))
            if args.values[i, s * VALUE.width + VALUE.multiplier] > ZERO and excess > ZERO:
                v = add_scaled(v, -excess, n)
        for k in range(3):
            m.v[i, k] = v[k]
            if m.second_order > 0:
                m.v_before[i, k] = v[k]
                m.motion[i, k] = now[NOW.h] * v[k]


class PlaneContacts:
    """The contacts of a world's bodies with its infinite planes, on a device. count: planes."""

    def __init__(self, device: SerialDevice, contact: Contact, coupled: np.ndarray, h: float) -> None:
        """coupled: whether something else moves a vertex, (n,) bool. h: substep [s]."""
        planes, vertices, touches, speed = contact.exchange.plane_tables()
        n, up, self.count = len(touches), device.upload, len(planes.points)
        if not self.count:  # one that nothing touches: an array of nothing has no place
            point, number = np.zeros((1, 3), np.float32), np.zeros(1, np.float32)
            planes = PlaneTable(point, point, number, number, np.zeros((len(planes.rules), 1), bool))
        self.device = device
        self._of_planes = up(planes.points), up(planes.normals), up(planes.thickness), up(planes.friction), up(planes.rules)
        first = slice(0, n)
        self._of_vertices = (
            up(touches),
            up(coupled),
            up(vertices.distance[first]),
            up(vertices.friction[first]),
            up(vertices.owner[first], np.int32),
        )
        self._allowance = np.float32(speed * h)
        self._number, self._plane = device.zeros(n, np.int32), device.zeros((n, SLOTS), np.int32)
        self._values = device.zeros((n, SLOTS * VALUE.width), np.float32)
        self._kept = ArrayCopies(device)
        self._normals, self._forces = planes.normals, device.zeros((n, len(planes.points)), np.float32)

    def take(self, keys: np.ndarray, forces: np.ndarray) -> None:
        """Take over the forces of planes in the last substep: keys, vertex times the number of planes plus the plane, (k,)
        int64, and forces [N], (k,)."""
        rows = np.zeros(self._forces.shape, np.float32)
        rows.reshape(-1)[keys] = forces
        self.device.update(self._forces, rows)

    @property
    def for_global_step(self) -> tuple[Array, ...]:
        """Number, plane, values, normals and forces, as in `Planes`."""
        return self._number, self._plane, self._values, self._of_planes[1], self._forces

    def arguments(self, motion: Motion) -> Planes:
        """Return the arguments of thread bodies in a substep."""
        of_contacts = self._number, self._plane, self._values, self._forces
        return Planes(motion, *self._of_vertices, *self._of_planes, self._allowance, *of_contacts)

    def launch(self, stage: Body, motion: Motion) -> None:
        """Launch one stage of a substep."""
        self.device.launch(stage, len(self._number), self.arguments(motion))

    def keep(self) -> None:
        """Copy the data that `found` reads."""
        self._kept.take((self._number, self._plane, self._values))

    def download(self, from_copy: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the contacts of a frame's last substep, as in a `SlotTable` of the host. as_kept: read the copy."""
        of_contacts = self._kept.arrays if from_copy else [self._number, self._plane, self._values]
        number, plane, values = (self.device.download(array) for array in of_contacts)
        n = len(number)
        values = values.reshape(n, SLOTS, VALUE.width)
        rows = np.zeros((n, SLOTS, HALF_SPACE.width), np.float32)
        rows[:, :, HALF_SPACE.normal : HALF_SPACE.normal + 3] = self._normals[plane]
        for name in ("gap", "friction", "multiplier", "shortfall"):
            rows[:, :, getattr(HALF_SPACE, name)] = values[:, :, getattr(VALUE, name)]
        across = slice(VALUE.tangential, VALUE.tangential + 3)
        rows[:, :, HALF_SPACE.tangential : HALF_SPACE.tangential + 3] = values[:, :, across]
        return number, rows
