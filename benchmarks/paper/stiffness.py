"""Whether a sheet's stiffness depends on the iterations: a strip of springs hung by one side, for every method.

`python -m benchmarks.paper.stiffness`. Springs, because all methods have them; 24 substeps a frame of 1/24 s. PBD has no
other stiffness than its iterations; XPBD and GPBD hang at the length that the springs ask for.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from benchmarks import machine, scenes

COUNTS = (5, 10, 20, 40)
METHODS = ("pbd", "xpbd", "gpbd")
#: N/m: soft enough that 5 iterations reach it. damping [s] lets the sheet come to rest.
SPRINGS = {"spring": {"stiffness": 20.0, "damping": 0.02}}
CELLS, SECONDS = 8, 3.0
FIELDS = ("method", "iterations", "length [m]", "of that at 40")


def length(method: str, iterations: int) -> float:
    """Length of the hanging sheet [m]; 1 where nothing stretches."""
    import solver

    arrays = scenes.s1h(CELLS)
    material = solver.Material("springs", "fabric", 0.2, SPRINGS, thickness=1e-3, friction=0.4)
    world = scenes.solver_scene(arrays, solver, material)
    settings = solver.Settings(fps=24, substeps=24, iterations=iterations, method=method, dtype="float64", threads=1)
    *_, frame = solver.Simulation(world, settings).frames(1, int(24 * SECONDS))
    x = frame.positions["sheet"]
    return float(x[arrays.pins, 2].mean() - x[:, 2].min())


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/stiffness", description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path, help="file for the rows, for plots")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    print(machine.describe())
    rows = []
    for method in METHODS:
        lengths = [length(method, count) for count in COUNTS]
        rows += [[method, str(n), f"{l:.4f}", f"{l / lengths[-1]:.4f}"] for n, l in zip(COUNTS, lengths)]
    print(machine.table(FIELDS, rows))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([FIELDS, *rows])


if __name__ == "__main__":
    main()
