"""Frames of a simulation on a device, the fallback to the CPU, and timings."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from ...contact.contact import Contact
from ...device.cuda import failures
from ...device.cuda.choice import AUTO, SERIAL
from ...device.cuda.device import SerialDevice
from ...device.cuda.probe import Device, probe
from ...errors import SceneError
from ...global_step.sheet_part import SheetPart
from ...model.gpu.cpu_reason import CpuReason, first_of
from ...model.model import Model
from ...model.state import State
from ...report.intersections import IntersectionSearch
from ...report.measured import Measured
from ...scene import Settings
from ..adaptive_substeps import AdaptiveSubsteps
from ..poses import Drivers, FrameInputs
from ..pressure import PressureLoads
from ..step import Done

if TYPE_CHECKING:
    from .frame import DeviceFrames


class DeviceFields(TypedDict, total=False):
    """Fields of a report that are of the device."""

    device: str
    fallback: str
    launches: int
    bytes_moved: int


class OnDevice:
    """The frames of one simulation on the device of its settings; the CPU computes frames that the device cannot.

    known: properties reported by the driver; None for the serial twin. fallback: why the CPU computed the last frame, NONE
    if the device did, or without a device. fallbacks: number of frames computed by the CPU so far. warnings: for the user.
    measured: of the last frame, if the device computed it.
    """

    def __init__(self, settings: Settings, requested: str) -> None:
        """Open the device. settings: with the device of `choice.settled`.

        requested: the device before that. Raises: SceneError, WorkerError.
        """
        self.fallback, self.fallbacks = CpuReason.NONE, 0
        self.warnings: list[str] = []
        self._may_leave = requested == AUTO
        self.known = chosen_device(settings.device)
        self._frames: DeviceFrames | None = None
        self._samples: list[np.ndarray] = []
        self._quiet = True
        self._swept: tuple[Model, list[SheetPart]] | None = None
        self._needed = 0
        self.measured: Measured | None = None
        self.device = self._open(settings.device)

    def _open(self, name: str) -> SerialDevice | None:
        if self.known is None:
            return SerialDevice() if name == SERIAL else None
        from ...device.cuda.nvidia import CudaDevice

        with failures.translated(self.known):
            return CudaDevice(self.known.index)

    def forget(self) -> None:
        """The state or the model has been changed by others."""
        if self._frames is not None:
            self._frames.forget()

    def fetch(self, state: State) -> None:
        """Copy to the state, and to contact, the data that has stayed on the device; all of x is there after each frame."""
        if self._frames is not None:
            self._frames.fetch(state)

    def advance(
        self, substeps: AdaptiveSubsteps, state: State, drivers: Drivers, contact: Contact | None,
        pressure: PressureLoads | None, inputs: FrameInputs,
        search: IntersectionSearch,
    ) -> Done | None:  # fmt: skip
        """The next frame, as `AdaptiveSubsteps.advance`; None where the CPU has to do it. search: for intersections at its
        end, by the host."""
        self.measured = None
        if self.device is None:
            return None
        from .frame import why_not
        from .sleep_on_host import wake_for_frame

        self.device.counters.clear()
        now = substeps.now
        self.fallback = why_not(now.model, contact, now.global_step) or _why_not_now(state, inputs)
        done = None
        if not self.fallback:
            if wake_for_frame(substeps, state, contact, drivers, inputs):
                self.forget()
            done = self._advance(substeps, state, drivers, inputs, contact, pressure, search)
        if done is None:
            self.fetch(state)
            self.fallbacks += 1
            self.forget()
            return None
        if state.sleep is not None or (self._frames is not None and not self._frames.finds_all_errors):
            self.fetch(state)
        if substeps.end_device_frame(state, contact, inputs, self._samples, self._quiet):
            self.forget()
        return done

    def _advance(
        self, substeps: AdaptiveSubsteps, state: State, drivers: Drivers, inputs: FrameInputs, contact: Contact | None,
        pressure: PressureLoads | None,
        search: IntersectionSearch,
    ) -> Done | None:  # fmt: skip
        """None where the CPU has to do the frame. Raises: SceneError where the device has too little memory; WorkerError."""
        from ...report.gpu.device_report import swept_parts
        from .memory import needed

        assert self.device is not None
        now = substeps.now
        if self._frames is None or not self._frames.is_of(now.model, contact, state, search):
            self.fetch(state)
            self._frames = None  # its memory is free before other arrays take it
            if self._swept is None or self._swept[0] is not now.model:
                self._swept = now.model, swept_parts(now.model, now.global_step)
            self._needed = needed(now, state, contact, search, self._swept[1])
        arguments = self.device, substeps, state, drivers, inputs, contact, pressure, search
        if self.known is None:
            return self._on_frames(*arguments)
        try:
            with failures.translated(self.known, self._needed, self.known.free):
                if self._frames is None:
                    failures.check_room(self.known, self._needed, self.known.free)
                return self._on_frames(*arguments)
        except SceneError as error:
            if not self._may_leave:
                raise
            self.fetch(state)
            self.warnings.append(f"{str(error).partition('. ')[0]}. The CPU goes on instead.")
            self.fallback, self.device, self._frames = CpuReason.MEMORY, None, None
            return None

    def _on_frames(
        self, device: SerialDevice, substeps: AdaptiveSubsteps, state: State, drivers: Drivers, inputs: FrameInputs,
        contact: Contact | None, pressure: PressureLoads | None, search: IntersectionSearch,
    ) -> Done | None:  # fmt: skip
        from .frame import Clock, DeviceFrames

        now, clock = substeps.now, Clock(substeps.speed, substeps.behind)
        if self._frames is None:
            assert self._swept is not None
            made_of = now.model, now.method, state, contact, pressure, now.global_step, search, self._swept[1]
            self._frames = DeviceFrames(device, *made_of)
        done = self._frames.advance(state, drivers, inputs, drivers.responses(inputs)[0], clock)
        if done is None:
            self.fallback = self._frames.why
        else:
            self._samples, substeps.behind, self.measured = self._frames.samples, clock.behind, self._frames.measured
            self._quiet = self._frames.quiet
        return done

    def report_fields(self) -> DeviceFields:
        """The fields of the last frame's report that are of the device."""
        if self.device is None:
            return {"fallback": self.fallback.value} if self.fallback else {}
        counters = self.device.counters
        name = "cpu" if self.fallback else self.device.name
        moved = counters.up + counters.down
        return {"device": name, "fallback": self.fallback.value, "launches": counters.launches, "bytes_moved": moved}


def _why_not_now(state: State, inputs: FrameInputs) -> CpuReason:
    """Return the reason for the next frame on the CPU."""
    reasons = {
        CpuReason.REFERENCE: bool(inputs.references),
        CpuReason.GRAB: bool(inputs.grabs),
        CpuReason.INVERTED: any(left for left, _ in state.inversion_recovery.tolist()),
    }
    return first_of(reasons)


def chosen_device(name: str) -> Device | None:
    """The device of "cuda:1", as `choice.settled` has chosen it; None of others."""
    _, _, index = name.partition(":")
    return probe().devices[int(index)] if index else None
