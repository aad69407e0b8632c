"""Cost of contact, as a ratio to the same scene without any: `python -m benchmarks.contact.speed [threads] [scene ...]`.

Runs with and without take turns frame by frame, so that both see the same machine.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import solver
from benchmarks import machine
from benchmarks.contact.scenes import SCENES

#: Scene, size, frames before and while it is timed.
ROWS = [
    ("flat", {"n": 128}, 5, 4),
    ("drape", {"n": 64}, 16, 8),
    ("fold", {"n": 128}, 10, 4),
    ("two", {"n": 96}, 16, 4),
    ("pile", {"n": 24, "count": 8}, 20, 4),
]


def measure(name: str, size: dict[str, int], warm: int, frames: int, settings: Any) -> list[str]:
    """One row: median milliseconds a frame with and without contact, and what there was to do."""
    scene, _ = SCENES[name](solver, **size)
    with_contact = solver.Simulation(scene, settings)
    alone, _ = SCENES[name](solver, **size)
    alone.colliders = []
    # Each body alone: nothing to touch, not even itself.
    singles = []
    for body in alone.bodies:
        body.self_contact = False
        singles.append(solver.Simulation(solver.Scene([body], gravity=scene.gravity), settings))
    times = np.zeros((frames, 2))
    for k in range(-warm, frames):
        for column, simulations in enumerate(([with_contact], singles)):
            began = time.perf_counter()
            for simulation in simulations:
                report = simulation.advance_frame().report
                if column == 0:
                    shown = report
            if k >= 0:
                times[k, column] = 1e3 * (time.perf_counter() - began)
    on, off = np.median(times, axis=0)
    vertices = with_contact.model.n_vertices
    return [name, str(vertices), f"{on:.0f}", f"{off:.0f}", f"{on / off:.2f}", str(shown.contacts), str(shown.pairs)]


def main() -> None:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rows = []
    for name, size, warm, frames in ROWS:
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            settings = solver.Settings(threads=threads, global_iterations=8 if name == "drape" else 0)
            rows.append(measure(name, size, warm, frames, settings))
    print(machine.table(["scene", "vertices", "ms a frame", "without contact", "ratio", "contacts", "pairs"], rows))


if __name__ == "__main__":
    main()
