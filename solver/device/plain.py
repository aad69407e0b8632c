"""Arrays, numbers, texts and dataclasses of the solver as a file, for another process to read: no pickle, which runs code
that it reads.

A file is the length of a JSON text (8 bytes), the text, and the bytes of the arrays; each begins at a multiple of 8. Floats
of JSON keep every bit.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..json_value import JsonValue
from .child import PACKAGE

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Array = np.ndarray

#: Bytes of the widest number.
ALIGNED = 8

#: A value that a file can have.
Plain: TypeAlias = (
    "bool | int | float | str | Array | np.generic | Sequence[Plain] | Mapping[str, Plain] | DataclassInstance | None"
)


def write(path: Path, value: Plain) -> None:
    """value: None, numbers, texts, arrays, NumPy's scalars, and lists, tuples, mappings by text and dataclasses of these.

    Raises: OSError; TypeError for anything else.
    """
    arrays: list[Array] = []
    text = json.dumps(_as_json(value, arrays)).encode()
    text += b" " * (-len(text) % ALIGNED)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in arrays:
            file.write(array.data if array.size else b"")
            file.write(bytes(-array.nbytes % ALIGNED))


def read(path: Path) -> Any:
    """Read a written value; arrays may be written to. Raises: OSError."""
    data = np.fromfile(path, np.uint8)
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    return _read(json.loads(data[8:start].tobytes()), _Arrays(data, start))


class _Arrays:
    """Arrays of a file, one after the other, from the byte `start` on."""

    def __init__(self, data: Array, start: int) -> None:
        self._data, self._start = data, start

    def take(self, dtype: str, shape: list[int]) -> Array:
        kind = np.dtype(dtype)
        stop = self._start + kind.itemsize * int(np.prod(shape, dtype=np.int64))
        array = self._data[self._start : stop].view(kind).reshape(shape)
        self._start = stop + -stop % ALIGNED
        return array


def _as_json(value: Any, arrays: list[Array]) -> JsonValue:
    """Return a value as JSON; arrays are added to the list in the order in which `_read` takes them."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf":
        arrays.append(np.ascontiguousarray(value))
        return {"array" if isinstance(value, np.ndarray) else "scalar": [value.dtype.str, list(value.shape)]}
    if isinstance(value, list):
        return [_as_json(item, arrays) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_as_json(item, arrays) for item in value]}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"mapping": {key: _as_json(item, arrays) for key, item in value.items()}}
    kind = type(value)
    if dataclasses.is_dataclass(kind) and kind.__module__.startswith(f"{PACKAGE}."):
        name = f"{kind.__module__.removeprefix(f'{PACKAGE}.')}:{kind.__name__}"
        args = {
            field.name: _as_json(getattr(value, field.name), arrays) for field in dataclasses.fields(value) if field.init
        }
        return {"dataclass": [name, args]}
    raise TypeError(f"{kind.__name__} cannot be handed to another process; wanted arrays, numbers, texts and dataclasses.")


def _read(encoded: Any, arrays: _Arrays) -> Any:
    if isinstance(encoded, list):
        return [_read(item, arrays) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    ((kind, content),) = encoded.items()
    if kind == "array":
        return arrays.take(*content)
    if kind == "scalar":
        return arrays.take(*content)[()]
    if kind == "tuple":
        return tuple(_read(item, arrays) for item in content)
    if kind == "mapping":
        return {key: _read(item, arrays) for key, item in content.items()}
    name, args = content
    module, _, class_name = name.partition(":")
    made = getattr(importlib.import_module(f"{PACKAGE}.{module}"), class_name)
    return made(**{key: _read(item, arrays) for key, item in args.items()})
