"""External loads beside gravity in a substep, on a device: air, fields, pressure, in the order of the CPU
(`stepping/step.py`, `_predict`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.uploads import Uploads
from ...global_step.gpu.device_global_step import DeviceGlobalStep
from ...model.gpu.rigid_bodies import DeviceRigid
from ...model.gpu.state_arrays import StateArrays, incident
from ...model.gpu.substep_motion import Motion
from ...model.model import Model
from ...model.state import State
from ...scene import Response, ShapeInputs
from ..air import numbers_of
from ..field_poses import FieldPoses
from ..pressure import PressureLoads
from . import drag
from .pressure_loads import DevicePressure
from .rigid_fields import RigidFields
from .vertex_fields import DeviceFields


@dataclass(frozen=True)
class Frame:
    """Inputs of one frame. gravity: [m/s^2], (3,). fields: at each substep. shapes: of cloths, by name. number: of the
    frame, seeds the noise."""

    gravity: np.ndarray
    fields: Sequence[FieldPoses]
    responses: Sequence[Response]
    shapes: Mapping[str, ShapeInputs]
    number: int


class DeviceLoads:
    """External loads of a model on a device."""

    def __init__(
        self, device: SerialDevice, model: Model, state: StateArrays, pressure: PressureLoads | None,
        rigid: DeviceRigid | None, uploads: Uploads,
    ) -> None:  # fmt: skip
        self.device, self.model, self.state, self._uploads = device, model, state, uploads
        self._static = model.settings.quasi_static
        self._blown = self._triangles()
        self._fields = DeviceFields(device, model, model.body_of_vertex, self._blown, uploads)
        self._rigid = None if rigid is None else RigidFields(device, model, rigid, uploads)
        self._pressure = None if pressure is None else DevicePressure(device, model, state, pressure, uploads)
        self._velocities: Array | None = None
        self._numbers: Array
        self._has_air = self._has_fields = False

    def _triangles(self) -> dict[str, Array] | None:
        blown = self.model.blown
        if not len(blown):
            return None
        first, rows = incident(blown, self.state.rows)
        up = self.device.upload
        return {
            "triangles": up(blown, np.int32),
            "owner": up(self.model.body_of_vertex[blown[:, 0]], np.int32),
            "pushes": self.device.zeros((len(blown), 4), np.float32),
            "first": up(first),
            "incident": up(rows // 3, np.int32),
        }

    def begin_frame(self, frame: Frame, host: State) -> None:
        """Before the first substep. host: whose pressures continue."""
        numbers = np.array(numbers_of(self.model, list(frame.responses)), np.float32)
        self._has_air = self._blown is not None and bool((numbers[:, 0] > 0).any()) and not self._static
        numbers[:, 0] *= 0.25
        self._numbers = self._uploads.take("air", numbers)
        fields = frame.fields, frame.responses, frame.gravity, frame.number
        self._has_fields = self._fields.begin_frame(*fields)
        if self._rigid is not None:
            self._rigid.begin_frame(*fields)
        if self._pressure is not None:
            self._pressure.begin_frame(frame.shapes, frame.gravity, host)

    @property
    def key(self) -> tuple:
        """Return a key of the launches of a frame, beside addresses of arrays."""
        gases = () if self._pressure is None else self._pressure.key
        rigid = () if self._rigid is None else self._rigid.key
        return self._has_air, self._has_fields, self._fields.key, gases, rigid

    def push(self, motion: Motion) -> Motion:
        """Apply external loads of a substep.

        Returns the motion with the velocities that the prediction uses; in a quasi-static solve the loads are added to the
        state. Rigid bodies get their own.
        """
        if self._static:
            if self._has_fields:
                self._fields.act(motion, motion.v, self.state.load)
            if self._pressure is not None:
                self._pressure.act(motion, motion.v, self.state.load)
            return motion
        if self._rigid is not None:
            self._rigid.push(motion)
        if not (self._has_air or self._has_fields or self._pressure is not None):
            return motion
        if self._velocities is None:
            self._velocities = self.device.zeros((self.state.rows, 3), np.float32)
        before, motion = motion.v, motion._replace(blown=self._velocities)
        if self._has_air:
            self._blow(motion)
            before = self._velocities
        if self._has_fields:
            self._fields.act(motion, before, None)
            before = self._velocities
        if self._pressure is not None:
            if before is not self._velocities:  # a cloth without pressure needs the copy too
                self.device.copy(self._velocities, before)
            self._pressure.act(motion, self._velocities, None)
        return motion

    def _blow(self, motion: Motion) -> None:
        assert self._blown is not None
        local = self._fields.air(motion)
        arguments = drag.Air(
            motion=motion, numbers=self._numbers, local=motion.v if local is None else local,
            has_local=np.int32(local is not None), **self._blown,
        )  # fmt: skip
        self.device.launch(drag.blow, len(self.model.blown), arguments)
        self.device.launch(drag.add_wind, self.state.rows, arguments)

    def equilibrate(self, motion: Motion, step: DeviceGlobalStep | None, of_step: bool) -> None:
        """Update gas pressures to the new volumes: of cloths of the global step after it, of others after the sweeps."""
        if self._pressure is not None and not self._static:
            self._pressure.equilibrate(motion, step, of_step)

    def write_to(self, host: State) -> None:
        """Write to the host's state at the frame's end."""
        if self._pressure is not None:
            self._pressure.write_to(host)
