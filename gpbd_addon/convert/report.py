"""Report of a conversion, as a text block for the artist: mapped properties with the conversion, and those without
counterpart."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ...solver.counted import counted
from .conversion import Line

TEXT_NAME = "GPBD Conversion"


def counts(lines: Iterable[Line]) -> tuple[int, int]:
    """Return the number of mapped properties, and of set ones without counterpart."""
    known = list(lines)
    return sum(line.mapped for line in known), sum(line.set_ and not line.mapped for line in known)


def text(converted: dict[str, list[Line]], left_out: Iterable[str]) -> str:
    """converted: object -> lines. left_out: why other objects were not converted."""
    parts = ["What became of Blender's own settings. The old modifiers are kept, switched off.", ""]
    parts += [f"Left out: {sentence}" for sentence in left_out]
    for name, lines in converted.items():
        mapped, lost = counts(lines)
        parts += ["", f"=== {name}: {counted(mapped, 'property', 'properties')} mapped, {lost} without counterpart", ""]
        unmapped = [_line(line) for line in lines if line.set_ and not line.mapped]
        parts += ["Set, without a counterpart:", *unmapped, ""] if unmapped else []
        animated = [f"  {_name(line)}: {line.animated}." for line in lines if line.animated]
        parts += ["Animated:", *animated, ""] if animated else []
        parts += ["Mapped:", *(_line(line) for line in lines if line.became), ""]
        parts += [
            "Mapped, and not used as it stands:",
            _names(line for line in lines if line.mapped and not line.became),
            "",
        ]
        rest = [line for line in lines if not line.set_ and not line.mapped]
        parts += ["As Blender begins with, without a counterpart:", _names(rest), ""]
    return "\n".join(parts)


def _line(line: Line) -> str:
    became = ", ".join(line.became) or "-"
    return f"  {_name(line)} {line.value}  ->  {became}\n      {line.how}"


def _name(line: Line) -> str:
    return f"{line.table} > {line.label}"


def _names(lines: Iterable[Line]) -> str:
    return textwrap.fill("; ".join(_name(line) for line in lines) or "-", 120, initial_indent="  ", subsequent_indent="  ")
