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

from ..errors import MaterialError
from . import checks
from .element_kinds import KINDS, SWEEP, ElementKind, kind_of_literal

#: Environment variable with further folders of energies.
FOLDERS = "GPBD_ENERGIES"
#: Literals of an energy file that are read here.
LITERALS = ("NAME", "LABEL", "ELEMENT", "PARAMETERS", "LIMIT", "TABLE", "ELEMENT_KIND")


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
    """An energy file's literals: its parameters, and its kind of element, such as an edge (`element_kinds.py`).

    limit: None, or its place among the limits, which are swept after all other energies in ascending order. has_table: its
    material has a table of its response (`fabric_table.py`). kind: of elements, that its file brings.
    """

    name: str
    label: str
    element: str
    parameters: Mapping[str, Parameter]
    limit: int | None = None
    has_table: bool = False
    kind: ElementKind | None = None


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
    _check_elements(catalog)
    return catalog


@functools.cache
def element_kinds() -> Mapping[str, ElementKind]:
    """Return every kind of element by name: those of the solver, then those that energy files bring."""
    return {**KINDS, **_brought(energies())}


def elements_of(material: str) -> tuple[str, ...]:
    """Return the names of the kinds of elements that energies of a kind of material act on."""
    return tuple(name for name, kind in element_kinds().items() if material in kind.materials)


def _brought(catalog: Mapping[str, Energy]) -> dict[str, ElementKind]:
    return {energy.element: energy.kind for energy in catalog.values() if energy.kind is not None}


def _check_elements(catalog: Mapping[str, Energy]) -> None:
    """Raises: MaterialError if an energy acts on elements that nothing brings, or that more than one file does."""
    known = [*KINDS, *_brought(catalog)]
    for energy in catalog.values():
        if energy.element not in known:
            raise MaterialError(
                f"{energy.name}.py: ELEMENT is '{energy.element}'; wanted one of {', '.join(known)}. Correct it, or "
                "describe a new kind in ELEMENT_KIND."
            )
    brought = [*KINDS, *(energy.element for energy in catalog.values() if energy.kind is not None)]
    for element in brought:
        if brought.count(element) > 1:
            raise MaterialError(
                f"{element}: more than one file describes this kind of element; wanted one. Take ELEMENT_KIND out of others."
            )


def sweep_order(name: str) -> tuple[int, int, str]:
    """Return the sort key of energies in a sweep: soft ones first, limits last."""
    energy = energies()[name]
    if energy.limit is not None:
        return len(SWEEP), energy.limit, name
    return SWEEP.index(element_kinds()[energy.element].sweep), 0, name


def _energy(path: Path, literals: dict) -> Energy:
    missing = [name for name in LITERALS[:4] if name not in literals]
    if missing:
        raise MaterialError(f"{path}: the literal {missing[0]} is missing; wanted {', '.join(LITERALS[:4])}. Add it.")
    if literals["NAME"] != path.stem:
        raise MaterialError(
            f"{path}: NAME is '{literals['NAME']}'; wanted the file's own, '{path.stem}'. Rename one of them."
        )
    kind = kind_of_literal(str(path), path.stem, literals["ELEMENT_KIND"]) if "ELEMENT_KIND" in literals else None
    parameters = {key: Parameter(key, *values) for key, values in literals["PARAMETERS"].items()}
    name, label, element = (literals[key] for key in ("NAME", "LABEL", "ELEMENT"))
    return Energy(name, label, element, parameters, literals.get("LIMIT"), literals.get("TABLE", False), kind)


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


def _in_range(owner: str, energy: Energy, key: str, value: object) -> float:
    p = energy.parameters[key]
    within = checks.Range(p.low, p.high, p.low_open)
    return checks.number(owner, f"{energy.name}.{key}", value, p.unit, within, "in the material", MaterialError)
