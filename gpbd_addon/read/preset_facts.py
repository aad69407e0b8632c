"""Facts about a preset: its picture, its numbers, and how reliable they are, in words."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

from ...solver.errors import PresetError
from ...solver.scene.presets import FOLDER, Preset, read_preset, read_targets

PICTURES = FOLDER / "pictures"
#: How a grade is meant, as docs/reference/presets.md has it.
GRADES = {
    "measured": "Measured: weight, bending, drape, and stretch and shear where they were published, are within what "
    "laboratories measured of such fabrics",
    "fitted": "Fitted: some numbers are measured, the others are chosen so that it drapes as was measured",
    "estimated": "Estimated: typical of its kind. No measurement is known that all of it could be compared with, or it "
    "drapes otherwise than was published",
}
UNREADABLE = "Unreadable: the file cannot be used"


def picture(preset: Preset) -> Path | None:
    """Return the file of its picture; None for presets of the user's own, and for unreadable ones."""
    path = PICTURES / f"{preset.path.stem}.jpg"
    return path if preset.path.is_relative_to(FOLDER) and path.is_file() else None


def tags(preset: Preset) -> list[str]:
    """Return its tags for the search, beside its name."""
    return list(dict.fromkeys([preset.kind, preset.category, preset.grade, *preset.aliases]))


def matches(preset: Preset, typed: str) -> bool:
    """Return whether each typed word is in its name, the name of its file or its tags."""
    known = " ".join([preset.name, preset.path.stem, *tags(preset)]).lower()
    return all(word in known for word in typed.lower().split())


def facts(preset: Preset) -> list[str]:
    """Sentences: numbers, drape, grade, source."""
    if preset.error:
        return [UNREADABLE, preset.error]
    return list(_facts(preset.path, preset.path.stat().st_mtime_ns, preset.kind, preset.grade))


@functools.lru_cache(maxsize=1024)
def _facts(path: Path, modified: int, kind: str, grade: str) -> tuple[str, ...]:
    """Read a file once for each state of it: panels call this at every redraw."""
    try:
        material, targets = read_preset(path), read_targets(path)
    except PresetError as error:
        return (UNREADABLE, str(error))
    weight = f"{1e3 * material.density:.3g} g/m²" if kind == "fabric" else f"{material.density:.4g} kg/m³"
    lines = [f"{weight}, {1e3 * material.thickness:.2g} mm thick" if kind == "fabric" else weight]
    drape, published = _drapes().get(path.stem) if path.is_relative_to(FOLDER) else None, targets.get("drape_coefficient")
    if drape is not None:
        range_ = f"; published: {100 * published.low:.0f} to {100 * published.high:.0f} %" if published is not None else ""
        lines.append(f"Drape coefficient {100 * drape:.0f} %{range_}")
    lines.append(GRADES.get(grade, grade.capitalize()))
    return (*lines, f"Source: {material.source}" if material.source else "The preset names no source")


@functools.cache
def _drapes() -> dict[str, float]:
    """Drape coefficients of our presets, by the names of their files."""
    return dict(tomllib.loads((PICTURES / "drape.toml").read_text(encoding="utf-8")))
