"""A GPU each of whose kernels is compared with the serial twin, launch by launch, on the same memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.device.cuda.device import types_of
from solver.device.cuda.device_array import DeviceArray
from solver.device.cuda.nvidia import CudaDevice, CudaError

Array = np.ndarray


@dataclass
class Compared:
    """A kernel compared with its twin, over its launches.

    off: largest difference of a number, as a share of the largest changed number in that array. digits: the same, as a
    multiple of a last digit of the result and of how far the twin's result moves when all numbers that it reads move by
    their last digits. choices: largest share of an array's changed integers that differ; these decide the path of later
    launches.
    """

    launches: int = 0
    off: float = 0.0
    digits: float = 0.0
    choices: float = 0.0


class CheckedDevice(CudaDevice):
    """Compares the first launches of each kernel with the twin's; nothing is a graph.

    compared: by the names of the bodies that a kernel is made of.
    """

    def __init__(self, number: int = 0, launches: int = 2) -> None:
        super().__init__(number)
        self.compared: dict[str, Compared] = {}
        self._most, self._seen = launches, Counter[tuple]()

    def _repeat(self, launches: Callable[[], None]) -> None:
        self._repeats = False
        self._compile(launches)
        launches()

    def _launch(self, body: Any, count: int, given: Any) -> None:
        key = body, types_of(given)
        if self._needed is not None or self._seen[key] >= self._most:
            super()._launch(body, count, given)
            return
        self._seen[key] += 1
        read, twin, nudged = (self._on_host(given, {}) for _ in range(3))
        super()._launch(body, count, given)
        after = self._on_host(given, {})
        body.serial(np.int32(count), twin)
        for array in arrays(nudged):
            nudge(array)
        body.serial(np.int32(count), nudged)
        name = " + ".join(one.name for one in body.bodies)
        compared = self.compared.setdefault(name, Compared())
        compared.launches += 1
        for was, wanted, got, other in zip(arrays(read), arrays(twin), arrays(after), arrays(nudged), strict=True):
            _compare(was, wanted, got, other, compared)

    def _on_host(self, given: Any, memories: dict[int, Array]) -> Any:
        """The same tuple with copies on the host. memories: of each memory of the device, filled here; arrays that share one
        share its copy."""
        if isinstance(given, tuple):
            parts = [self._on_host(value, memories) for value in given]
            return type(given)(*parts) if hasattr(given, "_fields") else tuple(parts)
        if not isinstance(given, DeviceArray):
            return given
        base, size = int(given.memory.handle), int(given.memory.size)
        if base not in memories:
            memories[base] = np.empty(size + (-size) % 8, np.uint8)
            self._copy(memories[base].ctypes.data, base, size)
            self.stream.sync()
        start = given.place - base
        part = memories[base][start : start + given.nbytes]
        return part.view(given.dtype).reshape(given.shape) if given.size else np.empty(given.shape, given.dtype)


def arrays(given: Any) -> list[Array]:
    """Yield all arrays of a tuple of tuples, in order."""
    if isinstance(given, tuple):
        return [array for value in given for array in arrays(value)]
    return [given] if isinstance(given, np.ndarray) and given.ndim else []


def nudge(array: Array) -> None:
    """Move every finite number but zero by its last digit, up and down by turns."""
    if array.dtype.kind == "f":
        flat = array.reshape(-1)
        flat[::2], flat[1::2] = (
            np.where(np.isfinite(part) & (part != 0), np.nextafter(part, sign * np.inf, dtype=part.dtype), part)
            for part, sign in ((flat[::2], 1.0), (flat[1::2], -1.0))
        )


def _compare(was: Array, wanted: Array, got: Array, nudged: Array, found: Compared) -> None:
    """Add an array's differences. was: before the launch; wanted: the twin's; nudged: the twin's, of numbers that differ by
    last digits."""
    bits = f"u{wanted.itemsize}"
    changed = (wanted.view(bits) != was.view(bits)) | (got.view(bits) != was.view(bits))
    differ = changed & (wanted.view(bits) != got.view(bits))
    if not differ.any():
        return
    if wanted.dtype.kind != "f":
        found.choices = max(found.choices, float(differ.sum() / changed.sum()))
        return
    with np.errstate(invalid="ignore", over="ignore"):
        scale = np.maximum(np.abs(wanted), np.abs(got))[changed].astype(float).max()
        off = np.abs(wanted[differ].astype(float) - got[differ]).max()
        moved = np.abs(wanted[changed].astype(float) - nudged[changed])
        digit = moved[np.isfinite(moved)].max(initial=0.0) + np.finfo(wanted.dtype).eps * scale
    found.off = max(found.off, float(off / scale) if np.isfinite(off) else np.inf)
    found.digits = max(found.digits, float(off / digit) if np.isfinite(off) else np.inf)


class ProfiledDevice(CudaDevice):
    """A GPU that takes the time of each launch within the frame's graph, by events between the launches.

    times: of the last replay, by kernel: launches, and seconds in all.
    """

    def __init__(self, number: int = 0) -> None:
        super().__init__(number)
        self.times: dict[str, list[float]] = {}
        self._names: list[str] = []
        self._events: list[Any] = []

    def _repeat(self, launches: Callable[[], None]) -> None:
        if self._repeats and self._graph is None:
            self._names, self._events = [], [self._event()]
        super()._repeat(self._after_event(launches) if self._repeats else launches)
        if self._repeats:
            self._read()

    def _after_event(self, launches: Callable[[], None]) -> Callable[[], None]:
        def recorded() -> None:
            self._record(self._events[0])
            launches()

        return recorded

    def _launch(self, body: Any, count: int, given: Any) -> None:
        super()._launch(body, count, given)
        if self._repeats:
            self._events.append(self._event())
            self._record(self._events[-1])
            self._names.append(" + ".join(one.name for one in body.bodies))

    def _event(self) -> Any:
        return self._done(self._driver.cuEventCreate(0))

    def _record(self, event: Any) -> None:
        external = self._driver.CUevent_record_flags.CU_EVENT_RECORD_EXTERNAL
        self._done(self._driver.cuEventRecordWithFlags(event, self.stream.handle, int(external)))

    def _read(self) -> None:
        self.wait()
        self.times = {}
        for name, first, last in zip(self._names, self._events, self._events[1:]):
            times = self.times.setdefault(name, [0, 0.0])
            times[0] += 1
            times[1] += 1e-3 * self._done(self._driver.cuEventElapsedTime(first, last))

    def _done(self, answer: tuple) -> Any:
        code, *value = answer
        if code != self._driver.CUresult.CUDA_SUCCESS:
            raise CudaError(code.name)
        return value[0] if value else None
