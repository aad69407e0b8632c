"""A step on a GPU beside the CPU, with quality: `python3 dev.py bench device`, on a GPU `-- --device cuda`.

Without a GPU launches and bytes are counted, and the time is what these take at least: `benchmarks.device` says so in its
table. A launch reads the numbers of its elements and the vertices at their corners; what it writes is not counted.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import solver
from benchmarks import machine
from solver.device.cuda.device import Recorder
from tests.scenes import without_contact

#: Copy bandwidth of an H200 [B/s], measured; a launch in a stream, and in a captured graph [s].
BANDWIDTH, LAUNCH, IN_GRAPH = 4.3e12, 2.5e-6, 1.3e-6
#: Of a method, where *Keep Length* goes before the sweeps.
KEEPS = " + global step"
#: Scene, cells along a side, and settings.
ROWS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("S3", 25, {"method": "gpbd_jacobi", "iterations": 1}),
    ("S3", 25, {"method": "gpbd", "iterations": 1}),
    ("S3", 25, {"method": "pbng", "iterations": 1}),
    ("S1", 128, {"method": "gpbd_jacobi", "iterations": 10, "substeps": 8}),
    ("S1", 128, {"method": "gpbd", "iterations": 10, "substeps": 8}),
    ("S1", 128, {"method": "gpbd", "iterations": 1, "substeps": 8, "global_iterations": 4}),
)


def simulation(scene: str, n: int, settings: dict[str, Any], device: str) -> Any:
    """Of a scene of `tests/scenes/without_contact.py`."""
    arrays = without_contact.SCENES[scene](n)
    chosen = {"fps": 1 / arrays.step, "substeps": 1, "global_iterations": 0, "threads": 1} | settings
    return solver.Simulation(without_contact.solver_scene(arrays, solver), solver.Settings(device=device, **chosen))


def counted(scene: str, n: int, settings: dict[str, Any]) -> tuple[int, int]:
    """Launches of a frame, and the bytes that they read."""
    made = simulation(scene, n, settings, "cuda-serial")
    recorder = made._on_device.device = Recorder()
    made.advance_frame()
    return recorder.counters.launches, recorder.read


def timed(scene: str, n: int, settings: dict[str, Any], device: str, frames: int = 4) -> tuple[float, Any]:
    """Median processor time of a frame on the CPU, time on another device [s]; and the last report."""
    made, clock = simulation(scene, n, settings, device), time.process_time if device == "cpu" else time.perf_counter
    made.advance_frame()
    taken = []
    for _ in range(frames):
        began = clock()
        report = made.advance_frame().report
        taken.append(clock() - began)
    return sorted(taken)[frames // 2], report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="", help="time this one too: cuda, cuda:1")
    options = parser.parse_args()
    print(machine.describe())
    head = ["scene", "method", "launches", "MB read", "of bandwidth [us]", "with launches [us]", "in a graph [us]"]
    print(
        " | ".join(
            [
                *head,
                "CPU, a core, with its report [ms]",
                "error [m]",
                *([options.device + " [ms]"] if options.device else []),
            ]
        )
    )
    for scene, n, settings in ROWS:
        launches, read = counted(scene, n, settings)
        at_least = read / BANDWIDTH
        core, report = timed(scene, n, settings, "cpu")
        times = [1e6 * value for value in (at_least, at_least + launches * LAUNCH, at_least + launches * IN_GRAPH)]
        method = f"{settings['method']} {settings['iterations']}{KEEPS if 'global_iterations' in settings else ''}"
        row = [f"{scene} {n}", method, str(launches), f"{read / 1e6:.1f}"]
        row += [*(f"{value:.0f}" for value in times), f"{1e3 * core:.1f}", f"{report.error:.1e}"]
        if options.device:
            row.append(f"{1e3 * timed(scene, n, settings, options.device)[0]:.2f}")
        print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
