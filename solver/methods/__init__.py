"""Methods: the use of the energies in an iteration. A method is one class in one file:

    Method(model)                    data beside the model, made once (it must follow from the model alone)
    needs                            names of the functions that it requires of every energy (`energies/__init__.py`)
    takes_changing_elements          whether it keeps nothing of elements from substep to substep
    state_numbers(energy) -> int     static: numbers an element keeps between sweeps, `State.displacements`
    begin_limits(state)              optional: at a substep's start, before the prediction; see `elements/excess.py`
    begin(state)                     at a substep's start, after the prediction
    sweep(state, iteration) -> bool  one iteration over all elements; moves `state.correction`; true: no more would change

With the global step (`Settings.global_iterations`, of the methods of GPBD only), `sweep` has a third argument: the batches
that it has solved for, to be left out but for some packs (`GlobalStep.solve`). `stepping/step.py` calls contact after each
sweep. Where an energy lacks what a method needs, `make_method` raises SceneError.

What a method does at one pack of elements or vertices stands in `visits/`; the loops over packs, with their threads, stand
in `device/loops_cpu.py`. Another device has its own file of loops.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from ..errors import SceneError
from ..model.model import ElementBatch, Model
from ..model.state import State

#: Method of `Settings.method` -> file and class; a file is imported, and its loops compiled, when it is used.
_CLASSES = {
    "gpbd": ("gpbd", "Gpbd"),
    "gpbd_jacobi": ("gpbd_jacobi", "GpbdJacobi"),
    "xpbd": ("xpbd", "Xpbd"),
    "pbd": ("pbd", "Pbd"),
    "newton": ("newton", "Newton"),
    "pbng": ("pbng", "Pbng"),
}


class Method(Protocol):
    """Sweeps of the elements of a model, as above. needs: names that an energy must have."""

    needs: ClassVar[tuple[str, ...]]

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        """Return the count of numbers that an element keeps between sweeps."""

    def begin(self, state: State) -> None:
        """Start a substep, after the prediction."""

    def sweep(self, state: State, iteration: int, solved: Mapping[int, np.ndarray] = ...) -> bool:
        """Sweep all elements once; return whether another sweep would change nothing."""


@runtime_checkable
class HasLimits(Protocol):
    """A method that sets limits at a substep's start."""

    def begin_limits(self, state: State) -> None:
        """Set the excess of limits, before the prediction."""


def method_class(name: str) -> Any:
    """The class of a method of `method_choices.METHODS`."""
    file, cls = _CLASSES[name]
    return getattr(importlib.import_module(f".{file}", __package__), cls)


def make_method(model: Model) -> Method:
    """The method of a model's settings. Raises: SceneError if an energy of the scene cannot be used with it."""
    cls = method_class(model.settings.method)
    changing = [batch.energy.NAME for batch in model.batches if batch.changes]
    if changing and not cls.takes_changing_elements:
        raise SceneError(
            f"The energy '{changing[0]}' acts on elements that change in each substep; wanted the method gpbd for it, not "
            f"{model.settings.method}. Set method to 'gpbd'."
        )
    for batch in model.batches:
        if not _can_use(cls, batch):
            raise SceneError(_cannot_use(model, batch))
    return cls(model)


def _can_use(cls: type[Method], batch: ElementBatch) -> bool:
    return all(hasattr(batch.energy, name) for name in cls.needs)


def _cannot_use(model: Model, batch: ElementBatch) -> str:
    energy, method = batch.energy.NAME, model.settings.method
    pairs = [(part.body, material) for part in model.parts for material in part.body.materials]
    owners = [f"{body.name}: material '{material.name}'" for body, material in pairs if energy in material.energies]
    owner = owners[0] if owners else "The scene's pins or ties: the solver"
    can = [name for name in _CLASSES if _can_use(method_class(name), batch)]
    return (
        f"{owner} uses the energy '{energy}', which does not exist for method '{method}'; "
        f"wanted a method that can use it: {', '.join(can)}. Choose one of them, or another material."
    )
