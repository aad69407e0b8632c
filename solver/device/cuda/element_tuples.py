"""Numbers of one element as tuples, and back: the link between arrays of a launch and functions of one element.

The number of values of an energy is a constant of its file, and a tuple has a fixed length. So these functions are generated
for each energy, as Python text, which both compilers take. Arrays are the CPU's (`model/model.py`): packs of 16 elements
with lanes innermost, which 16 adjacent threads read as 64 adjacent bytes.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiled_function import Compiled
from ..cpu import LANES
from ..per_energy import PerEnergy
from ..uncounted import inline

#: Names available to generated code.
_NAMES = {"f32": np.float32, "ZERO": np.float32(0)}


class WrittenOut(PerEnergy[Compiled[..., Any]]):
    """A function written out for the numbers of each energy. text(count) is its source; of: the energy's number by name."""

    def __init__(self, text: Callable[[int], str], of: str):
        self.text, self.of = text, of

    def __call__(self, energy: types.ModuleType, **instead: str) -> Compiled[..., Any]:
        return _written_out(self.text(getattr(energy, self.of)))


def written_out(text: Callable[[int], str], of: str) -> Callable:
    """Return a `WrittenOut`, which in a body represents the function that it generates."""
    return WrittenOut(text, of)


@functools.cache
def _written_out(text: str) -> Compiled[..., Any]:
    names: dict[str, object] = dict(_NAMES)
    exec(compile(text, "<numbers written out>", "exec"), names)
    return inline(next(generated for name, generated in names.items() if isinstance(generated, types.FunctionType)))


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)},)" if parts else "(ZERO,)"


def _numbers(count: int) -> str:
    """(row[pack, lane], row[pack, 16 + lane], ...)."""
    parts = _tuple([f"row[pack, {k * LANES} + lane]" for k in range(count)])
    return f"def numbers(row, pack, lane):\n    return {parts}\n"


def _constants(count: int) -> str:
    """The numbers of a material's row; the row itself where the energy looks numbers up in it."""
    row_values = _tuple([f"row[{k}]" for k in range(count)]) if count else "row"
    return f"def constants(row):\n    return {row_values}\n"


def _put(count: int) -> str:
    """row[pack, 16 k + lane] = values[k]."""
    lines = [f"    row[pack, {k * LANES} + lane] = values[{k}]" for k in range(count)] or ["    pass"]
    return "\n".join(["def put(row, pack, lane, values):", *lines, ""])


def _put_share(count: int) -> str:
    """row[pack, 16 k + lane] = old[k] + share (values[k] - old[k])."""
    lines = [f"    row[pack, {k * LANES} + lane] = old[{k}] + share * (values[{k}] - old[{k}])" for k in range(count)]
    return "\n".join(["def put_share(row, pack, lane, share, old, values):", *(lines or ["    pass"]), ""])


def _put_scaled(count: int) -> str:
    """row[pack, 16 k + lane] = share values[k]."""
    lines = [f"    row[pack, {k * LANES} + lane] = share * values[{k}]" for k in range(count)]
    return "\n".join(["def put_scaled(row, pack, lane, share, values):", *(lines or ["    pass"]), ""])


def _vertices(corners: int) -> str:
    """Vertices of the corners."""
    indices = _tuple([f"index[pack, {k * LANES} + lane]" for k in range(corners)])
    return f"def vertices(index, pack, lane):\n    return {indices}\n"


def _places(corners: int) -> str:
    """Positions x of the corners."""
    parts = [f"(x[at[{k}], 0], x[at[{k}], 1], x[at[{k}], 2])" for k in range(corners)]
    return f"def places(x, at):\n    return {_tuple(parts)}\n"


def _moved(corners: int) -> str:
    """x + y of the corners."""
    parts = [f"({', '.join(f'x[at[{k}], {i}] + y[at[{k}], {i}]' for i in range(3))})" for k in range(corners)]
    return f"def moved(x, y, at):\n    return {_tuple(parts)}\n"


def _weights(corners: int) -> str:
    """h^2 / mass of the corners."""
    return f"def weights(x, at):\n    return {_tuple([f'x[at[{k}], 3]' for k in range(corners)])}\n"


def _add_scaled(corners: int) -> str:
    """Add w times the forces to the rows of x."""
    lines = [f"    x[at[{k}], {i}] += w[{k}] * forces[{k}][{i}]" for k in range(corners) for i in range(3)]
    return "\n".join(["def add_scaled(x, at, w, forces):", *lines, ""])


def _keep_scaled(corners: int) -> str:
    """rows[first + k] = share w[k] forces[k]: displacement of each corner, for a sum by vertex."""
    lines = [f"    rows[first + {k}, {i}] = share * w[{k}] * forces[{k}][{i}]" for k in range(corners) for i in range(3)]
    return "\n".join(["def keep_scaled(rows, first, share, w, forces):", *lines, ""])


def _mine(corners: int) -> str:
    """1 for one corner, 0 for the others; without a choice, which would have a place in memory on a GPU."""
    parts = _tuple([f"max(ZERO, one - abs(f32(corner - {k})))" for k in range(corners)])
    return f"def mine(corner, one):\n    return {parts}\n"


def _along(corners: int) -> str:
    """Directions: the given one for the corner at which `own` is 1, zero for the others."""
    parts = [f"(own[{k}] * d[0], own[{k}] * d[1], own[{k}] * d[2])" for k in range(corners)]
    return f"def along(own, d):\n    return {_tuple(parts)}\n"


def _own(corners: int) -> str:
    """The vector of the corner at which `own` is 1."""
    parts = [" + ".join(f"own[{k}] * vectors[{k}][{i}]" for k in range(corners)) for i in range(3)]
    return f"def own_of(own, vectors):\n    return {_tuple(parts)}\n"


rest_of = written_out(_numbers, "REST")
put_scaled_state = written_out(_put_scaled, "STATE")
state_of, put_state, put_state_share = (
    written_out(_numbers, "STATE"),
    written_out(_put, "STATE"),
    written_out(_put_share, "STATE"),
)
strains_of, put_strains = written_out(_numbers, "START_STRAINS"), written_out(_put, "START_STRAINS")
constants_of = written_out(_constants, "CONSTANTS")
vertices_of, places_of = written_out(_vertices, "CORNERS"), written_out(_places, "CORNERS")
moved_places_of, weights_of = written_out(_moved, "CORNERS"), written_out(_weights, "CORNERS")
add_scaled, keep_scaled = written_out(_add_scaled, "CORNERS"), written_out(_keep_scaled, "CORNERS")
mine_of_three = _written_out(_mine(3))
mine_of, along_of, own_of = written_out(_mine, "CORNERS"), written_out(_along, "CORNERS"), written_out(_own, "CORNERS")
