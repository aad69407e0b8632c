"""How near every method comes to backward Euler: error against sweeps and against milliseconds, all in one run.

`python -m benchmarks.paper.agreement`. The reference is the same scene, mesh and step by `newton` in float64 to a residual
of 1e-9. Error: root mean square over the vertices of the distance from the reference at the end of the trajectory, over
that of the distance which the reference itself has moved from the start. A cube of 8^3 x 6 tetrahedra, 1 m, 1e5 Pa,
1000 kg/m^3, nu 0.45, 40 steps of 0.01 s, leads that move during all of them.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import machine, scenes
from benchmarks.paper.cubes import DENSITY, YOUNG

Array = np.ndarray
CELLS, STEP, STEPS = 8, 0.01, 40
SWEEPS = (1, 3, 10, 30, 100)
FIELDS = ("scene", "method", "sweeps", "error", "ms a step")


@dataclass(frozen=True)
class Case:
    """pose(points, share): where the held ends are led; None: only x = 0 is held, and gravity acts. layers: Young's modulus
    and density of the upper half over those of the lower."""

    name: str
    pose: Callable[[Array, float], Array] | None
    layers: tuple[float, float] = (1.0, 1.0)


def _turned(p: Array, angle: Array | float) -> Array:
    y, z = p[:, 1] - 0.5, p[:, 2] - 0.5
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([p[:, 0], 0.5 + cosine * y - sine * z, 0.5 + sine * y + cosine * z], 1)


CASES = (
    Case("gravity", None),
    Case("compress", lambda p, share: p * [1 - 0.3 * share, 1, 1]),
    Case("twist and stretch", lambda p, share: _turned(p, np.pi / 2 * share * p[:, 0]) * [1 + 0.5 * share, 1, 1]),
    Case("stiffness ratio 1e4", None, (1e4, 1.0)),
    Case("mass ratio 1e3", None, (1.0, 1e-3)),
)
#: Label -> settings beside the sweeps.
METHODS: dict[str, dict] = {
    "gpbd": {"method": "gpbd"},
    "gpbd, warm start": {"method": "gpbd", "warm_start": 1.0},
    "gpbd, as published": {"method": "gpbd", "reprojection": 0.0},
    "gpbd_jacobi": {"method": "gpbd_jacobi"},
    "xpbd": {"method": "xpbd"},
    "pbng": {"method": "pbng"},
    "newton": {"method": "newton"},
}


def scene(case: Case, poisson: float = 0.45):
    """The case for the solver."""
    import solver

    x, tetrahedra = scenes.cube_of_six(CELLS)
    stiffer, heavier = case.layers
    lower = solver.Material.solid(DENSITY, YOUNG, poisson)
    regions = []
    if case.layers != (1.0, 1.0):
        upper = solver.Material.solid(DENSITY * heavier, YOUNG * stiffer, poisson)
        regions = [solver.Region(np.flatnonzero(x[tetrahedra].mean(1)[:, 2] > 0.5), upper)]
    held = np.flatnonzero((x[:, 0] < 1e-9) | (x[:, 0] > 1 - 1e-9) if case.pose else x[:, 0] < 1e-9)
    pose, end = case.pose, STEP * STEPS
    targets = None if pose is None else lambda seconds: pose(x[held], min(seconds / end, 1.0))
    body = solver.SoftBody("cube", x, tetrahedra, lower, pins=solver.Pins(held, targets=targets), regions=regions)
    return solver.Scene([body], gravity=(0, 0, -9.81 if pose is None else 0.0))


def trajectory(world, steps: int = STEPS, step: float = STEP, **settings) -> tuple[Array, float]:
    """Last positions (n, 3) and the median milliseconds of a step; not a number where the method left the finite ones."""
    import solver

    simulation = solver.Simulation(world, solver.Settings(fps=1 / step, substeps=1, **settings))
    times, x = [], simulation.start().positions["cube"]
    for _ in range(steps):
        began = time.perf_counter()
        try:
            x = simulation.advance_frame().positions["cube"]
        except solver.UnstableError:
            return np.full(x.shape, np.nan), np.nan
        times.append(time.perf_counter() - began)
    return x.astype(float), 1e3 * machine.median(times)


def reference(world, steps: int = STEPS, step: float = STEP) -> Array:
    return trajectory(world, steps, step, method="newton", dtype="float64", iterations=20, tolerance=1e-9)[0]


def error(x: Array, exact: Array, start: Array) -> float:
    return float(np.sqrt(((x - exact) ** 2).sum() / ((exact - start) ** 2).sum()))


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/agreement", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help="default: all")
    parser.add_argument("--sweeps", type=int, nargs="*", default=SWEEPS)
    parser.add_argument("--poisson", type=float, default=0.45)
    parser.add_argument("--step", type=float, default=STEP, help="seconds; the leads keep their speed a step")
    parser.add_argument("--csv", type=Path, help="file for the rows, for plots")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    print(machine.describe())
    rows = []
    for case in CASES:
        if options.cases and case.name not in options.cases:
            continue
        world = scene(case, options.poisson)
        exact, start = reference(world, step=options.step), world.bodies[0].vertices
        for label, settings in METHODS.items():
            for sweeps in options.sweeps:
                if label == "newton" and sweeps > 10:
                    continue  # it has converged long before
                x, taken = trajectory(world, step=options.step, iterations=sweeps, threads=1, **settings)
                rows.append([case.name, label, str(sweeps), f"{error(x, exact, start):.2e}", f"{taken:.2f}"])
                print("  ".join(rows[-1]), flush=True)
    print(machine.table(FIELDS, rows))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([FIELDS, *rows])


if __name__ == "__main__":
    main()
