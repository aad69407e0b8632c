"""Error against backward Euler, for iterations and for milliseconds, of every method: `python -m benchmarks.methods`.

Three bodies: a net of springs and a sheet of fabric, both hung by a side, and a rubber block clamped at one end, falling for
an eighth of a second in the same steps. Error: distance from the reference at the end, over how far the reference has
moved, both as root mean squares over vertices. Reference: Newton in double precision to a residual of 1e-8, or, where the
solver has none, 400 sweeps of GPBD; those of solids converge to backward Euler, those of sheets stop some 1e-3 short of it.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks import machine, scenes

Array = np.ndarray

ITERATIONS = (1, 3, 10, 30, 100)
#: Errors for which a second table says what reaching them takes.
GOALS = (1e-1, 1e-2, 1e-3)
#: Frames of 1/48 s, and substeps of a frame.
FRAMES, SUBSTEPS = 6, 4
NET = {"stiffness": 500.0, "damping": 0.0}
SWEEPS_OF_REFERENCE = 400


def bodies(n: int | None) -> dict[str, tuple[scenes.SceneArrays, Any]]:
    """Name -> arrays and material. n: cells along a side of the sheets, a third of it of the block; default 24."""
    from solver import Material

    n = n or 24
    net = Material("net", "fabric", scenes.FABRIC["density"], {"spring": NET})
    return {
        "net": (scenes.s1h(n), net),
        "sheet": (scenes.s1h(n), None),
        "block": (scenes.s3f(max(n // 3, 2)), None),
    }


def simulation(body: tuple[scenes.SceneArrays, Any], **settings: Any) -> Any:
    import solver

    settings = {"fps": 48.0, "substeps": SUBSTEPS, "threads": 1} | settings
    return solver.Simulation(scenes.solver_scene(body[0], solver, body[1]), solver.Settings(**settings))


def run(simulation: Any) -> tuple[Array, float]:
    """Positions at the end [m], and milliseconds of the thread a substep."""
    simulation.advance_frame()  # not timed: some methods prepare themselves in it
    began = time.thread_time()
    for _ in range(FRAMES - 1):
        simulation.advance_frame()
    milliseconds = 1e3 * (time.thread_time() - began) / ((FRAMES - 1) * SUBSTEPS)
    n = simulation.model.n_vertices
    return simulation.state.x[:n, :3].astype(float), milliseconds


def reference(body: tuple[scenes.SceneArrays, Any]) -> Array:
    from solver.method_choices import METHODS

    if "newton" in METHODS:
        return run(simulation(body, method="newton", dtype="float64", iterations=100, tolerance=1e-8))[0]
    return run(simulation(body, dtype="float64", iterations=SWEEPS_OF_REFERENCE))[0]


def measured(body: tuple[scenes.SceneArrays, Any], method: str, counts: list[int], goal: Array) -> list[tuple[float, float]]:
    """Error and milliseconds a substep, for each number of iterations; infinite error where it blows up."""
    from solver import UnstableError

    moved = np.linalg.norm(goal - simulation(body).model.x_start)
    simulation(body, method=method, iterations=1).advance_frame()  # compiles
    found = []
    for count in counts:
        try:
            x, milliseconds = run(simulation(body, method=method, iterations=count))
            found.append((float(np.linalg.norm(x - goal) / moved), milliseconds))
        except UnstableError:
            found.append((np.inf, np.nan))
    return found


def cell(pair: tuple[float, float]) -> str:
    return "unstable" if np.isinf(pair[0]) else f"{pair[0]:.1e}, {pair[1]:.2f} ms"


def cheapest(pairs: list[tuple[float, float]], counts: list[int], goal: float) -> str:
    """The least time that reaches an error."""
    reached = [(milliseconds, count) for (error, milliseconds), count in zip(pairs, counts, strict=True) if error <= goal]
    return "-" if not reached else "{:.2f} ms, {} it.".format(*min(reached))


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="methods", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, help="cells along a side of the sheets, three times those of the block; default 24")
    parser.add_argument("--iterations", type=int, nargs="+", default=list(ITERATIONS))
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    machine.keep_kernels()
    from solver import SceneError
    from solver.method_choices import METHODS

    print(machine.describe())
    errors, costs = [], []
    for name, body in bodies(options.n).items():
        goal = reference(body)
        for method in METHODS:
            try:
                pairs = measured(body, method, options.iterations, goal)
            except SceneError as error:
                print(f"{name}, {method}: {error}")
                continue
            errors.append([name, method, *map(cell, pairs)])
            costs.append([name, method, *(cheapest(pairs, options.iterations, limit) for limit in GOALS)])
    print(machine.table(["body", "method", *(f"{count} iterations" for count in options.iterations)], errors))
    print("error after 1/8 s, and milliseconds of one thread a substep of 1/192 s, single precision.\n")
    print(machine.table(["body", "method", *(f"error below {limit:g}" for limit in GOALS)], costs))
    print(f"milliseconds a substep, and iterations, that reach it. Load average at the end {machine.load()}.")


if __name__ == "__main__":
    main()
