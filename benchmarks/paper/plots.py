"""Plots of benchmarks' CSV files: `python -m benchmarks.paper.plots FOLDER PICTURES` (needs Matplotlib).

`dev.py docs` runs the benchmarks and this; docs/reference/physics/methods.md and integration.md show the pictures.
"""

from __future__ import annotations

import csv
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

WIDTH = 3.2  # inches a panel


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def lines(axes, rows: Iterable[dict[str, str]], by: str, x: str, y: str) -> None:
    """Draw one line for each value of column `by`, in order of occurrence."""
    points: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if math.isfinite(float(row[y])):  # not where a method blew up
            points[row[by]].append((float(row[x]), float(row[y])))
    for label, line in points.items():
        axes.plot(*zip(*line), marker="o", markersize=3, linewidth=1, label=label)


def panels(rows: list[dict[str, str]], column: str, draw: Callable, path: Path, title: str) -> None:
    """A panel for each value of a column, side by side, with one legend."""
    names = list(dict.fromkeys(row[column] for row in rows))
    figure, all_axes = plt.subplots(1, len(names), figsize=(WIDTH * len(names), WIDTH), sharey=True, squeeze=False)
    for name, axes in zip(names, all_axes[0]):
        draw(axes, [row for row in rows if row[column] == name])
        axes.set_title(name, fontsize=9)
        axes.grid(True, which="major", linewidth=0.3)
    all_axes[0][-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def agreement(folder: Path, pictures: Path) -> None:
    rows = rows_of(folder / "agreement.csv")

    def draw(column: str, words: str) -> Callable:
        def panel(axes, part: list[dict[str, str]]) -> None:
            lines(axes, part, "method", column, "error")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())  # within one decade they would be written over one another
            axes.set_ylim(1e-7, 3)
            axes.set_xlabel(words)
            axes.set_ylabel("error at the end")

        return panel

    title = "Distance from backward Euler over the distance moved"
    panels(rows, "scene", draw("sweeps", "sweeps a step"), pictures / "agreement_sweeps.png", title)
    panels(rows, "scene", draw("ms a step", "ms a step, 1 thread"), pictures / "agreement_time.png", title)


def stiffness(folder: Path, pictures: Path) -> None:
    figure, axes = plt.subplots(figsize=(1.4 * WIDTH, WIDTH))
    lines(axes, rows_of(folder / "stiffness.csv"), "method", "iterations", "mean stretch [%]")
    axes.set_xlabel("iterations a substep")
    axes.set_ylabel("mean stretch of a hanging sheet [%]")
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.grid(True, linewidth=0.3)
    axes.legend(fontsize=8)
    figure.savefig(pictures / "stiffness.png", dpi=110, bbox_inches="tight")
    plt.close(figure)


def flag(folder: Path, pictures: Path) -> None:
    rows = rows_of(folder / "motion.csv")
    names, shown = ("second order", "backward Euler"), []
    for row in rows:
        if float(row["frequency"]) >= 0.5:
            row["spectrum"] = str(1e6 * float(row["density"]))
            panels_of = names if row["integration"] == "fine" else names[1:] if "Euler" in row["integration"] else names[:1]
            shown += [{**row, "panel": name} for name in panels_of]

    def panel(axes, part: list[dict[str, str]]) -> None:
        lines(axes, sorted(part, key=lambda row: row["integration"] != "fine"), "integration", "frequency", "spectrum")
        axes.set_yscale("log")
        axes.set_ylim(1e-2, 1e4)
        axes.set_xlabel("frequency [Hz]")
        axes.set_ylabel("power spectral density [mm^2/Hz]")
        axes.legend(fontsize=6)

    panels(shown, "panel", panel, pictures / "flag_spectrum.png", "The loose end of a flag, across the wind")


def main(folder: str, pictures: str) -> None:
    for draw in (agreement, stiffness, flag):
        draw(Path(folder), Path(pictures))


if __name__ == "__main__":
    main(*sys.argv[1:])
