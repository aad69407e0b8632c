"""Measurements of a bake, as a table for the terminal and for out/report.md."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

HEADER = (
    "scene",
    "vertices",
    "frames",
    "s a frame",
    "bake s",
    "error [mm]",
    "max stretch",
    "mean stretch",
    "volume",
    "film",
)


@dataclass
class Measured:
    """Measurements of one scene. seconds: wall time of the whole bake, including reading and compiling. reports: of each
    solved frame."""

    name: str
    vertices: int = 0
    seconds: float = 0.0
    film: str = ""
    reports: list[Any] = field(default_factory=list)

    def row(self) -> tuple[str, ...]:
        """The cells of the table. Median of seconds and error, mean of the mean stretch, largest of the others."""
        solved = [report for report in self.reports if report.seconds > 0]
        if not solved:
            return (self.name, str(self.vertices), "0", *["-"] * 6, self.film)
        volume = max((report.volume_change for report in solved), key=abs)
        return (
            self.name,
            str(self.vertices),
            str(len(self.reports)),
            f"{statistics.median(report.seconds for report in solved):.3f}",
            f"{self.seconds:.1f}",
            f"{1e3 * statistics.median(report.error for report in solved):.2g}",
            f"{max(report.max_stretch for report in solved):.2%}",
            f"{statistics.mean(report.mean_stretch for report in solved):.3%}",
            f"{volume:+.2%}" if volume else "-",
            self.film,
        )


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table that also reads well as plain text."""
    cells = [HEADER, *rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEADER))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])
