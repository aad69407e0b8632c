"""Devices of the CUDA driver, and reasons why one cannot be used: by the driver's own library, which every driver includes,
so that nothing has to be installed, imported or compiled.

A device is tried: it makes a context and allocates. That takes some tenths of a second and some hundred megabytes of the
device for that time, so a worker process does it, once.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from dataclasses import dataclass

from ..serving import Tell
from . import packages
from .pinned import pinned

#: The driver's library, where there is one.
LIBRARIES = {"linux": "libcuda.so.1", "win32": "nvcuda.dll"}
#: Of `cuDeviceGetAttribute`.
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
#: Size of the trial allocation [B].
TRIAL = 1 << 20
#: Result of `cuInit` without devices.
NO_DEVICE = 100
#: Alternative if a device cannot be used.
OTHERWISE = "or set Device to CPU"


@dataclass(frozen=True)
class Device:
    """index: as the driver counts. capability: of its architecture. memory, free: [B]. why: it cannot be used, as two
    sentences; "" where it can."""

    index: int
    name: str
    capability: tuple[int, int]
    memory: int
    free: int
    why: str = ""


@dataclass(frozen=True)
class DetectedDevices:
    """driver: the CUDA that it knows, 13050 is 13.5; 0 without one. why: nothing can be used, as two sentences; "" where
    something can."""

    devices: tuple[Device, ...] = ()
    driver: int = 0
    why: str = ""

    @property
    def usable(self) -> tuple[Device, ...]:
        return () if self.why else tuple(device for device in self.devices if not device.why)

    @property
    def lacks_packages(self) -> bool:
        """True if only packages are missing."""
        return bool(self.why) and any(not device.why for device in self.devices)


class Probe:
    """Probe in a worker. tell: not called."""

    def __init__(self, tell: Tell) -> None:
        """Do nothing: it reports no progress."""

    def probe(self) -> DetectedDevices:
        return probe()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


@functools.cache
def probe() -> DetectedDevices:
    """Return the devices, probed once in a process."""
    name = LIBRARIES.get(sys.platform)
    wanted = f"wanted driver {pinned().driver_name} or later"
    if name is None:
        return DetectedDevices(
            why=f"CUDA: there is none for this system ({sys.platform}); wanted Linux or Windows. Set Device to CPU."
        )
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return DetectedDevices(
            why=f"CUDA: there is no driver of NVIDIA's ({name} is not found); {wanted}. Install it, {OTHERWISE}."
        )
    return _Driver(library).look()


class _RefusedError(Exception):
    """An error of the driver, in its own words."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(f"error {code}: {words}")
        self.code = code


class _Driver:
    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def look(self) -> DetectedDevices:
        least, version = pinned(), ctypes.c_int()
        wanted = f"wanted {_version(least.driver)}, which is driver {least.driver_name}, or later"
        try:
            self._call("cuDriverGetVersion", ctypes.byref(version))
            if version.value < least.driver:
                known_version = _version(version.value)
                why = f"CUDA: NVIDIA's driver knows CUDA {known_version}; {wanted}. Update the driver, {OTHERWISE}."
                return DetectedDevices(driver=version.value, why=why)
            self._call("cuInit", 0)
            devices = tuple(self._device(index) for index in range(self._count()))
        except _RefusedError as refused:
            if refused.code == NO_DEVICE:
                devices = ()
            else:
                why = f"CUDA: NVIDIA's driver does not start ({refused}); {wanted}. Restart the computer, {OTHERWISE}."
                return DetectedDevices(driver=version.value, why=why)
        return DetectedDevices(devices, version.value, self._why_none(devices) or packages.problem())

    def _why_none(self, devices: tuple[Device, ...]) -> str:
        if not devices:
            return f"CUDA: NVIDIA's driver finds no device; wanted one. Look whether it is switched off, {OTHERWISE}."
        return devices[0].why if all(device.why for device in devices) else ""

    def _count(self) -> int:
        count = ctypes.c_int()
        self._call("cuDeviceGetCount", ctypes.byref(count))
        return count.value

    def _device(self, index: int) -> Device:
        handle, name, memory = ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t()
        self._call("cuDeviceGet", ctypes.byref(handle), index)
        self._call("cuDeviceGetName", name, len(name), handle)
        self._call("cuDeviceTotalMem_v2", ctypes.byref(memory), handle)
        name_of_device = name.value.decode(errors="replace")
        parts = tuple(self._attribute(one, handle) for one in (CAPABILITY_MAJOR, CAPABILITY_MINOR))
        capability, of = (parts[0], parts[1]), f"CUDA device {index} ({name_of_device})"
        least = pinned().capability
        if capability < least:
            capability_text, wanted = (".".join(map(str, pair)) for pair in (capability, least))
            why = f"{of}: its capability is {capability_text}; wanted {wanted} or later. Take another device, {OTHERWISE}."
            return Device(index, name_of_device, capability, memory.value, 0, why)
        try:
            free = self._try(handle)
        except _RefusedError as refused:
            size = f"{TRIAL >> 20} MiB ({refused})"
            why = f"{of}: it cannot allocate {size}; wanted a device that can. End other programs that use it, {OTHERWISE}."
            return Device(index, name_of_device, capability, memory.value, 0, why)
        return Device(index, name_of_device, capability, memory.value, free)

    def _attribute(self, attribute: int, handle: ctypes.c_int) -> int:
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), attribute, handle)
        return value.value

    def _try(self, handle: ctypes.c_int) -> int:
        """Free memory [B], once some of it was allocated. Raises: _RefusedError."""
        context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
        free, memory = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        try:
            self._call("cuCtxSetCurrent", context)
            self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(memory))
            self._call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(TRIAL))
            self._call("cuMemFree_v2", pointer)
        finally:
            self._call("cuCtxSetCurrent", None)
            self._call("cuDevicePrimaryCtxRelease_v2", handle)
        return free.value

    def _call(self, name: str, *arguments: int | ctypes._CDataType | ctypes._CArgObject | None) -> None:
        """Raises: _RefusedError."""
        code = getattr(self._library, name)(*arguments)
        if code:
            words = ctypes.c_char_p()
            known = self._library.cuGetErrorString(code, ctypes.byref(words)) == 0 and words.value
            raise _RefusedError(code, known.decode(errors="replace") if known else "unknown")


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"
