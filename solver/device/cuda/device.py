"""Interface of a device: arrays, launches of thread bodies, and counters of both; the serial twin, which is the CPU."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..cpu import LANES
from .array import Arguments, Array, Number
from .body import Body
from .turns import Step, Turns, grouped, in_turn

#: Kinds of arguments that contain indices to data shared by many threads.
_READ_BY_MANY: set[type] = set()
Kind = TypeVar("Kind", bound=type)


def read_by_many(kind: Kind) -> Kind:
    """Decorator of a NamedTuple for bodies: more than one thread read all of every array, see `bytes_read`."""
    _READ_BY_MANY.add(kind)
    return kind


@dataclass
class Counters:
    """Since they were last set to zero. launches: of kernels. up, down: bytes that went to the device and came back."""

    launches: int = 0
    up: int = 0
    down: int = 0

    def clear(self) -> None:
        """Set all to zero."""
        self.launches = self.up = self.down = 0


class SerialDevice:
    """The serial twin of a GPU: bodies run on one thread of the CPU, arrays are NumPy's.

    name: of `Settings.device`. counters: of launches and copies.
    """

    name = "cuda-serial"

    def __init__(self) -> None:
        self.counters = Counters()
        self._key: Hashable = None
        self._repeats = False

    def repeat(self, key: Hashable, launches: Callable[[], None]) -> None:
        """Run launches and copies that repeat with the same arrays and numbers while the key is equal: a GPU keeps them as
        one graph. The first run may make arrays; later ones neither upload, download nor allocate."""
        self._repeats, self._key = key == self._key, key
        try:
            self._repeat(launches)
        finally:
            self._repeats = False

    def _repeat(self, launches: Callable[[], None]) -> None:
        launches()

    def _between(self) -> None:
        """Check an allocation or a copy between host and device."""
        assert not self._repeats, "launches that are repeated would go on with the array of another time"

    def launch(self, body: Body | Turns, count: int, args: Arguments) -> None:
        """body(i, args) for the threads i = 0, 1, ... count - 1. args: a NamedTuple of arrays of this device, of numbers
        and of such tuples."""
        if count <= 0:
            return
        self.counters.launches += 1
        self._launch(body, count, args)

    def launch_all(self, steps: Iterable[Step]) -> None:
        """Launch all in order; consecutive launches of few threads are merged into one."""
        for step in grouped(steps):
            self.launch(*step)

    def _launch(self, body: Body | Turns, count: int, args: Arguments) -> None:
        body.serial(np.int32(count), args)

    def upload(self, host: ArrayLike, dtype: DTypeLike | None = None) -> Array:
        """A new array with the values of one of the host, of its type or of another."""
        self._between()
        array = np.array(host, dtype, order="C")
        self.counters.up += array.nbytes
        return array

    def update(self, array: Array, host: ArrayLike) -> None:
        """Overwrite an array of the device, or a contiguous part of one, with values of the host."""
        self._between()
        np.asarray(array)[...] = host
        self.counters.up += array.nbytes

    def download(self, array: Array, out: np.ndarray | None = None) -> np.ndarray:
        """The values on the host; out: an array of the host that they are to be written to."""
        self._between()
        self.counters.down += array.nbytes
        if out is None:
            return np.array(array)
        out[...] = array
        return out

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """A new array of any content."""
        self._between()
        return np.empty(shape, dtype)

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """A new array of zeros."""
        self._between()
        return np.zeros(shape, dtype)

    def copy(self, target: Array, source: Array) -> None:
        """target = source, both of this device and of one shape and type."""
        np.asarray(target)[...] = source

    def wait(self) -> None:
        """Wait until all launches are done."""


def types_of(args: Array | Number | Arguments) -> tuple:
    """Return the types of a body's arguments, as plain values that can be compared."""
    if isinstance(args, tuple):
        return type(args).__name__, *(types_of(value) for value in args)
    return type_of(args)


def type_of(value: Array | Number) -> tuple[str, int]:
    """Return the type of the numbers of an array or a number, and its number of axes."""
    dtype = value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype
    return str(dtype), getattr(value, "ndim", 0)


class Recorder(SerialDevice):
    """A device that only records launches: the kernels of a scene, and their reads.

    launched: of every body, by name and types, the body and its arguments. read: bytes, see `bytes_read`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.launched: dict[tuple, tuple[Body | Turns, Arguments]] = {}
        self.read = 0

    def _launch(self, body: Body | Turns, count: int, args: Arguments) -> None:
        self.launched.setdefault((body.name, *types_of(args)), (body, args))
        self.read += bytes_read(count, args)


def bytes_read(count: int, args: Arguments) -> int:
    """Bytes that a launch of so many threads reads, of its elements' numbers and of the vertices at their corners,
    each from memory once at most; where its kind is `read_by_many`, more than one thread read all of every array."""
    if not hasattr(args, "_fields"):  # bodies in turn
        return sum(bytes_read(int(threads), arguments) for threads, arguments in in_turn(args))
    arrays = list(_arrays_of(args))
    if count > 1 and type(args) in _READ_BY_MANY:
        return sum(array.nbytes for _, array in arrays)
    corners = max([array.shape[1] // LANES for name, array in arrays if name == "corners" and array.ndim == 2], default=1)
    total = 0
    for _, array in arrays:
        row = array.nbytes // max(len(array), 1)
        lanes = array.ndim == 2 and array.shape[1] >= LANES
        total += min(array.nbytes, row * count // LANES if lanes else row * count * (corners if array.ndim == 2 else 1))
    return total


def _arrays_of(args: Any) -> Iterator[tuple[str, Array]]:
    for name, value in zip(args._fields, args, strict=True):
        if isinstance(value, tuple):
            yield from _arrays_of(value)
        elif getattr(value, "ndim", 0):
            yield name, value
