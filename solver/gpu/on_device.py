"""Whether a simulation's frames are done on a device, and what they took."""

from __future__ import annotations

from typing import Any

from ..device.cuda.device import SerialDevice
from ..model.state import State
from ..scene import Settings
from ..stepping.adaptive_substeps import AdaptiveSubsteps
from ..stepping.poses import Drivers, FrameInputs
from ..stepping.step import Done
from .frame import DeviceFrames, why_not


def opened(name: str) -> SerialDevice | None:
    """The device of `Settings.device`; None for the CPU. Raises: ImportError without the packages of CUDA."""
    if name == "cuda":
        from ..device.cuda.nvidia import CudaDevice

        return CudaDevice()
    return SerialDevice() if name == SerialDevice.name else None


class OnDevice:
    """The frames of one simulation on the device that its settings ask for; the CPU does what the device cannot.

    fallback: why the CPU did the last frame; empty where the device did, or where none was asked for. fallbacks: how many
    frames the CPU has done so far.
    """

    def __init__(self, settings: Settings) -> None:
        self.device = opened(settings.device)
        self.fallback, self.fallbacks = "", 0
        self._frames: DeviceFrames | None = None

    def forget(self) -> None:
        """The state or the model has been changed by others."""
        if self._frames is not None:
            self._frames.forget()

    def advance(
        self, substeps: AdaptiveSubsteps, state: State, drivers: Drivers, contact: Any, surroundings: Any, pressure: Any,
        inputs: FrameInputs,
    ) -> Done | None:  # fmt: skip
        """The next frame, as `AdaptiveSubsteps.advance`; None where the CPU has to do it."""
        if self.device is None:
            return None
        self.device.counters.clear()
        now = substeps.now
        self.fallback = why_not(now.model, contact, now.global_step, pressure) or self._why_not_now(state, drivers, inputs)
        done = None
        if not self.fallback:
            if self._frames is None or self._frames.model is not now.model:
                self._frames = DeviceFrames(self.device, now.model, now.method, state)
            done = self._frames.advance(state, drivers, inputs, drivers.responses(inputs)[0])
            if done is None:
                self.fallback = "a solid that is tangled"
        if done is None:
            self.fallbacks += 1
            self.forget()
        else:
            substeps.end_device_frame(state, inputs)
        return done

    def told(self) -> dict[str, Any]:
        """The fields of the last frame's report that are of the device."""
        if self.device is None:
            return {}
        counters = self.device.counters
        name = "cpu" if self.fallback else self.device.name
        moved = counters.up + counters.down
        return {"device": name, "fallback": self.fallback, "launches": counters.launches, "bytes_moved": moved}

    @staticmethod
    def _why_not_now(state: State, drivers: Drivers, inputs: FrameInputs) -> str:
        """Why the CPU has to do the next frame; empty where the device can."""
        responses, _ = drivers.responses(inputs)
        tangled = any(left for left, _ in state.inversion_recovery.tolist())
        reasons = {
            "force fields": bool(drivers.now.fields.fields) or bool(inputs.fields),
            "bodies with a gravity of their own": any(response.gravity != 1.0 for response in responses),
            "a solid that is tangled": tangled,
            "shapes that change": bool(inputs.shapes),
            "a speed of its own": inputs.speed != 1.0,
        }
        return next((name for name, holds in reasons.items() if holds), "")
