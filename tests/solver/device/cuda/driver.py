"""A stand-in for the library of NVIDIA's driver, as `ctypes` loads it: functions that write to their arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

from solver.device.cuda import choice, packages, probe

WORDS = {2: b"out of memory", 100: b"no CUDA-capable device is detected", 803: b"system has unsupported display driver"}

#: What a process has found is kept, and tests are one process.
LOOK = probe.probe.__wrapped__


@dataclass
class Card:
    name: bytes = b"Test Card"
    capability: tuple[int, int] = (9, 0)
    memory: int = 8 << 30
    free: int = 6 << 30
    allocates: bool = True


@dataclass
class Driver:
    """The driver's state. version: its latest CUDA version. init: return value of `cuInit`. left: number of contexts not
    released."""

    cards: list[Card] = field(default_factory=lambda: [Card()])
    version: int = 13050
    init: int = 0
    left: int = 0

    def cuDriverGetVersion(self, version):
        version._obj.value = self.version
        return 0

    def cuInit(self, flags):
        return self.init

    def cuDeviceGetCount(self, count):
        count._obj.value = len(self.cards)
        return 0

    def cuDeviceGet(self, handle, index):
        handle._obj.value = index
        return 0

    def cuDeviceGetName(self, name, size, handle):
        name.value = self.cards[handle.value].name
        return 0

    def cuDeviceTotalMem_v2(self, memory, handle):
        memory._obj.value = self.cards[handle.value].memory
        return 0

    def cuDeviceGetAttribute(self, value, attribute, handle):
        value._obj.value = self.cards[handle.value].capability[attribute == probe.CAPABILITY_MINOR]
        return 0

    def cuDevicePrimaryCtxRetain(self, context, handle):
        self.left, self._current = self.left + 1, self.cards[handle.value]
        return 0

    def cuDevicePrimaryCtxRelease_v2(self, handle):
        self.left -= 1
        return 0

    def cuCtxSetCurrent(self, context):
        return 0

    def cuMemGetInfo_v2(self, free, memory):
        free._obj.value, memory._obj.value = self._current.free, self._current.memory
        return 0

    def cuMemAlloc_v2(self, pointer, size):
        return 0 if self._current.allocates else 2

    def cuMemFree_v2(self, pointer):
        return 0

    def cuGetErrorString(self, code, words):
        words._obj.value = WORDS.get(code)
        return 0 if code in WORDS else 1


def installed(monkeypatch, driver: Driver | None, package: str = "") -> None:
    """Make the probe of this process find the driver; None is no driver. package: message about the package that
    compiles."""

    def library(name):
        if driver is None:
            raise OSError(f"{name}: cannot open shared object file")
        return driver

    monkeypatch.setattr(probe.ctypes, "CDLL", library)
    monkeypatch.setattr(probe, "LIBRARIES", {probe.sys.platform: "libcuda.so.1"})
    monkeypatch.setattr(packages, "problem", lambda: package)
    monkeypatch.setattr(probe, "probe", LOOK)
    monkeypatch.setattr(choice, "probe", LOOK)
