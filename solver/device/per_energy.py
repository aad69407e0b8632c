"""Code that is written once and compiled for each energy, and loops for each energy and each visit.

A loop over packs is the same for every energy but for the physics of one element. Passing that as an argument, or making
the loop in a closure, would keep Numba from finding the loop in its disk cache; so the same code object gets other globals
and another name:

    gradient = GIVEN                          # at module level: an energy defines it

    @per_energy(kernel)
    def add_gradient(first, last, ...):       # calls gradient(...)

    add_gradient(stable_neo_hookean)(0, 10, ...)

Names that stand for another function of this kind are replaced by that function for the same energy. A visit is the work of
a method at one pack of elements; a loop calls it by the name `visit`:

    @visit_of_pack(lambda energy: (4 * energy.CORNERS, 1))   # numbers of a lane, of each work array that it needs
    def add_gradient(pack, args, work, total): ...

    visit = VISIT

    @per_visit(uncounted_kernel)
    def add_up(first, last, args, work):     # calls visit(...)

    add_up(add_gradient, stable_neo_hookean)(0, 10, ...)
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .compiled_function import Compiled
from .uncounted import inline

#: Stands for a name that an energy gives.
GIVEN: Any = object()
#: Stands for the visit that a loop is compiled for.
VISIT: Any = object()

Kernel = TypeVar("Kernel", covariant=True)


class PerEnergy(Generic[Kernel]):
    """A function for any energy; called with the energy's module it gives the compiled function."""

    def __init__(self, function: Callable, compile_it: Callable[[Callable], Kernel]):
        self.function, self.compile_it = function, compile_it
        self.compiled: dict[tuple, Kernel] = {}

    def __call__(self, energy: types.ModuleType, **instead: str) -> Kernel:
        """instead: for a name that the energy gives, another of its names to take.

        Raises: NotImplementedError if the energy lacks a name that the function needs.
        """
        return self._specialised(energy, None, instead)

    def _specialised(self, energy: types.ModuleType, visit: Visit | None, instead: dict[str, str]) -> Kernel:
        key = (energy, visit, *instead.items())
        kernel = self.compiled.get(key)
        if kernel is None:
            kernel = self.compiled[key] = self.compile_it(self._copy(energy, visit, instead))
        return kernel

    def _copy(self, energy: types.ModuleType, visit: Visit | None, instead: dict[str, str]) -> types.FunctionType:
        code, names = self.function.__code__, dict(self.function.__globals__)
        for name in code.co_names:
            if names.get(name) is GIVEN:
                function_name = instead.get(name, name)
                if not hasattr(energy, function_name):
                    energy_name = energy.__name__.rsplit(".", 1)[-1]
                    raise NotImplementedError(
                        f"The energy '{energy_name}' has no '{function_name}', which {self.function.__name__} needs."
                    )
                names[name] = getattr(energy, function_name)
            elif visit is not None and names.get(name) is VISIT:
                names[name] = visit(energy, **instead)
            elif visit is not None and isinstance(names.get(name), PerVisit):
                names[name] = names[name](visit, energy, **instead)
            elif isinstance(names.get(name), (PerEnergy, Either)):
                names[name] = names[name](energy, **instead)
        copy = types.FunctionType(code, names, self.function.__name__)
        # Numba names the files of its disk cache after the source file and this name: the energy must be in it.
        copy.__module__ = energy.__name__
        made_for = [energy.__name__.rsplit(".", 1)[-1], self.function.__name__]
        modules = {energy.__name__, self.function.__module__}
        if visit is not None:
            made_for += [visit.function.__module__.rsplit(".", 1)[-1], visit.function.__name__]
            modules.add(visit.function.__module__)
        copy.__qualname__ = ".".join([*made_for, *instead.values()])
        copy.__doc__ = self.function.__doc__
        # `device/jit.py` names the folder of the disk cache after these.
        copy.__dict__["modules"] = frozenset(modules)
        copy.__dict__["made_of"] = self.function, energy, instead
        return copy


class Either:
    """One function for energies that have a name, the other for those that lack it; both take the same arguments."""

    def __init__(self, name: str, those_with: Callable, others: Callable):
        self.name, self.those_with, self.others = name, those_with, others

    def __call__(self, energy: types.ModuleType, **instead: str) -> Compiled[..., Any]:
        return (self.those_with if hasattr(energy, self.name) else self.others)(energy, **instead)


class Visit(PerEnergy[Compiled[..., Any]]):
    """Work at one pack, for any energy. numbers(energy): of a lane, of each work array that it needs."""

    def __init__(self, function: Callable, numbers: Callable[[types.ModuleType], tuple[int, ...]]):
        super().__init__(function, inline)
        self.numbers = numbers


class PerVisit(PerEnergy[Kernel]):
    """A loop for any visit and energy; called with both it gives the compiled function."""

    def __call__(self, visit: Visit, energy: types.ModuleType, **instead: str) -> Kernel:  # type: ignore[override]
        return self._specialised(energy, visit, instead)


def per_energy(compile_it: Callable[[Callable], Kernel]) -> Callable[[Callable], Callable]:
    """Decorator; compile_it: `element` or `kernel` of `device.cpu`, `inline` or `uncounted_kernel` of `device.uncounted`.

    Python calls the result with an energy, other functions of this kind with the arguments of the function.
    """
    return lambda function: PerEnergy(function, compile_it)


def per_visit(compile_it: Callable[[Callable], Kernel]) -> Callable[[Callable], Callable]:
    """Decorator of a loop over packs; compile_it as for `per_energy`."""
    return lambda function: PerVisit(function, compile_it)


def visit_of_pack(numbers: Callable[[types.ModuleType], tuple[int, ...]]) -> Callable[[Callable], Visit]:
    """Decorator of a visit; numbers: of a lane, for an energy, of each work array that it needs."""
    return lambda function: Visit(function, numbers)
