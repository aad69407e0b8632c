"""Error of every method against backward Euler: against sweeps and against milliseconds, all in one run.

`python -m benchmarks.paper.agreement`. The reference is the same scene, mesh and step by `newton` in float64 to a residual
of 1e-9. Error: root mean square over the vertices of the distance from the reference at the end of the trajectory, over that
of the distance which the reference itself has moved from the start; it is infinite if a method diverges. A second table has
the cost of an error.

Cubes of 8^3 x 6 tetrahedra, 1 m, 1e5 Pa, 1000 kg/m^3, nu 0.45: 40 steps of 0.01 s, leads that move during all of them. A net
of springs and a sheet of fabric, hung by a side: 24 steps of 1/192 s.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.paper.cubes import DENSITY, YOUNG
from tests.scenes import materials, meshes, without_contact

Array = np.ndarray
CELLS, STEP, STEPS = 8, 0.01, 40
#: Cells along a side of a sheet for each of a cube, step and steps of a sheet, stiffness of its springs [N/m].
SHEET_CELLS, SHEET_STEP, SHEET_STEPS, SPRING = 3, 1 / 192, 24, 500.0
SWEEPS = (1, 3, 10, 30, 100)
FIELDS = ("scene", "method", "sweeps", "error", "ms a step")
#: Errors whose cost is in the second table.
GOALS = (1e-1, 1e-2, 1e-3)


@dataclass(frozen=True)
class Case:
    """One scene: make(cells, poisson) gives it, of one body; steps of `step` seconds."""

    name: str
    make: Callable[[int, float], Any]
    step: float = STEP
    steps: int = STEPS


def _turned(p: Array, angle: Array | float) -> Array:
    y, z = p[:, 1] - 0.5, p[:, 2] - 0.5
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([p[:, 0], 0.5 + cosine * y - sine * z, 0.5 + sine * y + cosine * z], 1)


def cube(pose: Callable[[Array, float], Array] | None = None, stiffer: float = 1.0, heavier: float = 1.0) -> Callable:
    """Return a cube. pose(points, share): pose of both driven ends; None: only x = 0 is held, and gravity acts. stiffer,
    heavier: Young's modulus and density of the upper half over those of the lower."""

    def make(cells: int, poisson: float) -> Any:
        import solver

        x, tetrahedra = meshes.cube_of_six(cells)
        lower = solver.Material.solid(DENSITY, YOUNG, poisson)
        regions = []
        if (stiffer, heavier) != (1.0, 1.0):
            upper = solver.Material.solid(DENSITY * heavier, YOUNG * stiffer, poisson)
            regions = [solver.Region(np.flatnonzero(x[tetrahedra].mean(1)[:, 2] > 0.5), upper)]
        held = np.flatnonzero((x[:, 0] < 1e-9) | (x[:, 0] > 1 - 1e-9) if pose else x[:, 0] < 1e-9)
        end = STEP * STEPS
        targets = None if pose is None else lambda seconds: pose(x[held], min(seconds / end, 1.0))
        body = solver.SoftBody("cube", x, tetrahedra, lower, pins=solver.Pins(held, targets=targets), regions=regions)
        return solver.Scene([body], gravity=(0, 0, -9.81 if pose is None else 0.0))

    return make


def sheet(springs: bool) -> Callable:
    """A square metre that is let go of; springs, which all methods have, or the fabric."""

    def make(cells: int, poisson: float) -> Any:
        import solver

        net = {"spring": {"stiffness": SPRING, "damping": 0.0}}
        material = solver.Material("net", "fabric", materials.FABRIC["density"], net) if springs else None
        return without_contact.solver_scene(without_contact.s1h(SHEET_CELLS * cells), solver, material)

    return make


CASES = (
    Case("gravity", cube()),
    Case("compress", cube(lambda p, share: p * [1 - 0.3 * share, 1, 1])),
    Case("twist and stretch", cube(lambda p, share: _turned(p, np.pi / 2 * share * p[:, 0]) * [1 + 0.5 * share, 1, 1])),
    Case("stiffness ratio 1e4", cube(stiffer=1e4)),
    Case("mass ratio 1e3", cube(heavier=1e-3)),
    Case("net", sheet(springs=True), SHEET_STEP, SHEET_STEPS),
    Case("sheet", sheet(springs=False), SHEET_STEP, SHEET_STEPS),
)
#: Label -> settings beside the sweeps.
METHODS: dict[str, dict] = {
    "gpbd": {"method": "gpbd"},
    "gpbd, warm start": {"method": "gpbd", "warm_start": 1.0},
    "gpbd, as published": {"method": "gpbd", "reprojection": 0.0},
    "gpbd_jacobi": {"method": "gpbd_jacobi"},
    "xpbd": {"method": "xpbd"},
    "pbd": {"method": "pbd"},
    "pbng": {"method": "pbng"},
    "newton": {"method": "newton"},
}


def trajectory(world, steps: int = STEPS, step: float = STEP, **settings) -> tuple[Array, float]:
    """Last positions of the one body (n, 3) and the median milliseconds of the thread a step; infinite where it blows up."""
    import solver

    simulation = solver.Simulation(
        world, solver.Settings(fps=1 / step, substeps=1, **{"global_iterations": 0, "integrator": "bdf1"} | settings)
    )
    name = world.bodies[0].name
    times, x = [], simulation.start().positions[name]
    for _ in range(steps):
        began = time.thread_time()
        try:
            x = simulation.advance_frame().positions[name]
        except solver.UnstableError:
            return np.full(x.shape, np.inf), np.inf
        times.append(time.thread_time() - began)
    return x.astype(float), 1e3 * machine.median(times)


def reference(world, steps: int = STEPS, step: float = STEP) -> Array:
    return trajectory(world, steps, step, method="newton", dtype="float64", iterations=20, tolerance=1e-9)[0]


def error(x: Array, exact: Array, start: Array) -> float:
    return float(np.sqrt(((x - exact) ** 2).sum() / ((exact - start) ** 2).sum()))


def cheapest(rows: list[list[str]], goal: float) -> str:
    """The least time a step that reaches an error, and its sweeps."""
    reached = [(float(milliseconds), int(sweeps)) for _, _, sweeps, off, milliseconds in rows if float(off) <= goal]
    return "{:.2f} ms, {} sweeps".format(*min(reached)) if reached else "-"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/agreement", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help=f"default: all of {', '.join(case.name for case in CASES)}")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--sweeps", type=int, nargs="*", default=SWEEPS)
    parser.add_argument("--cells", type=int, default=CELLS, help="along a side of a cube; sheets have three times as many")
    parser.add_argument("--steps", type=int, help="fewer steps, to look quickly")
    parser.add_argument("--poisson", type=float, default=0.45)
    parser.add_argument("--step", type=float, help="seconds; the leads keep their speed a step")
    parser.add_argument("--csv", type=Path, help="file for the rows, for plots")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        rows: list[list[str]] = []
        goals: list[list[str]] = []
        for case in CASES:
            if options.cases and case.name not in options.cases:
                continue
            world = case.make(options.cells, options.poisson)
            steps, step = options.steps or case.steps, options.step or case.step
            exact, start = reference(world, steps, step), world.bodies[0].vertices
            for label in options.methods:
                of_method = []
                for sweeps in options.sweeps:
                    if label == "newton" and sweeps > 10:
                        continue  # it has converged long before
                    x, milliseconds = trajectory(world, steps, step, iterations=sweeps, threads=1, **METHODS[label])
                    of_method.append([case.name, label, str(sweeps), f"{error(x, exact, start):.2e}", f"{milliseconds:.2f}"])
                    print("  ".join(of_method[-1]), flush=True)
                rows += of_method
                goals.append([case.name, label, *(cheapest(of_method, goal) for goal in GOALS)])
        print(machine.table(FIELDS, rows))
        print(machine.table(["scene", "method", *(f"error below {goal:g}" for goal in GOALS)], goals))
        print("milliseconds of one thread a step, single precision.")
        if options.csv:
            with options.csv.open("w", newline="") as file:
                csv.writer(file).writerows([FIELDS, *rows])


if __name__ == "__main__":
    main()
