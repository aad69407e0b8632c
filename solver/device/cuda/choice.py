"""Choice of the device for a scene: the one in the settings, or with "auto" the one that is likely to be faster."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...errors import SceneError
from .probe import DetectedDevices, Device, probe

CPU, CUDA, AUTO, SERIAL = "cpu", "cuda", "auto", "cuda-serial"

#: Time of a launch in a graph of dependent launches, even without work [s]: on an H100 6 to 10 microseconds in the scenes of
#: `python3 dev.py bench device`.
LAUNCH = 8e-6
#: Bandwidth of element passes. On a device: an H100 620 GB/s, a fifth of its copy rate, so one of 2018 about 100; between
#: both. On one core of a CPU, a sheet of 16,641 vertices in `python3 dev.py bench cloth`; on all cores, that of two channels
#: of memory [B/s].
DEVICE_RATE, CORE_RATE, CPU_RATE = 200e9, 12e9, 50e9
#: So many times faster a device must be by this count before "auto" takes it: bits differ, and the count is a coarse one.
GAIN = 2.0


@dataclass(frozen=True)
class Work:
    """Work of a substep. launches: kernels one after the other. moved: bytes read and written."""

    launches: int
    moved: int


@dataclass(frozen=True)
class Chosen:
    """Chosen device. kind: CPU, CUDA or SERIAL. device: that of CUDA."""

    kind: str
    device: Device | None = None


def choose(requested: str, work: Work) -> Chosen:
    """Choose a device. requested: `Settings.device`. Raises: SceneError for CUDA without a usable device."""
    if requested in (CPU, SERIAL):
        return Chosen(requested)
    if requested == AUTO and not pays(work):
        return Chosen(CPU)
    devices = probe()
    if requested == AUTO:
        return Chosen(CUDA, devices.usable[0]) if devices.usable else Chosen(CPU)
    return Chosen(CUDA, _requested(requested, devices))


def pays(work: Work, cores: int | None = None) -> bool:
    """Return whether a device takes at most 1 / GAIN of the time of a CPU. cores: of the CPU; None is those of this
    machine."""
    on_cpu = work.moved / min(CORE_RATE * (cores or os.cpu_count() or 1), CPU_RATE)
    return GAIN * (work.launches * LAUNCH + work.moved / DEVICE_RATE) <= on_cpu


def _requested(requested: str, detected: DetectedDevices) -> Device:
    """Raises: SceneError."""
    if not detected.devices:
        raise SceneError(detected.why)
    if ":" not in requested:
        if not detected.usable:
            raise SceneError(detected.why)
        return detected.usable[0]
    index = int(requested.partition(":")[2])
    if index >= len(detected.devices):
        there = ", ".join(f"cuda:{device.index} ({device.name})" for device in detected.devices)
        raise SceneError(f"Settings: device is '{requested}'; wanted one of {there}. Take one of these as Device.")
    why = detected.devices[index].why or detected.why
    if why:
        raise SceneError(why)
    return detected.devices[index]
