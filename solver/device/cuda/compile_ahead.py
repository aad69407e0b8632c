"""Kernels for a GPU that a frame is about to launch, compiled by several processes."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...json_value import JsonValue
from ..ahead import kernel_of
from ..jit import PACKAGE
from ..serving import Tell
from ..worker import Worker
from . import kernels
from .array import Arguments, Array, Number
from .body import Body
from .device import type_of
from .device_array import DeviceArray
from .turns import Turns, turns

#: Fewer are compiled when they are launched: a process takes three seconds to start.
LITTLE = 4
#: Processes at most.
MOST = 16


class Compiler:
    """Compiler in a worker. tell: not called."""

    def __init__(self, tell: Tell) -> None:
        """Do nothing: it reports no progress."""

    def compile(self, listed: list[list[Any]], capability: list[int]) -> None:
        """Compile kernels and keep them. listed: of each its body, as in `ahead.Listed`, and its argument types,
        see `written`."""
        for *body, arguments in listed:
            kernels.cubin(body_of(body), read(arguments), (capability[0], capability[1]))

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def body_of(listed: list[Any]) -> Body | Turns:
    """See `Body.listed`, `Turns.listed`."""
    module, name, made_for = listed
    return kernel_of(module, name, made_for) if module else turns(tuple(body_of(body) for body in made_for))


def compile_missing(needed: Iterable[tuple[Body | Turns, Arguments]], capability: tuple[int, int]) -> None:
    """Compile the kernels that no earlier run has kept; blocks until that is done. needed: bodies with their arguments.

    Raises: WorkerError.
    """
    listed = [
        [*body.listed, written(arguments)] for body, arguments in needed if kernels.is_missing(body, arguments, capability)
    ]
    if len(listed) < LITTLE:
        return
    count = min(MOST, os.cpu_count() or 1, len(listed) // 2)
    workers = [Worker("device.cuda.compile_ahead:Compiler") for _ in range(count)]
    for k, worker in enumerate(workers):
        worker.submit("compile", listed[k::count], list(capability))
    try:
        for worker in workers:
            while not worker.is_ready(1.0):
                continue
            worker.result()
    finally:
        for worker in workers:
            worker.close()


def written(args: Array | Number | Arguments) -> list[JsonValue]:
    """Return a kernel's argument types as lists of texts and numbers: a tuple is the name of its kind and its parts, an
    array or a number its type and number of axes."""
    if isinstance(args, tuple):
        kind = type(args)
        named = f"{kind.__module__.removeprefix(PACKAGE)}:{kind.__name__}" if hasattr(args, "_fields") else ""
        return [named, [written(value) for value in args]]
    return list(type_of(args))


def read(text: list[Any]) -> Any:
    """Make arguments of the types in a text of `written`."""
    name, of = text
    if isinstance(of, int):
        return DeviceArray(None, 0, (0,) * of, name) if of else np.dtype(name).type(0)
    parts = [read(part) for part in of]
    if not name:
        return tuple(parts)
    module, _, kind = name.partition(":")
    return getattr(importlib.import_module(PACKAGE + module), kind)(*parts)
