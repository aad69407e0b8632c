"""Cost of contact, as a ratio to the same scene without any: `python -m benchmarks.contact.speed [threads] [scene ...]`.

Runs with and without take turns frame by frame, so that both see the same machine. Times are of the process, all threads
together; `--blender` adds Blender's Cloth with self-collision on the scenes of one sheet that starts unstrained.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import solver
from benchmarks import machine
from tests.scenes.contact import SCENES
from tests.scenes.intersections import Intersections, skins
from tests.scenes.plain_settings import plain_settings

#: Scene, size, iterations of the global step, frames before and while it is timed.
ROWS = [
    ("flat", {"n": 128}, 0, 5, 4),
    ("drape", {"n": 64}, 0, 16, 8),
    ("drape", {"n": 64}, 8, 16, 8),
    ("fold", {"n": 64}, 0, 10, 4),
    ("fold", {"n": 128}, 0, 10, 4),
    ("two", {"n": 96}, 4, 16, 4),
    ("pile", {"n": 24, "count": 8}, 0, 20, 4),
]
FIELDS = ("scene", "vertices", "ms a frame", "without", "ratio", "CCD", "Blender", "contacts", "pairs", "hits")
#: Quality steps of Blender's Cloth.
QUALITY = 10


class Clock:
    """Time of the process that a method takes [s]."""

    def __init__(self, owner: Any, name: str) -> None:
        self.seconds, self._method = 0.0, getattr(owner, name)
        setattr(owner, name, self)

    def __call__(self, *arguments: Any) -> Any:
        began = time.process_time()
        result = self._method(*arguments)
        self.seconds += time.process_time() - began
        return result


def measure(name: str, size: dict[str, int], whole: int, warm: int, frames: int, threads: int, blender: bool) -> list[str]:
    """One row: median milliseconds a frame with and without contact, and what there was to do."""
    settings = plain_settings(threads=threads, global_iterations=whole)
    scene, _ = SCENES[name](solver, **size)
    with_contact = solver.Simulation(scene, settings)
    ends = Clock(with_contact.contact, "end_substep")
    alone, _ = SCENES[name](solver, **size)
    # Each body alone: nothing to touch, not even itself.
    singles = []
    for body in alone.bodies:
        body.self_contact = False
        singles.append(solver.Simulation(solver.Scene([body], gravity=scene.gravity), settings))
    times = np.zeros((frames, 3))
    for k in range(-warm, frames):
        ends.seconds = 0.0
        for column, simulations in enumerate(([with_contact], singles)):
            began = time.process_time()
            for simulation in simulations:
                frame = simulation.advance_frame()
                if column == 0:
                    shown = frame
            if k >= 0:
                times[k, column] = time.process_time() - began
        if k >= 0:
            times[k, 2] = ends.seconds / times[k, 0]
    on, off, share = np.median(times, axis=0)
    poses = [shown.positions[body.name].astype(float) for body in scene.bodies]
    poses += [np.asarray(c.vertices, float) for c in scene.colliders if isinstance(c, solver.Collider)]
    hits = Intersections(*skins(scene)).count(poses)
    other = "-"
    if blender and len(scene.bodies) == 1 and scene.bodies[0].rest_vertices is None:
        other = f"{1e3 * blender_time(scene, warm, frames, float(with_contact.model.body_thickness[0])):.0f}"
    label = name if not whole else f"{name}, global step {whole}"
    counts = [str(shown.report.contacts), str(shown.report.pairs), str(hits)]
    numbers = [f"{1e3 * on:.0f}", f"{1e3 * off:.0f}", f"{on / off:.2f}", f"{share:.1%}", other]
    return [label, str(with_contact.model.n_vertices), *numbers, *counts]


def blender_time(scene: Any, warm: int, frames: int, distance: float) -> float:
    """Median time of a frame of Blender's Cloth, of the process [s]."""
    from benchmarks.contact.blender import BlenderContact

    cloth = BlenderContact(scene, QUALITY, warm + frames, distance)
    times = []
    for _ in range(warm + frames):
        began = time.process_time()
        cloth.step()
        times.append(time.process_time() - began)
    return float(np.median(times[warm:]))


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--blender"]
    blender = "--blender" in sys.argv
    if blender:
        import bpy  # noqa: F401 - before Numba, which then shares Blender's threads, as in the extension
    machine.keep_kernels()
    threads = int(arguments[0]) if arguments else 1
    wanted = arguments[1:] or [row[0] for row in ROWS]
    rows = [measure(*row, threads, blender) for row in ROWS if row[0] in wanted]
    print(machine.describe())
    print(machine.table(FIELDS, rows))
    print(f"Load average at the end {machine.load()}.")


if __name__ == "__main__":
    main()
