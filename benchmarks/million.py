"""A sheet of a million vertices: seconds to build it, seconds a frame, memory: `python -m benchmarks.million`.

Hung by a side, fabric with bending, eight substeps of one sweep; `--global-iterations 4` adds the global step. Nothing is
compared with: wanted are 30 s for building, 3 GB, and finite numbers.
"""

from __future__ import annotations

import argparse
import resource
import sys

from benchmarks import machine
from tests.scenes import without_contact

FIELDS = (
    "vertices",
    "global step",
    "build s",
    "of processor",
    f"s a frame: {machine.SPREAD}",
    "of processor",
    "mean stretch",
    "peak GB",
)


def peak() -> float:
    """Largest memory of this process so far [GB]."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


def measure(options: argparse.Namespace) -> list[str]:
    """The row of the table."""
    import solver

    settings = solver.Settings(
        substeps=8, iterations=1, global_iterations=options.global_iterations, threads=options.threads, integrator="bdf1"
    )
    solver.Simulation(without_contact.solver_scene(without_contact.s1h(8), solver), settings).advance_frame()  # compiles
    arrays, build, frames = without_contact.s1h(options.n), machine.Times(), machine.Times()
    simulation = build.take(lambda: solver.Simulation(without_contact.solver_scene(arrays, solver), settings))
    for _ in range(options.frames):
        frame = frames.take(simulation.advance_frame)
    mean, _ = without_contact.stretch(frame.positions["sheet"].astype(float), arrays)
    building = [machine.figures(sum(times)) for times in (build.wall, build.processor)]
    times_of_frame = [machine.spread(times, 1.0) for times in (frames.wall, frames.processor)]
    return [
        f"{len(arrays.start):,}",
        str(options.global_iterations),
        *building,
        *times_of_frame,
        f"{mean:.3%}",
        f"{peak():.2f}",
    ]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="million", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=999, help="quads along a side")
    parser.add_argument("--frames", type=int, default=2)
    parser.add_argument("--global-iterations", type=int, default=0, help="iterations of the global step")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", action="store_true", help="none builds it in this time: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        print(machine.table(FIELDS, [measure(options)]))


if __name__ == "__main__":
    main()
