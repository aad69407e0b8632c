"""Targets: published measurements that tests of a textile laboratory, done in the solver, compare a fabric with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import PresetError
from . import checks

#: Measured quantity -> its unit; bending length, stretch and shear as the geometric mean of warp and weft.
QUANTITIES = {
    "density": "kg/m^2",
    "bending_length": "m",
    "drape_coefficient": "1",
    "stretch": "N/m",
    "shear": "N/m",
}
KEYS = ("range", "source")


@dataclass(frozen=True)
class Target:
    """A published range. low, high: in the unit of `QUANTITIES`. source: of the measurement, with the fabric."""

    low: float
    high: float
    source: str

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def parse(path: Path, targets: object) -> dict[str, Target]:
    """The targets in a preset file, by quantity.

    Raises: PresetError if a key is unknown or missing, or a range or source is none.
    """
    checked = {}
    if not isinstance(targets, Mapping):
        raise PresetError(
            f"{path}: targets is {checks.shown(targets)}; wanted tables such as [targets.density]. Correct it."
        )
    for name, values in targets.items():
        where = f"targets.{name}"
        if name not in QUANTITIES:
            raise PresetError(f"{path}: unknown target '{name}'; wanted one of {', '.join(QUANTITIES)}. Correct it.")
        if not isinstance(values, Mapping) or sorted(values) != sorted(KEYS):
            raise PresetError(
                f"{path}: {where} is {checks.shown(values)}; wanted the keys {' and '.join(KEYS)}. Correct it."
            )
        ends, source = values["range"], values["source"]
        numbers = isinstance(ends, list) and len(ends) == 2 and all(type(end) in (int, float) for end in ends)
        if not numbers or not 0 < ends[0] < ends[1] < float("inf"):
            raise PresetError(
                f"{path}: {where}.range is {checks.shown(ends)}; wanted two numbers above 0, the lower first. Correct it."
            )
        if not isinstance(source, str) or not source.strip():
            raise PresetError(f"{path}: {where}.source is {checks.shown(source)}; wanted a text. Say who measured it.")
        checked[name] = Target(float(ends[0]), float(ends[1]), source)
    return checked
