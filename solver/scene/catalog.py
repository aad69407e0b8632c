"""Which energies exist and which parameters they take, read from their files without importing them (or Numba)."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import MaterialError

FOLDER = Path(__file__).parent.parent / "energies"


@dataclass(frozen=True)
class Parameter:
    """One number of an energy: `low` and `high` bound what is possible; `unit` is SI, empty where dimensionless."""

    name: str
    label: str
    unit: str
    default: float
    low: float
    high: float
    low_open: bool  # True: `low` itself is not allowed
    description: str


@dataclass(frozen=True)
class Energy:
    """An energy file's literals: its parameters, and what it acts on, such as an edge (`energies/__init__.py`)."""

    name: str
    label: str
    element: str
    parameters: Mapping[str, Parameter]


@functools.cache
def energies() -> Mapping[str, Energy]:
    """Every energy found in the folder, by name, in alphabetical order."""
    found = {}
    for path in sorted(FOLDER.glob("[a-z]*.py")):
        literals = _literals(path)
        if "NAME" in literals:
            parameters = {key: Parameter(key, *values) for key, values in literals["PARAMETERS"].items()}
            found[literals["NAME"]] = Energy(literals["NAME"], literals["LABEL"], literals["ELEMENT"], parameters)
    return found


def _literals(path: Path) -> dict:
    """The constants NAME, LABEL, ELEMENT, PARAMETERS that a file begins with; what follows is not parsed, to save time."""
    values = {}
    constants = re.split(r"^(?:@|def )", path.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
    for node in ast.parse(constants).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id in ("NAME", "LABEL", "ELEMENT", "PARAMETERS"):
                values[node.targets[0].id] = ast.literal_eval(node.value)
    return values


def check_parameters(owner: str, given: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The same parameters as plain floats.

    Raises: MaterialError if an energy or a parameter is unknown, missing or out of range.
    """
    checked = {}
    for energy_name, values in given.items():
        energy = energies().get(energy_name)
        if energy is None:
            raise MaterialError(f"{owner}: unknown energy '{energy_name}'; wanted one of {', '.join(energies())}.")
        unknown = sorted(set(values) - set(energy.parameters))
        missing = sorted(set(energy.parameters) - set(values))
        if unknown or missing:
            wrong = f"unknown parameter '{unknown[0]}'" if unknown else f"parameter '{missing[0]}' is missing"
            raise MaterialError(f"{owner}: {energy_name}: {wrong}; it takes {', '.join(energy.parameters)}.")
        checked[energy_name] = {key: _in_range(owner, energy, key, values[key]) for key in energy.parameters}
    return checked


def _in_range(owner: str, energy: Energy, key: str, value: float) -> float:
    p = energy.parameters[key]
    value = float(value)
    below = value <= p.low if p.low_open else value < p.low
    if not math.isfinite(value) or below or value > p.high:
        low = f"more than {p.low:g}" if p.low_open else f"{p.low:g}"
        unit = f" {p.unit}" if p.unit else ""
        raise MaterialError(
            f"{owner}: {energy.name}.{key} is {value:g}{unit}; wanted {low} to {p.high:g}{unit}. Change it in the material."
        )
    return value
