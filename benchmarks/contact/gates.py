"""What scenes of contact may cost, over all frames: `python -m benchmarks.contact.gates [row ...] [--threads 2]`.

Beside every time stands what must hold: stretch at the end, intersections in frames, counted by ipctk, largest memory. Each
row is a process of its own. Wanted: a time of the row, or so many times what its bodies take alone, with nothing to touch.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from typing import Any

import numpy as np

import solver
from benchmarks import machine
from tests.scenes.contact import SCENES
from tests.scenes.intersections import Intersections, skins
from tests.scenes.plain_settings import plain_settings

#: Scene, its size, settings, frames, every how many of them are looked at for intersections, and what is wanted.
ROWS: dict[str, tuple[str, dict[str, int], dict[str, int], int, int, str]] = {
    "S2": ("drape", {"n": 64}, {"substeps": 6, "iterations": 1, "global_iterations": 4}, 40, 1, "70 ms, 0.06 %"),
    "fold": ("fold", {"n": 128}, {}, 24, 4, "3 times"),
    "large fold": ("fold", {"n": 316}, {"global_iterations": 4}, 8, 8, "8 s, 1.5 GB"),
    "layers": ("layers", {"n": 127}, {"global_iterations": 4}, 24, 8, "6 s"),
}
FIELDS = (
    "row",
    "vertices",
    f"ms a frame: {machine.SPREAD}",
    "of processor",
    "alone",
    "ratio",
    "wanted",
    "mean stretch",
    "largest",
    "hits",
    "clamped",
    "peak GB",
)


def peak() -> float:
    """Largest memory of this process so far [GB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def alone(scene: Any, settings: Any) -> list[Any]:
    """A simulation of each body with nothing to touch, not even itself."""
    for body in scene.bodies:
        body.self_contact = False
    return [solver.Simulation(solver.Scene([body], gravity=scene.gravity), settings) for body in scene.bodies]


def measure(name: str, threads: int, frames: int | None) -> list[str]:
    """The row of the table. The first frame, which may compile, is not timed; memory is that before the last count."""
    kind, size, given, all_frames, every, wanted = ROWS[name]
    settings, make = plain_settings(threads=threads, **given), SCENES[kind]
    scene, _ = make(solver, **size)
    compared = "times" in wanted
    simulation, singles = solver.Simulation(scene, settings), alone(make(solver, **size)[0], settings) if compared else []
    on, off, hits, clamped = machine.Times(), machine.Times(), 0, 0
    search = Intersections(*skins(scene))
    still = [np.asarray(c.vertices, float) for c in scene.colliders if isinstance(c, solver.Collider)]
    count = frames or all_frames
    for k in range(count):
        shown = on.take(simulation.advance_frame)
        off.take(lambda: [single.advance_frame() for single in singles])
        clamped, memory = max(clamped, shown.report.clamped), peak()
        if k % every == every - 1 or k == count - 1:
            hits += search.count([shown.positions[body.name].astype(float) for body in scene.bodies] + still)
    on, off = on.counted(), off.counted()
    ratio = f"{sum(on.processor) / sum(off.processor):.2f}" if compared else "-"
    times, report = [*on.cells(), machine.spread(off.processor if compared else []), ratio, wanted], shown.report
    held = [f"{report.mean_stretch:.3%}", f"{report.max_stretch:.1%}", str(hits), str(clamped)]
    return [name, f"{simulation.model.n_vertices:,}", *times, *held, f"{memory:.2f}"]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="gates", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--frames", type=int, help="of each row; default: all")
    parser.add_argument("--here", action="store_true", help="one row in this process, as JSON")
    options = parser.parse_args(argv)
    if options.here:
        machine.keep_kernels()
        print(json.dumps(measure(options.rows[0], options.threads, options.frames)))
        return
    call, rows = [sys.executable, "-m", "benchmarks.contact.gates", "--here", f"--threads={options.threads}"], []
    call += [] if options.frames is None else [f"--frames={options.frames}"]
    with machine.measuring():
        for row in options.rows or ROWS:
            done = subprocess.run([*call, row], cwd=machine.ROOT, stdout=subprocess.PIPE, check=True, text=True)
            rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(machine.table(FIELDS, rows))


if __name__ == "__main__":
    main()
