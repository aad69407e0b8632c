"""Which device computes a scene: the one that was asked for, or with "auto" the one that is likely to be faster."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...errors import SceneError
from .probe import Device, Found, probe

CPU, CUDA, AUTO, SERIAL = "cpu", "cuda", "auto", "cuda-serial"

#: A launch, of those that follow one another in a graph, takes about so long, however little it does [s]: on an H100 6 to 10
#: microseconds in the scenes of `python3 dev.py bench device`.
LAUNCH = 8e-6
#: What element passes move a second. On a device: an H100 620 GB/s, a fifth of what it copies, so one of 2018 about 100;
#: between both. On one core of a CPU, a sheet of 16,641 vertices in `python3 dev.py bench cloth`; on all cores, what two
#: channels of memory give [B/s].
DEVICE_RATE, CORE_RATE, CPU_RATE = 200e9, 12e9, 50e9
#: So many times faster a device must be by this count before "auto" takes it: bits differ, and the count is a coarse one.
GAIN = 2.0


@dataclass(frozen=True)
class Work:
    """Of a substep. launches: kernels one after the other. moved: bytes that they read and write."""

    launches: int
    moved: int


@dataclass(frozen=True)
class Chosen:
    """kind: CPU, CUDA or SERIAL. device: that of CUDA."""

    kind: str
    device: Device | None = None


def choose(asked: str, work: Work) -> Chosen:
    """asked: `Settings.device`. Raises: SceneError where CUDA is asked for and there is none."""
    if asked in (CPU, SERIAL):
        return Chosen(asked)
    if asked == AUTO and not pays(work):
        return Chosen(CPU)
    found = probe()
    if asked == AUTO:
        return Chosen(CUDA, found.usable[0]) if found.usable else Chosen(CPU)
    return Chosen(CUDA, _asked_for(asked, found))


def pays(work: Work, cores: int | None = None) -> bool:
    """Whether a device takes at most 1 / GAIN of the time of a CPU. cores: of the CPU; None is those of this machine."""
    on_cpu = work.moved / min(CORE_RATE * (cores or os.cpu_count() or 1), CPU_RATE)
    return GAIN * (work.launches * LAUNCH + work.moved / DEVICE_RATE) <= on_cpu


def _asked_for(asked: str, found: Found) -> Device:
    """Raises: SceneError."""
    if not found.devices:
        raise SceneError(found.why)
    if ":" not in asked:
        if not found.usable:
            raise SceneError(found.why)
        return found.usable[0]
    index = int(asked.partition(":")[2])
    if index >= len(found.devices):
        there = ", ".join(f"cuda:{device.index} ({device.name})" for device in found.devices)
        raise SceneError(f"Settings: device is '{asked}'; wanted one of {there}. Take one of these as Device.")
    why = found.devices[index].why or found.why
    if why:
        raise SceneError(why)
    return found.devices[index]
