"""Stages of a substep on a device, as launches."""

from __future__ import annotations

from typing import Self

from ...contact.gpu.device_contact import DeviceContact
from ...device.cuda.device import Array, SerialDevice
from ...energies import attachment
from ...global_step.gpu.device_global_step import DeviceGlobalStep
from ...methods.gpu import strains
from ...methods.gpu.gpbd_sweeps import GpbdSweeps
from ...methods.gpu.pbng_sweeps import PbngSweeps
from ...model.gpu import placing, substep_motion
from ...model.gpu.rigid_bodies import DeviceRigid
from ...model.gpu.state_arrays import BatchArrays, StateArrays, attached_rows
from ..step import Done
from . import predict, quasi_static, substep_end
from .loads import DeviceLoads
from .stitch_lengths import DeviceStitches


class DeviceStages:
    """`stepping.step.Stages` of the substeps of a model. rigid, contact, keep_length: None without any."""

    def __init__(
        self, device: SerialDevice, state: StateArrays, places: placing.Places, rigid: DeviceRigid | None,
        first_pins: list[int], sweeps: GpbdSweeps | PbngSweeps, loads: DeviceLoads, stitches: DeviceStitches,
        contact: DeviceContact | None, keep_length: DeviceGlobalStep | None,
    ) -> None:  # fmt: skip
        """first_pins: number of the first pin of each body among those of all."""
        self._device, self._state, self._model, self._places = device, state, state.model, places
        self._rigid, self._sweeps, self._loads, self._stitches = rigid, sweeps, loads, stitches
        self._contact, self._keep_length = contact, keep_length
        self.iterations = self._model.settings.iterations
        self._attached: list[tuple[BatchArrays, Array, Array]] = [
            (batch, device.upload(rows), device.upload(damping))
            for batch in state.batches
            if batch.host.energy is attachment
            for rows, damping in [attached_rows(self._model, batch.host, first_pins)]
        ]
        self._motion: substep_motion.Motion

    def at(self, motion: substep_motion.Motion) -> Self:
        """Return the stages of one substep."""
        self._motion = motion
        return self

    def begin_elements(self) -> None:
        """Take the strains that damping and limits compare with; plastic ones flow."""
        for batch, elements in zip(self._state.batches, self._sweeps.elements, strict=True):
            energy = batch.host.energy
            if hasattr(energy, "flow_at_start"):
                self._device.launch(strains.flow(energy), batch.threads, elements._replace(x=self._state.x))
            elif batch.host.damped:
                self._device.launch(strains.set_strains(energy), batch.threads, elements._replace(x=self._state.x))
        self._sweeps.begin_limits()
        self._stitches.set()

    def predict(self) -> None:
        """Move everything to its position without energies and contacts."""
        device, s, motion = self._device, self._state, self._motion
        if self._model.settings.quasi_static:
            device.launch(quasi_static.weigh, s.rows, quasi_static.Still(motion, s.load))
            self._loads.push(motion)
            device.launch(quasi_static.begin, s.rows, motion)
        else:
            motion = self._loads.push(motion)
            device.launch(predict.predict, s.rows, motion)
        sheets = len(self._model.flat_sheets.anchors)
        device.launch(predict.disturb, sheets, predict.Sheets(s.flat_sheets, s.x0, s.flat_compression, s.x_pred))
        self._embed(s.x_pred)
        if self._rigid is not None:
            self._rigid.begin(motion)
        if sheets or len(self._model.embedded.rows) or self._rigid is not None:
            device.launch(placing.place, s.rows, self._places)
        for batch, rows, damping in self._attached:
            arguments = strains.Attachments(motion, batch.corners, rows, damping, batch.strains)
            device.launch(strains.draw, batch.threads, arguments)

    def _embed(self, x: Array) -> None:
        rows, corners, shares = self._state.embedded
        self._device.launch(predict.embed, len(rows), predict.Points(rows, corners, shares, x))

    def find_contacts(self) -> None:
        """Find the contacts of the motion to the prediction."""
        if self._contact is not None:
            self._contact.begin(self._motion)

    def solve_globally(self) -> None:
        """Start the displacements of elements, and take the global step."""
        self._sweeps.begin()
        if self._keep_length is not None:
            self._keep_length.launch(self._contact, self._motion)

    def equilibrate_pressure(self, of_step: bool) -> None:
        """Adjust the pressure of gas to the volume."""
        if self._keep_length is not None or not of_step:
            self._loads.equilibrate(self._motion, self._keep_length, of_step)

    def sweep(self, iteration: int) -> bool:
        """Sweep all elements once."""
        self._sweeps.sweep(iteration)
        return False

    def project_contacts(self, iterations_left: int) -> bool:
        """Project the contacts."""
        if self._contact is not None:
            self._contact.project(self._motion, iterations_left)
        return self._contact is not None

    def outcome(self, sweeps: int, unchanged: bool) -> Done | None:
        """Return the outcome after the first round: a device has no tolerances."""
        return Done(sweeps, None)

    def end(self) -> None:
        """Clamp the motion, and set the velocities."""
        s, motion = self._state, self._motion
        if self._contact is not None:
            self._contact.end(motion)
        self._device.launch(placing.place, s.rows, self._places)
        self._embed(s.x)
        if self._rigid is not None:
            self._rigid.place(s.x)
        if self._model.settings.quasi_static:
            self._device.launch(quasi_static.end, s.rows, motion)
        else:
            self._device.launch(substep_end.end, s.rows, motion)
            if self._contact is not None:
                self._contact.stop(motion)
