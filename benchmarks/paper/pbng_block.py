"""A block stretched and twisted without inertia: residual against sweeps for plain, over-relaxed and Chebyshev PBNG.

`python -m benchmarks.paper.pbng_block [--cells 31] [--sweeps 10 20 40 80]`. 31 cells a side are 32,768 vertices and 148,955
tetrahedra, 63 are 262,144 and 1,250,235: the blocks of Chen, Han, Chen, Teran 2023, "Position-Based Nonlinear Gauss-Seidel
for Quasistatic Hyperelasticity", section 10.1, with E = 1e5 Pa and Poisson's ratio 0.3, stable neo-Hookean. Both ends are
clamped; they go apart by a share of the length and turn against each other in so many frames, of which the first is solved
for rest: as in the paper's figure 9. With `--even` all is done in one frame, and the inside starts stretched and twisted
evenly: its residual starts low, and is left in long waves. Newton's method is the row to compare with; its sweeps are Newton
steps.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import meshes

Array = np.ndarray
#: Name of a row and the settings that make it.
WAYS: dict[str, dict[str, Any]] = {
    "plain": {"method": "pbng"},
    "SOR 1.7": {"method": "pbng", "relaxation": 1.7},
    "SOR 1.85": {"method": "pbng", "relaxation": 1.85},
    "Chebyshev 0.90": {"method": "pbng", "chebyshev": 0.90},
    "Chebyshev 0.97": {"method": "pbng", "chebyshev": 0.97},
}


def block(cells: int, stretch: float, turn: float, even: bool, energy: str) -> Any:
    """A scene: the block at rest, or evenly stretched and twisted, with the ends pinned where they have moved to.

    stretch: share of the length that the ends go apart. turn: degrees of each end.
    """
    import solver

    rest, tetrahedra = meshes.cube_of_five(cells)
    along, y, z = (rest - 0.5).T
    angle = 2 * np.radians(turn) * along
    turned = np.cos(angle) * y - np.sin(angle) * z, np.sin(angle) * y + np.cos(angle) * z
    moved = 0.5 + np.stack([(1 + stretch) * along, *turned], 1)
    ends = np.flatnonzero(np.abs(along) > 0.5 - 1e-9)
    start = moved if even else rest
    pins = solver.Pins(ends, targets=np.stack([start[ends], moved[ends]]))
    material = solver.Material.solid(10.0, 1e5, 0.3, energy)
    body = solver.SoftBody("block", start, tetrahedra, material, pins=pins, rest_vertices=rest)
    return solver.Scene([body], gravity=(0, 0, 0))


def curve(scene: Any, sweeps: list[int], threads: int | None, **settings: Any) -> tuple[list[str], list[float], float, Any]:
    """Return the residual over that at the start after each number of sweeps, seconds a sweep, seconds to set up; and the
    simulation."""
    import solver
    from solver.report.residual import force_at, residual_scale

    began = time.perf_counter()
    # A frame of one sweep takes in the pins; further sweeps continue from there.
    chosen = solver.Settings(fps=1, substeps=1, iterations=1, quasi_static=True, threads=threads, **settings)
    sim = solver.Simulation(scene, chosen)
    setup = time.perf_counter() - began
    sim.advance_frame()
    residuals, times, done = [], [], 1
    for goal in sweeps:
        for _ in range(done, goal):
            began = time.perf_counter()
            sim.substeps.now.method.sweep(sim.state, done)
            times.append(time.perf_counter() - began)
        done = max(done, goal)
        scale = residual_scale(sim.model, sim.state)
        remaining, _ = force_at(sim.model, sim.state, sim.state.x, sim.state.correction)
        nowhere = np.zeros(sim.model.n_vertices, bool)
        residuals.append(f"{scale.relative(remaining, scale.at_prediction, nowhere):.1e}")
    return residuals, times, setup, sim


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="pbng_block", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=31, help="cells along a side; 63 is the paper's larger block")
    parser.add_argument("--sweeps", type=int, nargs="+", default=[10, 20, 40, 80], help="where to look at the residual")
    parser.add_argument("--stretch", type=float, default=0.5, help="share of the length that the ends go apart")
    parser.add_argument("--turn", type=float, default=45.0, help="degrees that each end turns")
    parser.add_argument("--frames", type=int, default=20, help="in which the ends get there; the first is measured")
    parser.add_argument("--even", action="store_true", help="all in one frame, from an even pose")
    parser.add_argument("--energy", default="stable_neo_hookean")
    parser.add_argument(
        "--newton", type=int, default=0, help="Newton steps to add a row for (float64; slow on large blocks)"
    )
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        share = 1.0 if options.even else 1.0 / options.frames
        scene = block(options.cells, share * options.stretch, share * options.turn, options.even, options.energy)
        body = scene.bodies[0]
        print(f"{len(body.vertices)} vertices, {len(body.tetrahedra)} tetrahedra, {options.energy}")
        rows, memory = [], 0
        for name, settings in WAYS.items():
            residuals, times, setup, sim = curve(scene, options.sweeps, options.threads, **settings)
            nanoseconds = f"{1e9 * float(np.mean(times)) / len(body.tetrahedra):.0f}"
            rows.append([name, *residuals, machine.spread(times), nanoseconds, f"{setup:.1f}"])
            method = sim.substeps.now.method
            memory = sum(array.nbytes for incident in method.incident for array in vars(incident).values())
        if options.newton:
            steps = [min(options.newton, 1 + k) for k in range(len(options.sweeps))]
            residuals, times, setup, sim = curve(scene, steps, options.threads, method="newton", dtype="float64")
            label = f"Newton, steps {', '.join(map(str, steps))}"
            rows.append(
                [label, *residuals, machine.spread(times), f"{sim.substeps.now.method.products} products", f"{setup:.1f}"]
            )
        header = [
            "way",
            *(f"after {k}" for k in options.sweeps),
            f"ms a sweep: {machine.SPREAD}",
            "ns an element",
            "setup s",
        ]
        print(machine.table(header, rows))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        print(
            f"after k: residual after k sweeps over that of the start. The rows take {memory / 2**20:.0f} MiB; the whole "
            f"process took {peak / 2**20:.0f} MiB at most."
        )


if __name__ == "__main__":
    main()
