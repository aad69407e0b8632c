"""Thread bodies: the code of one thread of a kernel, written once for CUDA and for the serial loop over threads."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...json_value import JsonValue
from ..compiled_function import Compiled
from ..jit import PACKAGE
from ..uncounted import inline, uncounted_kernel
from .array import Arguments

#: Placeholder for the body of the compiled serial loop.
do: Any = object()


class Body:
    """A thread body. function: of a thread's number, an int32, and a NamedTuple of arrays and numbers; it gives nothing."""

    def __init__(self, function: types.FunctionType):
        self.function = function
        qualified_name = function.__qualname__  # of one that is made for an energy, with that energy's name
        self.name = qualified_name if "." in qualified_name else f"{function.__module__.rsplit('.', 1)[-1]}.{qualified_name}"

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies that run in turn (`turns.py`): itself."""
        return (self,)

    @property
    def listed(self) -> list[JsonValue]:
        """Module and name in the solver, and the arguments of its factory, as in `ahead.Listed`."""
        function, energy, instead = getattr(self.function, "made_of", (self.function, None, {}))
        made_for = [] if energy is None else [_own(energy), "", *(f"{name}={other}" for name, other in instead.items())]
        return [_own(function), function.__name__, made_for]

    @functools.cached_property
    def serial(self) -> Compiled[[np.int32, Arguments], None]:
        """kernel(count, args): all threads, one after the other, on the CPU."""
        names = {**_one_after_the_other.__globals__, "do": inline(self.function)}
        copy = types.FunctionType(_one_after_the_other.__code__, names, "serial")
        # Numba names the files of its disk cache after these two, `device/jit.py` their folder.
        copy.__module__, copy.__qualname__ = self.function.__module__, f"{self.name}.serial"
        copy.__dict__["modules"] = self.modules | {__name__}
        return uncounted_kernel(copy)

    @property
    def modules(self) -> frozenset[str]:
        """Modules with its code."""
        return getattr(self.function, "modules", frozenset({self.function.__module__}))


def _own(of: types.FunctionType | types.ModuleType) -> str:
    """Return the module of a function, or its own name, from the solver on."""
    return getattr(of, "__module__", of.__name__).removeprefix(f"{PACKAGE}.")


def _one_after_the_other(count, args):
    for i in range(count):
        do(i, args)


def body(function: Callable) -> Body:
    """Decorator of a thread body; `per_energy(body)` of one that is compiled for each energy."""
    return Body(function)  # type: ignore[arg-type]
