"""How a sweep uses the energies. A method is one class in one file:

    Method(model)                    what it needs beside the model, made once (it must follow from the model alone)
    state_numbers(energy) -> int     static: numbers an element keeps between sweeps, `State.displacements`
    begin(state, solved=None)        at a substep's start, after the prediction
    sweep(state, iteration) -> bool  one iteration over all elements; moves `state.x`; true: another would change nothing

`step.py` calls contact after each sweep. A method asks an energy for the functions it needs (`energies/__init__.py`); where
one lacks them, making the method raises SceneError.
"""

from __future__ import annotations

import importlib
from typing import Any

#: Method of `Settings.method` -> file and class; a file is imported, and its loops compiled, when it is used.
_CLASSES = {
    "gpbd": ("gpbd", "Gpbd"),
    "newton": ("newton", "Newton"),
    "pbng": ("pbng", "Pbng"),
}


def method_class(name: str) -> Any:
    """The class of a method of `scene.METHODS`."""
    file, cls = _CLASSES[name]
    return getattr(importlib.import_module(f".{file}", __package__), cls)
