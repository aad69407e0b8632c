"""Presets: materials in TOML files, one a file, in `presets/` and in the user's own folder."""

from __future__ import annotations

import difflib
import functools
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import MaterialError, PresetError
from ..paths import as_path
from . import catalog, checks, targets
from .fabric_table import FabricTable, read_table, write_table
from .material import KINDS, Material

FOLDER = Path(__file__).resolve().parents[2] / "presets"
GRADES = ("measured", "fitted", "estimated")
TEXTS = ("name", "kind", "category", "grade", "source")
#: Folder of tables, below that of a preset.
DATA = "data"
NUMBERS = ("density", "thickness", "friction")
UNREADABLE = "Unreadable"
#: Provenance of a preset's table.
PROVENANCE = ("pattern", "yarns", "relaxed", "seed", "versions", "held_out", "complete", "missing", "licence")


@dataclass(frozen=True)
class Preset:
    """Entry of a preset file in a menu.

    name, category, grade, kind: as in the file. path: the file. aliases: other names that `load_material` takes. error: why
    the file cannot be used; empty for a good preset. A bad one is listed in the category "Unreadable", for every kind, so
    that one broken file hides neither itself nor the others.
    """

    name: str
    category: str
    grade: str
    path: Path
    kind: str
    aliases: tuple[str, ...] = ()
    error: str = ""


def list_presets(kind: str | None = None, user_folder: str | Path | None = None) -> list[Preset]:
    """Return all presets, by category and name: the project's, and those below the user's folder if one is given.

    kind: "fabric", "solid" or None for both.
    Raises: PresetError if the kind is unknown.
    """
    if kind is not None:
        checks.one_of("Presets", "kind", kind, KINDS, PresetError)
    presets = [_preset(path) for path in _files(user_folder)]
    wanted = [preset for preset in presets if kind is None or preset.kind == kind or preset.error]
    return sorted(wanted, key=lambda preset: (preset.category == UNREADABLE, preset.category, preset.name, str(preset.path)))


def one_preset(path: str | Path) -> Preset:
    """Return the menu entry of this file; `Preset.error` has the reason against its use."""
    return _preset(as_path("Preset", path, PresetError))


def load_material(name: str, user_folder: str | Path | None = None) -> Material:
    """Load the material of the preset whose file is `<name>.toml`, or that has the name or an alias of that name.

    A file name takes precedence over an alias, and the user's presets over the project's.
    Raises: PresetError if no preset or several match, or if the preset cannot be read.
    """
    wanted = _plain(checks.text("Material", "name", name, PresetError))
    paths = _files(user_folder)
    for group in ([p for p in paths if not p.is_relative_to(FOLDER)], [p for p in paths if p.is_relative_to(FOLDER)]):
        matching = [p for p in group if _plain(p.stem) == wanted]
        if not matching:
            presets = [_preset(path) for path in group]
            matching = [c.path for c in presets if wanted in (_plain(c.name), *map(_plain, c.aliases))]
        if len(matching) > 1:
            raise PresetError(
                f"Material '{name}': {len(matching)} presets have this name ({', '.join(map(str, matching))}); wanted one. "
                "Rename one, or give the name of its file."
            )
        if matching:
            return read_preset(matching[0])
    names = sorted({path.stem for path in paths})
    like = difflib.get_close_matches(name, names, 5, 0.0)
    raise PresetError(
        f"Material '{name}': no preset has this name; wanted one of {len(names)}, such as {', '.join(like)}. Name one; "
        "`gpbd presets` lists all."
    )


def read_preset(path: str | Path) -> Material:
    """The material in a preset file.

    Raises: PresetError if the file cannot be read, or a key is unknown, missing or has an impossible value.
    """
    return _read(as_path("Preset", path, PresetError))[0]


def read_targets(path: str | Path) -> dict[str, targets.Target]:
    """The published measurements in a preset file, by quantity of `targets.QUANTITIES`; most presets of users have none.

    Raises: PresetError if the file cannot be read, or a target is none.
    """
    path = as_path("Preset", path, PresetError)
    return targets.parse(path, _values(path).get("targets", {}))


def write_preset(path: str | Path, material: Material, overwrite: bool = False, aliases: tuple[str, ...] = ()) -> None:
    """Write a preset that `read_preset` reads back with the same numbers; the file is replaced atomically.

    An empty category or source becomes "My materials" and "Own values", because a preset must have both.

    Raises: PresetError if the file exists and `overwrite` is not set, if the name is not that of a TOML file, if the
    material could not be read back, or if the folder cannot be written.
    """
    path = as_path("Preset", path, PresetError)
    checks.instance(str(path), "material", material, Material, "Give a Material.", PresetError)
    aliases = tuple(_texts(path, aliases))
    if path.suffix != ".toml":
        raise PresetError(f"{path}: a preset's file ends in '{path.suffix}'; wanted '.toml'. Give it that ending.")
    if path.exists() and not overwrite:
        raise PresetError(f"{path}: there is a preset already; wanted a new name. Choose another, or overwrite it.")
    table_path = None if material.table is None else path.parent / DATA / f"{path.stem}.npz"
    if table_path is not None and material.table is not None:
        write_table(table_path, material.table, "float64")  # the same numbers
    text = _text(material, aliases, table_path)
    _parse(path, tomllib.loads(text))  # a preset that cannot be read back is refused now, not when it is needed
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)
    except OSError as error:
        if part.exists():
            part.unlink()
        raise PresetError(f"{path}: the preset cannot be written ({error.strerror}). Choose another folder.") from error


def _plain(name: str) -> str:
    """A name as it is compared: case, spaces and hyphens do not count."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _files(user_folder: str | Path | None) -> list[Path]:
    """Return the files of the project, then of the user (also those directly in the user's folder), in a fixed order."""
    paths = [path for kind in KINDS.values() for path in sorted((FOLDER / kind.folder).glob("*.toml"))]
    if user_folder is not None:
        user_root = as_path("The user's folder of presets", user_folder, PresetError).resolve()
        places = [user_root, *(user_root / kind.folder for kind in KINDS.values())]
        paths += [path for place in places for path in sorted(place.glob("*.toml"))]
    return paths


def _preset(path: Path) -> Preset:
    try:
        status = path.stat()
    except OSError as error:  # deleted meanwhile, or a dangling link
        return Preset(path.stem, UNREADABLE, "", path, "", error=f"{path}: the preset cannot be read ({error.strerror}).")
    return _preset_of(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=1024)
def _preset_of(path: Path, modified: int, size: int) -> Preset:
    """Read a file once for each state of it: menus call this at every redraw."""
    try:
        material, aliases = _read(path)
    except PresetError as error:
        return Preset(path.stem, UNREADABLE, "", path, "", error=str(error))
    return Preset(material.name, material.category, material.grade, path, material.kind, aliases)


def _read(path: Path) -> tuple[Material, tuple[str, ...]]:
    return _parse(path, _values(path))


def _values(path: Path) -> dict[str, Any]:
    """Return the keys of a preset file as written."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PresetError(f"{path}: the preset cannot be read ({error.strerror}). Check the file and its folder.") from error
    except (ValueError, RecursionError) as error:
        raise PresetError(f"{path}: the preset is not a TOML file ({error}). Correct that place.") from error


def _parse(path: Path, values: Mapping[str, Any]) -> tuple[Material, tuple[str, ...]]:
    """A material and its aliases from the keys of a preset."""
    required = (*TEXTS, *NUMBERS, "energies")
    _same_keys(path, "the preset", values, required, optional=("aliases", "targets", "table", "provenance"))
    for key in TEXTS:
        if not isinstance(values[key], str) or not values[key].strip():
            raise PresetError(f"{path}: {key} is {checks.shown(values[key])}; wanted a text. Correct it in the preset.")
    numbers = {key: values[key] for key in NUMBERS}
    kind, grade = values["kind"], values["grade"]
    if kind not in KINDS:
        raise PresetError(f"{path}: kind is '{kind}'; wanted one of {', '.join(KINDS)}. Correct it in the preset.")
    if grade not in GRADES:
        raise PresetError(f"{path}: grade is '{grade}'; wanted one of {', '.join(GRADES)}. Correct it in the preset.")
    aliases = _texts(path, values.get("aliases", []))
    targets.parse(path, values.get("targets", {}))
    texts = {key: values[key] for key in TEXTS}
    energies, table = _energies(path, kind, values["energies"]), _table(path, values.get("table"))
    _provenance(path, values.get("provenance", {}))
    try:
        return Material(**texts, **numbers, energies=energies, table=table), tuple(aliases)
    except MaterialError as error:
        raise error if isinstance(error, PresetError) else PresetError(f"{path}: {error}") from error


def read_provenance(path: str | Path) -> dict[str, object]:
    """Return the provenance of a preset's table, by the names of `PROVENANCE`; empty if the preset has none.

    Raises: PresetError if the file cannot be read.
    """
    path = as_path("Preset", path, PresetError)
    return _provenance(path, _values(path).get("provenance", {}))


def _provenance(path: Path, provenance: object) -> dict[str, object]:
    if not isinstance(provenance, dict):
        raise PresetError(f"{path}: provenance is {checks.shown(provenance)}; wanted a table [provenance]. Correct it.")
    _same_keys(path, "provenance", provenance, (), optional=PROVENANCE)
    return provenance


def _table(path: Path, table: object) -> FabricTable | None:
    """Return the table that a preset names, beside its file or below its folder."""
    if table is None:
        return None
    if not isinstance(table, str) or not table.endswith(".npz"):
        raise PresetError(f"{path}: table is {checks.shown(table)}; wanted the name of an npz file. Correct it.")
    file = (path.parent / table).resolve()
    if not file.is_relative_to(path.parent.resolve()):
        raise PresetError(f"{path}: table is '{table}'; wanted a file below the preset's folder. Correct it.")
    return read_table(file)


def _texts(path: Path, aliases: object) -> list[str]:
    if not isinstance(aliases, (list, tuple)) or not all(isinstance(alias, str) for alias in aliases):
        raise PresetError(f"{path}: aliases is {checks.shown(aliases)}; wanted a list of texts. Correct it in the preset.")
    return list(aliases)


def _energies(path: Path, kind: str, by_energy: object) -> dict[str, dict[str, float]]:
    known = catalog.energies()
    if not isinstance(by_energy, dict) or not by_energy:
        example = next(iter(known))
        raise PresetError(
            f"{path}: energies is {checks.shown(by_energy)}; wanted at least one table, such as [energies.{example}]."
        )
    energies = {}
    for name, parameters in by_energy.items():
        if name not in known:
            raise PresetError(
                f"{path}: unknown energy '{name}'; wanted one of {', '.join(known)}. Correct it in the preset."
            )
        if known[name].element not in catalog.elements_of(kind):
            element = known[name].element
            raise PresetError(f"{path}: energy '{name}' acts on a {element}, which a {kind} does not have. Remove it.")
        if not isinstance(parameters, dict):
            raise PresetError(f"{path}: energies.{name} is {checks.shown(parameters)}; wanted a table [energies.{name}].")
        _same_keys(path, f"energies.{name}", parameters, tuple(known[name].parameters))
        energies[name] = dict(parameters)
    return energies


def _same_keys(
    path: Path, where: str, values: Mapping[str, object], required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> None:
    unknown = sorted(set(values) - set(required) - set(optional))
    missing = [key for key in required if key not in values]
    if unknown:
        takes = ", ".join(required + optional)
        raise PresetError(f"{path}: {where} has the unknown key '{unknown[0]}'; it takes {takes}. Remove it.")
    if missing:
        raise PresetError(f"{path}: {where} lacks the key '{missing[0]}'; it takes {', '.join(required)}. Add it.")


def _text(material: Material, aliases: tuple[str, ...], table: Path | None = None) -> str:
    """The preset as TOML, with the unit of each number beside it."""
    units = {"density": KINDS[material.kind].density_unit, "thickness": "m", "friction": "Coulomb coefficient"}
    defaults = {"category": "My materials", "source": "Own values"}
    texts = {key: getattr(material, key) or defaults.get(key, "") for key in TEXTS}
    lines = [f"{key} = {_quoted(value)}" for key, value in texts.items()]
    if aliases:
        lines.append(f"aliases = [{', '.join(map(_quoted, aliases))}]")
    if table is not None:
        lines.append(f"table = {_quoted(f'{DATA}/{table.name}')}")
    lines += _aligned([(key, getattr(material, key), units[key]) for key in NUMBERS])
    for name, parameters in material.energies.items():
        known = catalog.energies()[name].parameters
        lines += ["", f"[energies.{name}]"]
        lines += _aligned([(key, value, known[key].unit or known[key].description) for key, value in parameters.items()])
    return "\n".join(lines) + "\n"


def _aligned(rows: list[tuple[str, float, str]]) -> list[str]:
    pairs = [(f"{key} = {float(value)!r}", unit) for key, value, unit in rows]
    width = max(len(pair) for pair, _ in pairs)
    return [f"{pair:<{width}} # {unit}" for pair, unit in pairs]


def _quoted(text: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's, but for the delete character, which TOML wants escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
