"""Cost of a frame's report, as a share of the frame: `python -m benchmarks.report`.

Blocks of rubber, sheets, and a sheet that lies down on a ball, at the qualities; and blocks with one sweep a step and a step
a frame. Shares are of processor time, over all counted frames. The search for intersections is separate, in all of the world
if contact does not act on everything.
"""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks import machine
from tests.scenes import contact, without_contact

#: Kind of scene -> resolutions, frames before the measurement, measured frames.
SCENES = {"block": ((5, 10, 25), 2, 20), "sheet": ((32, 64, 128), 2, 5), "sheet on a ball": ((32, 64), 12, 5)}
QUALITIES = ("draft", "production")
#: Every step of a millisecond is a frame: for blocks.
STEP = "a step of one sweep"
FIELDS = (
    "scene",
    "n",
    "frame",
    f"ms of processor: {machine.SPREAD}",
    "what is measured",
    "report of it",
    "error estimate in it",
    "intersections",
)


def scene_of(kind: str, n: int) -> Any:
    import solver

    if kind == "sheet on a ball":
        return contact.SCENES["drape"](solver, n=n)[0]
    arrays = without_contact.s3f(n) if kind == "block" else without_contact.s1h(n)
    return without_contact.solver_scene(arrays, solver)


def measure(kind: str, n: int, warm: int, quality: str, frames: int, threads: int) -> list[str]:
    """A row of the table."""
    import solver

    if quality == STEP:
        settings = solver.Settings(fps=1000, substeps=1, iterations=1, threads=threads)
    else:
        settings = solver.Settings.quality(quality, threads=threads)
    simulation = solver.Simulation(scene_of(kind, n), settings)
    for _ in range(warm):
        simulation.advance_frame()
    shares, both = [], machine.Times()
    parts = (
        (solver.simulation, "measured"),
        (solver.simulation, "report_of"),
        (simulation.substeps.now.estimate, "errors"),
        (simulation._search, "at_end"),
    )
    for owner, name in parts:
        times, clock = machine.Times(), machine.Clock(owner, name)  # one at a time: each takes time too
        for _ in range(frames):
            times.take(simulation.advance_frame)
        clock.put_back()
        shares.append(f"{clock.seconds / sum(times.processor):.1%}")
        both.processor += times.processor
    return [kind, str(n), quality, machine.spread(both.processor), *shares]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="report", description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", nargs="+", default=list(SCENES), choices=SCENES, metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--n", type=int, nargs="+", help="cells or quads along a side, in place of the scenes' own")
    parser.add_argument("--frames", type=int, help="that count, twice, in place of the scenes' own")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", action="store_true", help="none has a report: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        rows = []
        for kind in options.scenes:
            sizes, warm, frames = SCENES[kind]
            for n in options.n or sizes:
                for quality in (*QUALITIES, STEP) if kind == "block" else QUALITIES:
                    rows.append(measure(kind, n, warm, quality, options.frames or frames, options.threads))
                    print("  ".join(rows[-1]), flush=True)
        print(machine.table(FIELDS, rows))


if __name__ == "__main__":
    main()
