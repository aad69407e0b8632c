"""Variants of a wedge: every combination of the values of its axes."""

from __future__ import annotations

import argparse
import itertools
import math
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....solver.errors import SceneError
from .. import arguments
from ..overrides import Override

#: Keys of the file.
KEYS = ("frames", "objects", "set", "grid")
MOST = 9999


@dataclass
class Grid:
    """fixed: what all variants have. axes: path of a setting -> its values, as text. frames, objects: of the bakes."""

    fixed: dict[str, str] = field(default_factory=dict)
    axes: dict[str, list[str]] = field(default_factory=dict)
    frames: tuple[int, int] | None = None
    objects: list[str] | None = None

    def variants(self) -> list[Variant]:
        """In the order in which a table would be filled: the last axis runs fastest. Raises: SceneError."""
        if not self.axes:
            raise SceneError("Wedge: there is nothing to vary; wanted --grid PATH=A,B or a file with a table [grid].")
        total = math.prod(len(values) for values in self.axes.values())
        if total > MOST:
            raise SceneError(f"Wedge: the grid has {total} variants; wanted at most {MOST}. Take values out.")
        combined = itertools.product(*self.axes.values())
        return [
            Variant(f"{k:0{len(str(total))}d}", dict(zip(self.axes, values)), self.fixed)
            for k, values in enumerate(combined, 1)
        ]


@dataclass(frozen=True)
class Variant:
    """name: its number, as text. varied: path -> value along each axis. fixed: what all have."""

    name: str
    varied: dict[str, str]
    fixed: dict[str, str]

    @property
    def overrides(self) -> list[Override]:
        return [Override(path, value) for path, value in {**self.fixed, **self.varied}.items()]

    def __str__(self) -> str:
        return ", ".join(f"{path}={value}" for path, value in self.varied.items())


def read(options: argparse.Namespace) -> Grid:
    """The file, if one is named, with what the options say instead or besides. Raises: SceneError."""
    grid = from_file(Path(options.grid_file)) if options.grid_file else Grid()
    grid.fixed |= {override.path: override.value for override in arguments.overrides(options)}
    grid.axes |= {axis.path: axis.value.split(",") for axis in options.grid}
    for path, values in grid.axes.items():
        if not all(values):
            raise SceneError(f"Wedge: '{path}' has an empty value; wanted for example {path}=A,B. Give each value.")
        grid.fixed.pop(path, None)
    grid.frames, grid.objects = options.frames or grid.frames, options.objects or grid.objects
    return grid


def from_file(path: Path) -> Grid:
    """Raises: SceneError if it cannot be read, or if a key is unknown or has a value of another kind."""
    try:
        contents = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SceneError(f"Wedge {path}: cannot be read ({error.strerror}). Name a TOML file.") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML
        raise SceneError(f"Wedge {path}: is no TOML file ({error}). Correct it.") from error
    unknown = [key for key in contents if key not in KEYS]
    if unknown:
        raise SceneError(f"Wedge {path}: unknown key '{unknown[0]}'; wanted some of {', '.join(KEYS)}. Correct it.")
    grid = Grid(
        {key: _text(path, key, value) for key, value in _table(path, contents, "set").items()},
        {key: _values(path, key, value) for key, value in _table(path, contents, "grid").items()},
    )
    try:
        if "frames" in contents:
            grid.frames = arguments.frames(str(contents["frames"]))
        if "objects" in contents:
            objects = contents["objects"]
            grid.objects = (
                [arguments.names(str(name))[0] for name in objects]
                if isinstance(objects, list)
                else arguments.names(objects)
            )
    except (argparse.ArgumentTypeError, AttributeError) as error:
        raise SceneError(f"Wedge {path}: {error}. Correct it.") from error
    return grid


def _table(path: Path, contents: dict[str, Any], key: str) -> dict[str, Any]:
    table = contents.get(key, {})
    if not isinstance(table, dict):
        raise SceneError(f"Wedge {path}: '{key}' is {table!r}; wanted a table [{key}]. Correct it.")
    return table


def _values(path: Path, key: str, values: Any) -> list[str]:
    if not isinstance(values, list) or not values:
        raise SceneError(f"Wedge {path}: '{key}' is {values!r}; wanted a list of values. Correct it.")
    return [_text(path, key, value) for value in values]


def _text(path: Path, key: str, value: Any) -> str:
    """A value as an option would give it. A table here is mostly a path without quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and value and all(isinstance(one, (int, float)) for one in value):
        return ",".join(repr(one) for one in value)
    raise SceneError(
        f"Wedge {path}: '{key}' has the value {value!r}; wanted a number, true, false, a text or a vector. Put the path of "
        'a setting in quotes: "scene.substeps".'
    )
