"""Limit accuracy of every method after many sweeps, in each precision and at each step: `python -m benchmarks.paper.floors`.

Scenes and error are those of `paper/agreement.py`, after 40 steps of each length: a cube of 4^3 x 6 tetrahedra that droops,
clamped at a side, and a hung net of springs, 12 x 12. The number of sweeps is large enough that more change rounding only.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks import machine
from benchmarks.paper.agreement import CASES, METHODS, STEPS, error

Array = np.ndarray
CELLS, POISSON = 4, 0.45
STEP_LENGTHS = (1 / 24, 1 / 100, 1 / 192, 1 / 1000)
SCENES = ("gravity", "net")
LABELS = ("gpbd", "gpbd, as published", "gpbd_jacobi", "xpbd", "pbd", "pbng", "newton")
SWEEPS, NEWTON_STEPS = 500, 20


def end(scene: str, step: float, **settings) -> tuple[Array, Array]:
    """Positions at the end and at the start [m], (n, 3) double, as the solver has them; infinite where it blows up."""
    import solver

    world = next(case for case in CASES if case.name == scene).make(CELLS, POISSON)
    fixed = {"fps": 1 / step, "substeps": 1, "global_iterations": 0, "integrator": "bdf1", "threads": 1}
    simulation = solver.Simulation(world, solver.Settings(**fixed | settings))
    n, start = simulation.model.n_vertices, simulation.model.x_start
    try:
        for _ in range(STEPS):
            simulation.advance_frame()
    except solver.UnstableError:
        return np.full(start.shape, np.inf), start
    return simulation.state.x[:n, :3].astype(float), start


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/floors", description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="*", default=list(SCENES), choices=SCENES)
    parser.add_argument("--methods", nargs="*", default=list(LABELS), choices=LABELS, metavar="METHOD")
    parser.add_argument("--sweeps", type=int, default=SWEEPS)
    parser.add_argument("--steps", type=float, nargs="*", default=STEP_LENGTHS, help="lengths of a step [s]")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        rows = []
        for scene in options.scenes:
            exact = {
                step: end(scene, step, method="newton", dtype="float64", iterations=30, tolerance=1e-11)
                for step in options.steps
            }
            for label in options.methods:
                sweeps = NEWTON_STEPS if label == "newton" else options.sweeps
                for dtype in ("float32", "float64"):
                    ends = [end(scene, step, iterations=sweeps, dtype=dtype, **METHODS[label])[0] for step in options.steps]
                    errors = [error(x, *exact[step]) for x, step in zip(ends, options.steps, strict=True)]
                    rows.append([scene, label, dtype, *(f"{number:.0e}" for number in errors)])
                    print("  ".join(rows[-1]), flush=True)
        print(machine.table(["scene", "method", "precision", *(f"1/{1 / step:.0f} s" for step in options.steps)], rows))


if __name__ == "__main__":
    main()
