"""The gates, bounds on the cost of scenes: `python3 dev.py bench gates`; one row: `python3 -m benchmarks.gates drape`.

Each row is a process of its own, and ends after its frames or after a third of a minute; all take less than five minutes.
Beside the times of a frame are its quality: solver error (median of the frames), stretch at the end, intersections, counted
by ipctk, and inverted elements; and its work: linear systems and searches a frame. Ratios are of mean times to Blender's
Cloth of quality 5 and 10 over the same frames, in the same process; it takes all cores. Longer rows run only by name.
`tests/gates` bounds the work of smaller scenes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import solver
from benchmarks import machine
from solver.device import ahead
from solver.scene.features import features
from tests.scenes import contact, many_bodies, rope_scenes, without_contact
from tests.scenes.intersections import Intersections, is_mesh, skins
from tests.scenes.materials import spring_material
from tests.scenes.meshes import ball, sheet
from tests.scenes.plain_settings import plain_settings

#: Seconds of our frames after which a row ends.
BUDGET = 20.0
#: Frames of a simulation before the measurement, which compiles the kernels, and seconds after which it ends.
WARM_FRAMES, WARM_SECONDS = 8, 3.0
BLENDER = (5, 10)
FIELDS = (
    "row",
    "vertices",
    "frames",
    f"ms a frame: {machine.SPREAD}",
    "of processor",
    "Blender q5, q10",
    "ratio",
    "ratio of processor",
    "wanted",
    "error [mm]",
    "mean stretch",
    "largest",
    "hits",
    "inverted",
    "systems",
    "searches",
    "peak GB",
)


@dataclass(frozen=True)
class Case:
    """scene, settings: ours. blender: given a quality, frames and the distance that the sheet keeps [m], Blender's sheet.
    arrays: of a block, whose inverted elements are counted."""

    scene: Any
    settings: solver.Settings
    blender: Callable[[int, int, float], Any] | None = None
    arrays: without_contact.SceneArrays | None = None


@dataclass(frozen=True)
class Row:
    """One row. make: scene to measure. frames: at most. wanted: bound on time, in words. threads: a line for each. every:
    frames from one count of intersections to the next."""

    make: Callable[[], Case]
    frames: int
    wanted: str = "-"
    threads: Sequence[int] = (1,)
    every: int = 1


def draped(scene: Any, settings: solver.Settings) -> Case:
    """A scene of one sheet that starts as it is at rest."""

    def blender(quality: int, frames: int, distance: float) -> Any:
        from benchmarks.contact.blender import BlenderContact

        return BlenderContact(scene, quality, frames, distance)

    return Case(scene, settings, blender)


def hung(n: int) -> Case:
    """A sheet of n x n springs hangs by two corners."""
    arrays = without_contact.s1(n)

    def blender(quality: int, frames: int, distance: float) -> Any:
        from benchmarks.cloth import BlenderCloth

        return BlenderCloth(arrays, quality, frames)

    scene = without_contact.solver_scene(arrays, solver, spring_material(solver))
    return Case(scene, solver.Settings.quality("draft", substeps=8, iterations=1), blender)


def first_cloth() -> Case:
    """The README's: cotton of 2 m falls from 1 m on a sphere of 0.6 m, at *Draft*."""
    x, t = sheet(60, 2.0, (0, 0, 1))
    v, u = ball(3, 0.6)
    cloth = solver.Cloth("cloth", x, t, solver.load_material("cotton"), uv=x[:, :2], self_contact=True)
    scene = solver.Scene([cloth], [solver.Collider("sphere", v, u, thickness=0.02)])
    return draped(scene, solver.Settings.quality("draft"))


def solid(arrays: without_contact.SceneArrays, **settings: Any) -> Case:
    """A block of rubber; every step is a frame."""
    chosen = solver.Settings(fps=1 / arrays.step, substeps=1, integrator="bdf1", **settings)
    return Case(without_contact.solver_scene(arrays, solver), chosen, arrays=arrays)


def many(name: str) -> Case:
    """Many bodies that touch, at *Draft*."""
    return Case(many_bodies.SCENES[name](solver)[0], solver.Settings.quality("draft"))


def touching(name: str, **size: int) -> Case:
    """A scene of `tests/scenes/contact.py`, by sweeps of first order and the global step."""
    return Case(contact.SCENES[name](solver, **size)[0], plain_settings(global_iterations=4))


def rope(scene: Any) -> Case:
    """Ropes, at *Draft*."""
    return Case(scene, solver.Settings.quality("draft"))


def drape(settings: solver.Settings, n: int = 64) -> Case:
    """S2: a sheet of n x n falls on a ball."""
    return draped(contact.drape(solver, n)[0], settings)


def live(n: int) -> Case:
    """The same at the quality for playing live."""
    return drape(solver.Settings.quality("interactive"), n)


ROWS: dict[str, Row] = {
    "drape": Row(lambda: drape(solver.Settings(substeps=6, iterations=1)), 40, "60 ms, .4 of q10", (2,)),
    "drape, Draft": Row(lambda: drape(solver.Settings.quality("draft")), 16, "1/3 of Production", (2,)),
    "drape, Production": Row(lambda: drape(solver.Settings.quality("production")), 16, threads=(2,)),
    "first cloth, Draft": Row(first_cloth, 24, "80 ms", (2,)),
    "live 32": Row(lambda: live(32), 40, "42 ms", (2,)),
    "live 64": Row(lambda: live(64), 40, "42 ms", (2,)),
    "live 128": Row(lambda: live(128), 40, "125 ms", (2,)),
    "hanging 64": Row(lambda: hung(64), 24, threads=(1, 2)),
    "hanging 128": Row(lambda: hung(128), 12, "180 ms; on two 110", (1, 2)),
    "S3 25^3, 2 sweeps": Row(lambda: solid(without_contact.s3(25), iterations=2), 100, "11 ms"),
    "S3F 10^3, 8 sweeps": Row(lambda: solid(without_contact.s3f(10), iterations=8), 96, "1 ms"),
    "S4 31^3, GPBD 3 + 4": Row(lambda: solid(without_contact.s4(31), iterations=3, global_iterations=4), 30),
    "S4 31^3, PBNG 5": Row(lambda: solid(without_contact.s4(31), iterations=5, method="pbng"), 30, "43 ms"),
    "64 soft dominoes": Row(lambda: many("soft_dominoes"), 16, "30 ms"),
    "100 stiff cards": Row(lambda: many("deck"), 16, "800 ms"),
    "30 balls in a bag": Row(lambda: many("bag"), 16, "500 ms"),
    "rope 1000": Row(lambda: rope(rope_scenes.hung(solver, 1000)), 48, "3 ms", (2,)),
    "coil 10000": Row(lambda: rope(rope_scenes.poured(solver, 50, 0.3)), 16, "150 ms", (2,)),
}
#: Rows of minutes.
LONG: dict[str, Row] = {
    "fold 128": Row(lambda: touching("fold", n=128), 24, every=4),
    "fold 316": Row(lambda: touching("fold", n=316), 8, "8 s, 1.5 GB", (2,), 8),
    "four layers 157": Row(lambda: touching("layers", n=157, count=4), 24, "8 s", (2,), 8),
    "five layers 127": Row(lambda: touching("layers", n=127), 24, "8 s", (2,), 8),
}


def peak() -> float:
    """Largest memory of this process so far [GB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


@dataclass
class Measured:
    """times: without the first frame. memory: before the last count of intersections [GB]."""

    vertices: int
    distance: float
    frames: int = 0
    times: machine.Times = field(default_factory=machine.Times)
    reports: list[Any] = field(default_factory=list)
    hits: int | None = None
    inverted: int | None = None
    memory: float = 0.0


def ours(case: Case, row: Row, threads: int, frames: int, budget: float) -> Measured:
    """Frames until there are enough, or the budget is spent [s]."""
    simulation = solver.Simulation(case.scene, replace(case.settings, threads=threads))
    measured = Measured(simulation.model.n_vertices, float(simulation.model.body_thickness[0]))
    touch = simulation.contact is not None and not any(isinstance(body, solver.Rope) for body in case.scene.bodies)
    search = Intersections(*skins(case.scene)) if touch else None
    still = [np.asarray(c.vertices, float) for c in case.scene.colliders if isinstance(c, solver.Collider)]
    while measured.frames < frames and (measured.frames < 2 or sum(measured.times.wall[1:]) < budget):
        frame = measured.times.take(simulation.advance_frame)
        measured.frames += 1
        measured.reports.append(frame.report)
        measured.memory = peak()
        if search is not None and (measured.frames % row.every == 0 or measured.frames == frames):
            poses = [(frame.surfaces if is_mesh(b) else frame.positions)[b.name].astype(float) for b in case.scene.bodies]
            measured.hits = max(measured.hits or 0, search.count([*poses, *still]))
    measured.times = measured.times.counted()
    if case.arrays is not None:
        from benchmarks.block_quality import Block

        measured.inverted = Block(case.arrays).inverted(frame.positions["block"].astype(float))
    return measured


def load_kernels(case: Case, frames: int) -> None:
    """Compile and load the kernels of a scene by a discarded simulation. frames: at most."""
    settings = replace(case.settings, threads=1)
    ahead.start(features(case.scene, settings)).wait()
    simulation, began = solver.Simulation(case.scene, settings), time.perf_counter()
    for _ in range(min(frames, WARM_FRAMES)):
        simulation.advance_frame()
        if time.perf_counter() - began > WARM_SECONDS:
            return


def blenders(case: Case, found: Measured) -> list[machine.Times]:
    """Return the times of Blender's Cloth at each quality, over the same frames."""
    if case.blender is None or importlib.util.find_spec("bpy") is None:
        return []
    all_times = []
    for quality in BLENDER:
        cloth, times = case.blender(quality, found.frames, found.distance), machine.Times()
        for _ in range(found.frames):
            times.take(cloth.step)
        all_times.append(times.counted())
    return all_times


def cells(label: str, row: Row, found: Measured, others: list[machine.Times]) -> list[str]:
    """The line of the table."""
    last, work = found.reports[-1], [report.work for report in found.reports]
    wall, processor = (statistics.fmean(times) for times in (found.times.wall, found.times.processor))
    of_blender = [(statistics.fmean(times.wall), statistics.fmean(times.processor)) for times in others]
    return [
        label,
        f"{found.vertices:,}",
        f"{found.frames} of {row.frames}",
        *found.times.cells(),
        ", ".join(machine.figures(1e3 * other) for other, _ in of_blender) or "-",
        ", ".join(f"{wall / other:.2f}" for other, _ in of_blender) or "-",
        ", ".join(f"{processor / other:.2f}" for _, other in of_blender) or "-",
        row.wanted,
        machine.figures(1e3 * statistics.median(report.error for report in found.reports)),
        f"{last.mean_stretch:.3%}",
        f"{last.max_stretch:.1%}",
        "-" if found.hits is None else str(found.hits),
        "-" if found.inverted is None else str(found.inverted),
        machine.figures(statistics.fmean(one.linear_systems for one in work)),
        machine.figures(statistics.fmean(one.searches + one.partial_searches for one in work)),
        f"{found.memory:.2f}",
    ]


def measure(name: str, frames: int | None, budget: float) -> list[list[str]]:
    """The lines of a row, of which one has Blender's times."""
    row = (ROWS | LONG)[name]
    case = row.make()
    load_kernels(case, frames or row.frames)
    all_found = [ours(case, row, threads, frames or row.frames, budget) for threads in row.threads]
    others = blenders(case, all_found[0])  # after ours, whose process has no Blender in it, as in the extension
    labels = [name + (f", {threads} threads" if threads > 1 else "") for threads in row.threads]
    return [cells(label, row, found, others) for label, found in zip(labels, all_found, strict=True)]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="gates", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(ROWS)}; only if named: {', '.join(LONG)}")
    parser.add_argument("--frames", type=int, help="of each row; default: all")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of our frames after which a row ends")
    parser.add_argument("--here", action="store_true", help="one row in this process, as JSON")
    options = parser.parse_args(argv)
    if options.here:
        machine.keep_kernels()
        print(json.dumps(measure(options.rows[0], options.frames, options.budget)))
        return
    call = [sys.executable, "-m", "benchmarks.gates", "--here", f"--budget={options.budget}"]
    call += [] if options.frames is None else [f"--frames={options.frames}"]
    with machine.measuring():
        began, lines = time.perf_counter(), []
        for row in options.rows or ROWS:
            done = subprocess.run([*call, row], cwd=machine.ROOT, stdout=subprocess.PIPE, check=True, text=True)
            lines += json.loads(done.stdout.splitlines()[-1])
        print(machine.table(FIELDS, lines))
        print(f"Systems, searches: a frame. {time.perf_counter() - began:.0f} s for all rows.")


if __name__ == "__main__":
    main()
