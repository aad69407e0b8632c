"""A yarn: mass, thickness and stiffnesses, each number with its source."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PresetError
from ..scene import checks

FOLDER = Path(__file__).resolve().parents[2] / "presets" / "yarns"
#: Unit of each number of a yarn's file.
NUMBERS = {
    "linear_density": "kg/m",
    "radius": "m",
    "stretch": "N",
    "bending": "N m^2",
    "twist": "N m^2",
    "contact": "N/m",
    "set": "1",
}


@dataclass(frozen=True)
class Yarn:
    """A yarn. linear_density [kg/m] (1 tex is 1e-6), radius [m], stretch [N]: tension over extension, bending and twist
    stiffness [N m^2], contact [N/m]: transverse stiffness (`rods.contact_energy`), set [1]: the share of its curvature in
    the relaxed fabric that finishing has made its natural one.

    sources: of each number, or "estimated" with the reason.
    """

    name: str
    linear_density: float
    radius: float
    stretch: float
    bending: float
    twist: float
    contact: float
    set: float
    sources: dict[str, str]


def read_yarn(name: str) -> Yarn:
    """The yarn of `presets/yarns/<name>.toml`, or of the file that is named with its ending.

    Raises: PresetError if there is none, or a number is missing, impossible or without its source.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    values = read_toml(path, "yarn", sorted(p.stem for p in FOLDER.glob("*.toml")))
    wanted = {"name", "sources", *NUMBERS}
    if set(values) != wanted:
        raise PresetError(
            f"{path}: unknown or missing {', '.join(sorted(set(values) ^ wanted))}; wanted {', '.join(sorted(wanted))}."
        )
    numbers = {key: read_number(path, key, values[key], key in ("twist", "set")) for key in NUMBERS}
    if numbers["set"] > 1.0:
        raise PresetError(f"{path}: set is {numbers['set']}; wanted a share, at most 1. Correct it.")
    sources = values["sources"]
    if (
        not isinstance(sources, dict)
        or set(sources) != set(NUMBERS)
        or not all(isinstance(s, str) for s in sources.values())
    ):
        raise PresetError(f"{path}: [sources] wants a text for each of {', '.join(NUMBERS)}. Add what is missing.")
    return Yarn(name=str(values["name"]), sources=dict(sources), **numbers)


def read_number(path: Path, key: str, value: object, zero: bool = False) -> float:
    """A positive number of a file, or 0 where that is one. Raises: PresetError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0.0:
        raise PresetError(f"{path}: {key} is {checks.shown(value)}; wanted a positive number. Correct it.")
    if value == 0.0 and not zero:
        raise PresetError(f"{path}: {key} is 0; wanted more. Correct it.")
    return float(value)


def read_toml(path: Path, what: str, known: list[str]) -> dict[str, Any]:
    """The keys of a file of at most a megabyte. Raises: PresetError."""
    if not path.is_file():
        raise PresetError(f"{what.capitalize()} {path}: no such file; wanted one of {', '.join(known)}, or a .toml file.")
    if path.stat().st_size > 1_000_000:
        raise PresetError(f"{path}: {path.stat().st_size} bytes; wanted a {what} of at most 1,000,000. Name another file.")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PresetError(f"{path}: the {what} cannot be read ({error}). Correct that place.") from error
