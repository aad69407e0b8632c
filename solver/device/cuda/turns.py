"""Bodies that a GPU does one after the other in one launch, by one block of threads that wait for each other in between.

A launch that waits for the one before takes microseconds, whatever it does. Where each of several has few threads, a block
of them does all: thread t takes the threads t, t + BLOCK, ... of the first body, and when all are through with that, of the
next one. A block is one multiprocessor's, so large bodies are launched by themselves.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...json_value import JsonValue
from .array import Arguments, Array, Number
from .body import Body
from .device_functions import device_function

#: Threads of the block, and registers of a thread at most then, of the 65,536 of a multiprocessor.
BLOCK, REGISTERS = 512, 128
#: Largest number of threads of a body that is merged with others. A multiprocessor reads some 100 GB/s, and a row of a
#: matrix has a kilobyte: a thousand rows take it 10 microseconds, about the time of a launch.
SMALL = 1024
#: Largest argument size of a kernel [B]; all GPUs and drivers take 4096.
HANDED = 4000


class Step(NamedTuple):
    """A launch: a body, its number of threads, and its arguments."""

    body: Body | Turns
    threads: int
    args: Arguments


class Turns:
    """Several bodies as one, as `Body`; made by `turns`. Arguments: the number of threads of each, then those of each."""

    def __init__(self, bodies: tuple[Body, ...]) -> None:
        self.bodies = bodies
        names = " ".join(body.name for body in bodies)
        self.name = f"in_turn.{hashlib.sha256(names.encode()).hexdigest()[:16]}"

    @property
    def modules(self) -> frozenset[str]:
        """Modules with its code."""
        return frozenset({__name__}).union(*(body.modules for body in self.bodies))

    @property
    def listed(self) -> list[JsonValue]:
        """Module and name of each body, as in `Body`."""
        return ["", self.name, [body.listed for body in self.bodies]]

    def serial(self, count: np.int32, args: Arguments) -> None:
        """Run all threads of the first body, then of the next one, on the CPU."""
        for body, (threads, arguments) in zip(self.bodies, in_turn(args), strict=True):
            body.serial(threads, arguments)

    def kernel(self) -> types.FunctionType:
        """The Python function of its kernel, as `compiled.kernel_function`."""
        from numba_cuda_mlir import cuda

        parts = len(self.bodies)
        lines = ["def kernel(count, args):", "    t = cuda.threadIdx.x"]
        for k in range(parts):
            lines += [f"    for i in range(t, args[{k}], {BLOCK}):", f"        do_{k}(i, args[{parts + k}])"]
            lines += ["    cuda.syncthreads()"] if k + 1 < parts else []
        names: dict[str, object] = {"cuda": cuda}
        names |= {f"do_{k}": device_function(body.function) for k, body in enumerate(self.bodies)}
        exec(compile("\n".join(lines), "<bodies in turn>", "exec"), names)
        kernel = names["kernel"]
        assert isinstance(kernel, types.FunctionType)
        return kernel


def in_turn(args: Arguments) -> Iterator[tuple[np.int32, Arguments]]:
    """Return the number of threads and the arguments of each body of a `Turns`, from all its arguments."""
    for threads, own in zip(args[: len(args) // 2], args[len(args) // 2 :], strict=True):
        assert isinstance(threads, np.int32) and isinstance(own, tuple)
        yield threads, own


@functools.cache
def turns(bodies: tuple[Body, ...]) -> Turns:
    """Return one `Turns` for the same bodies."""
    return Turns(bodies)


def grouped(steps: Iterable[Step]) -> Iterator[Step]:
    """Return the launches, with consecutive ones of few threads merged."""
    small: list[Step] = []
    for step in steps:
        if step.threads > SMALL or handed(small) + handed([step]) > HANDED:
            yield from _as_one(small)
            small = []
        if step.threads > SMALL:
            yield step
        elif step.threads > 0:
            small.append(step)
    yield from _as_one(small)


def _as_one(steps: list[Step]) -> Iterator[Step]:
    if len(steps) < 2:
        yield from steps
        return
    counts = (np.int32(step.threads) for step in steps)
    yield Step(turns(tuple(step.body for step in steps)), BLOCK, (*counts, *(step.args for step in steps)))


def handed(steps: list[Step]) -> int:
    """Bytes that a kernel of all is handed, see `device_array.arguments`."""
    return sum(8 + _handed(step.args) for step in steps)


def _handed(args: Array | Number | Arguments) -> int:
    if isinstance(args, tuple):
        return sum(_handed(value) for value in args)
    axes = getattr(args, "ndim", 0)
    return 8 * (3 + 2 * axes) if axes else 8
