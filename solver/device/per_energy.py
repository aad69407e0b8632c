"""Code that is written once and compiled for each energy, with the names that the energy gives.

A loop over packs is the same for every energy but for the physics of one element. Passing that as an argument, or making
the loop in a closure, would keep Numba from finding the loop in its disk cache; so the same code object gets other globals
and the energy's name:

    gradient = GIVEN                          # at module level: an energy defines it

    @per_energy(kernel)
    def add_gradient(first, last, ...):       # calls gradient(...)

    add_gradient(stable_neo_hookean)(0, 10, ...)

Names that stand for another function of this kind are replaced by that function for the same energy.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

#: Stands for a name that an energy gives.
GIVEN: Any = object()


class PerEnergy:
    """A function for any energy; called with the energy's module it gives the compiled function."""

    def __init__(self, function: Callable, compile_it: Callable):
        self.function, self.compile_it = function, compile_it
        self.compiled: dict[str, Any] = {}

    def __call__(self, energy: types.ModuleType, **instead: str) -> Any:
        """instead: for a name that the energy gives, another of its names to take.

        Raises: NotImplementedError if the energy lacks a name that the function needs.
        """
        key = ".".join([energy.__name__, *instead.values()])
        if key not in self.compiled:
            self.compiled[key] = self.compile_it(self._copy(energy, instead))
        return self.compiled[key]

    def _copy(self, energy: types.ModuleType, instead: dict[str, str]) -> types.FunctionType:
        code, names = self.function.__code__, dict(self.function.__globals__)
        for name in code.co_names:
            if names.get(name) is GIVEN:
                given = instead.get(name, name)
                if not hasattr(energy, given):
                    own = energy.__name__.rsplit(".", 1)[-1]
                    raise NotImplementedError(f"The energy '{own}' has no '{given}', which {self.function.__name__} needs.")
                names[name] = getattr(energy, given)
            elif isinstance(names.get(name), PerEnergy):
                names[name] = names[name](energy, **instead)
        copy = types.FunctionType(code, names, self.function.__name__)
        # Numba names the files of its disk cache after the source file and this name: the energy must be in it.
        copy.__module__ = energy.__name__
        copy.__qualname__ = ".".join([energy.__name__.rsplit(".", 1)[-1], self.function.__name__, *instead.values()])
        copy.__doc__ = self.function.__doc__
        return copy


def per_energy(compile_it: Callable) -> Any:
    """Decorator that makes a `PerEnergy`; compile_it: `element`, `kernel` or `parallel_kernel` of `device.cpu`."""
    return lambda function: PerEnergy(function, compile_it)
