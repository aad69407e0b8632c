"""The paper's Table 4 on the CPU: one sweep of a cube of 25^3 cells by every method, and accuracy for a millisecond.

`python -m benchmarks.paper.table4`. Stable neo-Hookean, 93,750 tetrahedra, nu 0.45, steps of 1 ms, pulled; one thread.
Error: that of `paper/agreement.py` after `STEPS` steps. A second table shows the roofline of one sweep.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks import machine, roofline
from benchmarks.paper import agreement
from benchmarks.paper.cubes import DENSITY, YOUNG
from tests.scenes import meshes

METHODS = {"GPBD Gauss-Seidel": "gpbd", "GPBD Jacobi": "gpbd_jacobi", "VBD": "pbng"}
ENERGY = "stable_neo_hookean"
STEP, STEPS = 1e-3, 10
SPEED = 5.0  # m/s of one end
FIELDS = (
    "method",
    f"ms a sweep: {machine.SPREAD}",
    "ns an element",
    "error, 1 sweep",
    "3",
    "10",
    "ms to error 1e-2",
    "time ratio",
)


def world(cells: int):
    """A cube whose end x = 1 is pulled away at constant speed."""
    import solver

    x, tetrahedra = meshes.cube_of_six(cells)
    held = np.flatnonzero((x[:, 0] < 1e-9) | (x[:, 0] > 1 - 1e-9))
    pull = np.where(x[held, :1] > 0.5, [[SPEED, 0, 0]], 0.0)
    pins = solver.Pins(held, targets=lambda seconds: x[held] + seconds * pull)
    material = solver.Material.solid(DENSITY, YOUNG, 0.45, energy=ENERGY)
    return solver.Scene([solver.SoftBody("cube", x, tetrahedra, material, pins=pins)], gravity=(0, 0, 0))


def sweep_times(scene, method: str, repeats: int) -> list[float]:
    """Times of one sweep, of the thread [s]."""
    import solver
    from solver.device import threads

    settings = solver.Settings(fps=1 / STEP, substeps=1, iterations=1, method=method, threads=1)
    simulation = solver.Simulation(scene, settings)
    simulation.advance_frame()
    threads.set_threads(1)
    sweep = lambda: simulation.substeps.now.method.sweep(simulation.state, 0)
    return machine.seconds(sweep, repeats, time.thread_time)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/table4", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=25)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        scene = world(options.cells)
        body = scene.bodies[0]
        exact = agreement.reference(scene, STEPS, STEP)
        rows, first = [], 0.0
        for label, method in METHODS.items():
            times = sweep_times(scene, method, options.repeats)
            milliseconds = 1e3 * float(np.mean(times))
            first = first or milliseconds
            errors, needed = [], ""
            for sweeps in (1, 3, 10, 30):
                x, _ = agreement.trajectory(scene, STEPS, STEP, method=method, iterations=sweeps, threads=1)
                errors.append(agreement.error(x, exact, body.vertices))
                if not needed and errors[-1] <= 1e-2:
                    needed = f"{sweeps * milliseconds:.0f} ({sweeps} sweeps)"
            each = f"{1e6 * milliseconds / len(body.tetrahedra):.1f}"
            shown = [f"{e:.1e}" for e in errors[:3]]
            rows.append(
                [label, machine.spread(times), each, *shown, needed or "more than 30 sweeps", f"{milliseconds / first:.2f}"]
            )
            print("  ".join(rows[-1]), flush=True)
        print(machine.table(FIELDS, rows))
        peak, wide = roofline.peak_flops(), roofline.bandwidth()
        count, size = roofline.flops(ENERGY), roofline.streamed_bytes(ENERGY)
        print(
            f"One local solve: {count} flops, {size} bytes. One thread here: {peak / 1e9:.0f} Gflop/s, "
            f"{wide / 1e9:.0f} GB/s, so at least {1e9 * count / peak:.1f} ns by flops and "
            f"{1e9 * size / wide:.1f} ns by bytes."
        )


if __name__ == "__main__":
    main()
