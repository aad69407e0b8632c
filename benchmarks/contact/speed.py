"""Cost of contact, as a ratio to the same scene without any: `python -m benchmarks.contact.speed [threads] [scene ...]`.

Runs with and without take turns frame by frame, so that both see the same machine. Times are of the process, all threads
together; `--blender` adds Blender's Cloth with self-collision on the scenes of one sheet that starts unstrained.
"""

from __future__ import annotations

import sys
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
FIELDS = (
    "scene",
    "vertices",
    f"ms a frame: {machine.SPREAD}",
    "without contact",
    "ratio",
    "CCD",
    "Blender",
    "contacts",
    "pairs",
    "hits",
)
#: Quality steps of Blender's Cloth.
QUALITY = 10


def measure(name: str, size: dict[str, int], whole: int, warm: int, frames: int, threads: int, blender: bool) -> list[str]:
    """Return one row: milliseconds a frame with and without contact, and the counts of contact."""
    settings = plain_settings(threads=threads, global_iterations=whole)
    scene, _ = SCENES[name](solver, **size)
    with_contact = solver.Simulation(scene, settings)
    ends = machine.Clock(with_contact.contact, "end_substep")
    alone, _ = SCENES[name](solver, **size)
    # Each body alone: nothing to touch, not even itself.
    singles = []
    for body in alone.bodies:
        body.self_contact = False
        singles.append(solver.Simulation(solver.Scene([body], gravity=scene.gravity), settings))
    on, off = machine.Times(), machine.Times()
    for k in range(-warm, frames):
        if k == 0:
            on, off, ends.seconds = machine.Times(), machine.Times(), 0.0
        shown = on.take(with_contact.advance_frame)
        off.take(lambda: [simulation.advance_frame() for simulation in singles])
    processor, without = on.processor, off.processor
    poses = [shown.positions[body.name].astype(float) for body in scene.bodies]
    poses += [np.asarray(c.vertices, float) for c in scene.colliders if isinstance(c, solver.Collider)]
    hits = Intersections(*skins(scene)).count(poses)
    other = "-"
    if blender and len(scene.bodies) == 1 and scene.bodies[0].rest_vertices is None:
        other = machine.spread(blender_times(scene, warm, frames, float(with_contact.model.body_thickness[0])))
    label = name if not whole else f"{name}, global step {whole}"
    counts = [str(shown.report.contacts), str(shown.report.pairs), str(hits)]
    times = [machine.spread(processor), machine.spread(without), f"{sum(processor) / sum(without):.2f}"]
    numbers = [*times, f"{ends.seconds / sum(processor):.1%}", other]
    return [label, str(with_contact.model.n_vertices), *numbers, *counts]


def blender_times(scene: Any, warm: int, frames: int, distance: float) -> list[float]:
    """Times of frames of Blender's Cloth, of the process [s]."""
    from benchmarks.contact.blender import BlenderContact

    cloth, times = BlenderContact(scene, QUALITY, warm + frames, distance), machine.Times()
    for _ in range(warm + frames):
        times.take(cloth.step)
    return times.processor[warm:]


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--blender"]
    blender = "--blender" in sys.argv
    if blender:
        import bpy  # noqa: F401 - before Numba, which then shares Blender's threads, as in the extension
    threads = int(arguments[0]) if arguments else 1
    wanted = arguments[1:] or [row[0] for row in ROWS]
    with machine.measuring():
        print(machine.table(FIELDS, [measure(*row, threads, blender) for row in ROWS if row[0] in wanted]))


if __name__ == "__main__":
    main()
