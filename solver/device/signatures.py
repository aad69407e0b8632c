"""Signatures of kernels as text: what a kernel is compiled for, written down and read again without a call.

An array is `float32[2C]`: type, dimensions and layout, with an `r` where it is read only; a number is its type's name; a
tuple is a list that begins with the name of its class, "" for none: `["contact.surfaces.motion:SubstepMotion", ...]`.
Modules are named from the solver on, because the solver's own name differs where it is part of an extension.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, TypeAlias

from .jit import PACKAGE, load_numba

if TYPE_CHECKING:
    from numba.types import Type

_types = load_numba().types

#: A type as text.
Written: TypeAlias = "str | list[Written]"

_ARRAY = re.compile(r"(\w+)\[(\d)([CFA])(r?)\]")


def written(kind: Type) -> Written:
    """The text of a type of Numba. Raises: TypeError for one that no call from Python has, such as a literal's."""
    if isinstance(kind, _types.Array):
        return f"{kind.dtype}[{kind.ndim}{kind.layout}{'' if kind.mutable else 'r'}]"
    if isinstance(kind, _types.BaseTuple):
        tuple_class = getattr(kind, "instance_class", tuple)
        name = (
            ""
            if tuple_class is tuple
            else f"{tuple_class.__module__.removeprefix(PACKAGE + '.')}:{tuple_class.__qualname__}"
        )
        return [name, *map(written, kind)]
    if isinstance(kind, _types.Number | _types.Boolean) and not isinstance(kind, _types.Literal):
        return str(kind)
    raise TypeError(f"A kernel has an argument of type {kind}; wanted arrays, numbers and tuples of these.")


def read(text: Written) -> Type:
    """The type of Numba of a text. Raises: AttributeError or ImportError where it names what does not exist."""
    if isinstance(text, list):
        tuple_class: type = tuple
        class_name, *parts = text
        if isinstance(class_name, str) and class_name:
            module, _, name = class_name.partition(":")
            tuple_class = getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
        return _types.BaseTuple.from_types([read(part) for part in parts], tuple_class)
    array = _ARRAY.fullmatch(text)
    if array is None:
        return getattr(_types, "boolean" if text == "bool" else text)
    dtype, dimensions, layout, read_only = array.groups()
    return _types.Array(read(dtype), int(dimensions), layout, readonly=bool(read_only))
