"""Dependence of a sheet's stiffness on the iterations: a strip of springs hung by one side, for every method.

`python -m benchmarks.paper.stiffness`. Springs, because all methods have them; 24 substeps a frame of 1/24 s. PBD has no
other stiffness than its iterations; XPBD and GPBD converge to the springs' length.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from benchmarks import machine
from tests.scenes import meshes

COUNTS = (5, 10, 20, 40)
METHODS = ("pbd", "xpbd", "gpbd")
#: N/m and s. The sheet of 0.2 kg/m^2 starts hanging and stretches by about two hundredths; drag [1/s] lets it come to rest.
SPRINGS = {"spring": {"stiffness": 50.0, "damping": 0.0}}
DRAG = 4.0
CELLS, SECONDS = 10, 3.0
FIELDS = ("method", "iterations", "mean stretch [%]", "of that at 5")


def stretch(method: str, iterations: int) -> float:
    """Mean stretch of the sheet's vertical edges at rest [%]."""
    import solver

    flat, triangles = meshes.grid(CELLS)
    vertices = flat[:, [0, 2, 1]]
    pins = solver.Pins(np.flatnonzero(vertices[:, 2] > 1 - 1e-9))
    material = solver.Material("springs", "fabric", 0.2, SPRINGS, thickness=1e-3, friction=0.4)
    world = solver.Scene([solver.Cloth("sheet", vertices, triangles, material, pins=pins, self_contact=False)])
    settings = solver.Settings(
        fps=24,
        substeps=24,
        iterations=iterations,
        method=method,
        damping=DRAG,
        dtype="float64",
        threads=1,
        global_iterations=0,
        integrator="bdf1",
    )
    *_, frame = solver.Simulation(world, settings).frames(1, int(24 * SECONDS))
    columns = frame.positions["sheet"].reshape(CELLS + 1, CELLS + 1, 3)
    lengths = np.linalg.norm(np.diff(columns, axis=1), axis=2)
    return 100 * float(lengths.mean() * CELLS - 1)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/stiffness", description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path, help="file for the rows, for plots")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        rows = []
        for method in METHODS:
            all_of_it = [stretch(method, count) for count in COUNTS]
            rows += [[method, str(n), f"{s:.3f}", f"{s / all_of_it[0]:.3f}"] for n, s in zip(COUNTS, all_of_it)]
        print(machine.table(FIELDS, rows))
        if options.csv:
            with options.csv.open("w", newline="") as file:
                csv.writer(file).writerows([FIELDS, *rows])


if __name__ == "__main__":
    main()
