"""Force fields and their own gravity on rigid bodies on a device: at their centres (`stepping/fields.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import SerialDevice
from ...device.cuda.uploads import Uploads
from ...model.gpu.rigid_bodies import DeviceRigid, Rigid, f64
from ...model.gpu.substep_motion import NOW, Motion
from ...model.model import Model
from ...scene import Response
from ..field_poses import FieldPoses
from .vertex_fields import DeviceFields, FieldResponse, acceleration_of


class Centres(NamedTuple):
    """rigid: see there; x, v: positions [m] and velocities [m/s] of its centres in single precision, (b, 4) and (b, 3)."""

    rigid: Rigid
    x: Array
    v: Array


class Pushed(NamedTuple):
    """Arguments of fields on bodies. rigid, field_response: see there."""

    rigid: Rigid
    field_response: FieldResponse


@body
def show(b, args):
    """Write the position of a body's centre, for fields."""
    for k in range(3):
        args.x[b, k] = args.rigid.centre[b, k]
        args.v[b, k] = args.rigid.velocity[b, k]


@body
def push(b, args):
    """Change the velocity of a body by the fields at its centre."""
    g, place = args.rigid, args.field_response.place
    if g.awake[b] > 0:
        h = place.motion.now[place.motion.step, NOW.h]
        acceleration = acceleration_of(
            b, args.field_response, h, (place.before[b, 0], place.before[b, 1], place.before[b, 2])
        )
        for k in range(3):
            g.velocity[b, k] += f64(h) * f64(acceleration[k])


class RigidFields:
    """Fields on the rigid bodies of a model."""

    def __init__(self, device: SerialDevice, model: Model, rigid: DeviceRigid, uploads: Uploads) -> None:
        self.device, self._rigid, count = device, rigid.table, rigid.count
        body_of = model.body_of_vertex[[shape.start for shape in model.rigid]]
        self._fields = DeviceFields(device, model, body_of, None, uploads)
        self._x, self._v = device.zeros((count, 4), np.float32), device.zeros((count, 3), np.float32)
        self._v_before, self._history = device.zeros((count, 3), np.float32), device.zeros(count, bool)
        self._has_fields = False

    def begin_frame(
        self, poses: Sequence[FieldPoses], responses: Sequence[Response], gravity: np.ndarray, frame: int
    ) -> None:
        """Upload the fields of a frame, as `DeviceFields`."""
        self._has_fields = self._fields.begin_frame(poses, responses, gravity, frame)

    @property
    def key(self) -> tuple:
        """Return a key that changes with the launches of a frame, apart from addresses of arrays."""
        return self._has_fields, self._fields.key

    def push(self, motion: Motion) -> None:
        """Before the bodies move in a substep."""
        if self._has_fields:
            self.device.launch(show, len(self._x), Centres(self._rigid, self._x, self._v))
            at_centres = motion._replace(x=self._x, v=self._v, v_before=self._v_before, history=self._history)
            self.device.launch(
                push, len(self._x), Pushed(self._rigid, self._fields.field_response(at_centres, self._v, None))
            )
