"""Catalog of energies and their parameters, read from their files without importing them (or Numba).

They are in `solver/energies/` and in the folders that the environment variable GPBD_ENERGIES names, joined as in PATH:

    GPBD_ENERGIES=/home/me/energies blender

`solver/energies/__init__.py` documents the content of an energy file.
"""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import MaterialError
from . import checks

#: Environment variable with further folders of energies.
FOLDERS = "GPBD_ENERGIES"
#: Literals of an energy file that are read here.
LITERALS = ("NAME", "LABEL", "ELEMENT", "PARAMETERS", "LIMIT", "TABLE")
#: Kinds of elements, in the order of a sweep: soft energies first, because the last ones are satisfied best.
SWEPT = (
    ("vertex",),
    ("patch", "hinge", "joint"),
    ("edge", "segment", "triangle", "tetrahedron", "tether", "stitch"),
    ("tie",),
)


@dataclass(frozen=True)
class Parameter:
    """One number of an energy: `low` and `high` bound its range; `unit` is SI, empty if dimensionless."""

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
    """An energy file's literals: its parameters, and its kind of element, such as an edge (`energies/__init__.py`).

    limit: None, or its place among the limits, which are swept after all other energies in ascending order. has_table: its
    material has a table of its response (`fabric_table.py`).
    """

    name: str
    label: str
    element: str
    parameters: Mapping[str, Parameter]
    limit: int | None = None
    has_table: bool = False


def folders() -> list[Path]:
    """Return the solver's own folder of energies, then those of GPBD_ENERGIES. Raises: MaterialError if one does
    not exist."""
    added = [Path(folder).expanduser() for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]
    for folder in added:
        if not folder.is_dir():
            raise MaterialError(
                f"{FOLDERS} names '{folder}', which is no folder; wanted folders of energy files. Correct it."
            )
    return [Path(__file__).parent.parent / "energies", *added]


@functools.cache
def energies() -> Mapping[str, Energy]:
    """Return every energy in the folders, by name: those of the solver, then added ones, each in alphabetical order.

    Raises: MaterialError if an added file has another name than its energy, or the name of an existing energy.
    """
    catalog: dict[str, Energy] = {}
    for path in (path for folder in folders() for path in sorted(folder.glob("[a-z]*.py"))):
        literals = _literals(path)
        if "NAME" in literals:
            energy = _energy(path, literals)
            if energy.name in catalog:
                raise MaterialError(
                    f"{path}: there is an energy '{energy.name}' already; wanted another name. Rename the file."
                )
            catalog[energy.name] = energy
    return catalog


def sweep_order(name: str) -> tuple[int, int, str]:
    """Return the sort key of energies in a sweep: soft ones first, limits last."""
    energy = energies()[name]
    if energy.limit is not None:
        return len(SWEPT), energy.limit, name
    return next(place for place, nouns in enumerate(SWEPT) if energy.element in nouns), 0, name


def _energy(path: Path, literals: dict) -> Energy:
    missing = [name for name in LITERALS[:4] if name not in literals]
    known = [noun for nouns in SWEPT for noun in nouns]
    if missing:
        raise MaterialError(f"{path}: the literal {missing[0]} is missing; wanted {', '.join(LITERALS[:4])}. Add it.")
    if literals["NAME"] != path.stem:
        raise MaterialError(
            f"{path}: NAME is '{literals['NAME']}'; wanted the file's own, '{path.stem}'. Rename one of them."
        )
    if literals["ELEMENT"] not in known:
        raise MaterialError(f"{path}: ELEMENT is '{literals['ELEMENT']}'; wanted one of {', '.join(known)}. Correct it.")
    parameters = {key: Parameter(key, *values) for key, values in literals["PARAMETERS"].items()}
    name, label, element = (literals[key] for key in ("NAME", "LABEL", "ELEMENT"))
    return Energy(name, label, element, parameters, literals.get("LIMIT"), literals.get("TABLE", False))


def _literals(path: Path) -> dict:
    """Return the constants at the beginning of a file (`LITERALS`); the rest is not parsed, to save time."""
    values = {}
    constants = re.split(r"^(?:@|def )", path.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)[0]
    for node in ast.parse(constants).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and target.id in LITERALS:
                    values[target.id] = ast.literal_eval(node.value)
    return values


def check_parameters(owner: str, by_energy: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The same parameters as plain floats.

    Raises: MaterialError if an energy or a parameter is unknown, missing or out of range.
    """
    checked = {}
    for energy_name, given_values in checks.mapping(owner, "energies", by_energy, MaterialError).items():
        energy = energies().get(energy_name)
        if energy is None:
            known = ", ".join(energies())
            raise MaterialError(f"{owner}: unknown energy '{energy_name}'; wanted one of {known}. Name one of these.")
        values = checks.mapping(owner, f"energies.{energy_name}", given_values, MaterialError)
        unknown = sorted(set(values) - set(energy.parameters))
        missing = sorted(set(energy.parameters) - set(values))
        if unknown or missing:
            wrong = f"unknown parameter '{unknown[0]}'" if unknown else f"parameter '{missing[0]}' is missing"
            remedy = "Take it out" if unknown else "Add it"
            raise MaterialError(f"{owner}: {energy_name}: {wrong}; wanted {', '.join(energy.parameters)}. {remedy}.")
        checked[energy_name] = {key: _in_range(owner, energy, key, values[key]) for key in energy.parameters}
    return checked


def _in_range(owner: str, energy: Energy, key: str, value: Any) -> float:
    p = energy.parameters[key]
    within = checks.Range(p.low, p.high, p.low_open)
    return checks.number(owner, f"{energy.name}.{key}", value, p.unit, within, "in the material", MaterialError)
