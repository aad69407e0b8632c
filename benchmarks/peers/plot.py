"""Time against quality, ours and other solvers': `python -m benchmarks.peers.plot FOLDER PICTURES` (needs Matplotlib).

FOLDER holds drape.csv and solids.csv, what `benchmarks.drape` and `benchmarks.solids` wrote with --csv; `dev.py docs` makes
both. Lower and further left is better.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

WIDTH = 3.2  # inches a panel
UNITS = {"drape": "error of the centre's height [mm]", "solids": "error of the positions [%]"}
TIMES = {"drape": "processor ms a frame", "solids": "processor ms a step"}


def panels(folder: Path) -> dict[tuple[str, str], dict[str, list[tuple[float, float]]]]:
    """Benchmark and title -> solver -> times and errors; a solver is a label up to its first comma or digit."""
    points: dict = defaultdict(lambda: defaultdict(list))
    for name in UNITS:
        with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["error"] != "-":
                    point = float(row["cpu_ms"]), float(row["error"].rstrip("%"))
                    points[name, f"{row['scene']}, n = {row['n']}"][solver_of(row["solver"])].append(point)
    return points


def solver_of(label: str) -> str:
    """'PBNG' of 'PBNG 1.7, 24 sweeps', 'GPBD, global step' of 'GPBD, global step, 8 x 1 + 4'."""
    words = [part.strip() for part in label.split(",")]
    words_of_solver = [part for part in words if not part[0].isdigit() and not part.startswith("quality")]
    return ", ".join(part.rstrip("0123456789. x") for part in words_of_solver)


def draw(folder: Path, path: Path) -> None:
    of_panels = panels(folder)
    names = sorted({solver for solvers in of_panels.values() for solver in solvers})
    looks = {name: (f"C{k % 10}", "osD^vP*X"[k % 8]) for k, name in enumerate(names)}
    figure, all_axes = plt.subplots(1, len(of_panels), figsize=(WIDTH * len(of_panels), WIDTH), squeeze=False)
    shown: dict[str, object] = {}
    for ((benchmark, title), solvers), axes in zip(of_panels.items(), all_axes[0], strict=True):
        for solver, points in solvers.items():
            colour, marker = looks[solver]
            (shown[solver],) = axes.plot(*zip(*sorted(points)), color=colour, marker=marker, markersize=5, linewidth=0.8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())  # labels of a short axis would lie on each other
        axes.set_title(title, fontsize=9)
        axes.set_xlabel(TIMES[benchmark], fontsize=8)
        axes.set_ylabel(UNITS[benchmark], fontsize=8)
        axes.grid(True, which="major", linewidth=0.3)
    figure.tight_layout()
    figure.legend(list(shown.values()), list(shown), fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def main(folder: str, pictures: str) -> None:
    draw(Path(folder), Path(pictures) / "peers.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
