"""A frame on a GPU beside the CPU, with quality: `python3 dev.py bench device`, on a GPU `-- --device cuda`.

Without a GPU launches and bytes are counted, and the time is estimated from them: the table's columns say which is which. A
launch reads the numbers of its elements and the vertices at their corners; writes are not counted. Of contact only launches
are counted: their reads depend on the number of pairs, not on the capacity. With a GPU the same run measures the copy rate
and the time of a frame: substeps and report, with uploads and downloads, and the graph in it, which is all of the GPU's
work. The CPU's time is that of substeps alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import solver
from benchmarks import machine
from solver.device.cuda.choice import LAUNCH
from solver.device.cuda.device import Recorder
from tests.scenes import touching, without_contact

#: Copy bandwidth of an H100 [B/s], measured.
BANDWIDTH = 2.97e12
#: Scene, cells along a side, and settings.
Row = tuple[str, int, dict[str, Any]]
ROWS: tuple[Row, ...] = (
    ("S3", 25, {"method": "gpbd_jacobi", "iterations": 1}),
    ("S3", 25, {"method": "gpbd", "iterations": 1}),
    ("S3", 25, {"method": "pbng", "iterations": 1}),
    ("S1", 128, {"method": "gpbd_jacobi", "iterations": 10, "substeps": 8}),
    ("S1", 128, {"method": "gpbd", "iterations": 10, "substeps": 8}),
    ("S1", 128, {"method": "gpbd", "iterations": 1, "substeps": 8, "global_iterations": 4}),
    ("S3F", 25, {"method": "gpbd", "iterations": 1, "global_iterations": 4}),
    ("on_ball", 64, {"method": "gpbd", "iterations": 4, "substeps": 24, "global_iterations": 4}),
)
#: Large scenes, minutes to build, `--large`: 263,169 and 1,002,001 vertices, and 625,000 tetrahedra.
LARGE: tuple[Row, ...] = (
    ("S1", 512, {"method": "gpbd", "iterations": 1, "substeps": 8, "global_iterations": 4}),
    ("S1", 1000, {"method": "gpbd", "iterations": 1, "substeps": 8, "global_iterations": 4}),
    ("S3", 50, {"method": "gpbd_jacobi", "iterations": 1}),
    ("S3", 50, {"method": "gpbd", "iterations": 1}),
)
#: From which size on a GPU gains: the same scenes from small to large.
SIZES: tuple[Row, ...] = tuple(
    (scene, n, {"method": method, "iterations": 4, "substeps": 2})
    for scene, sides in (("S1", (16, 32, 64, 128, 256, 512)), ("S3", (4, 8, 16, 32)))
    for n in sides
    for method in ("gpbd_jacobi", "gpbd")
)
#: The time that launches and bytes come to.
BY_COUNT = f"and {1e6 * LAUNCH:g} us a launch [ms]"
#: Size of the measured copy [B].
COPIED = 1 << 28


def simulation(scene: str, n: int, settings: dict[str, Any], device: str) -> Any:
    """Return the simulation of a scene of `tests/scenes/without_contact.py` or `tests/scenes/touching.py`."""
    if scene in touching.SCENES:
        return solver.Simulation(touching.SCENES[scene](n), solver.Settings(device=device, threads=1, **settings))
    arrays = without_contact.SCENES[scene](n)
    chosen = {"fps": 1 / arrays.step, "substeps": 1, "global_iterations": 0, "threads": 1} | settings
    return solver.Simulation(without_contact.solver_scene(arrays, solver), solver.Settings(device=device, **chosen))


def counted(made: Any) -> tuple[int, int, int, int]:
    """Return the launches of a frame's substeps, and the bytes that they read; the same of its report. made: for the serial
    twin."""
    recorder = made._on_device.device = Recorder()
    made.advance_frame()
    launches, read = recorder.counters.launches, recorder.read
    made._on_device._frames._report.measure = lambda *given: None
    recorder.read = 0
    made.advance_frame()
    of_substeps = recorder.counters.launches
    return of_substeps, recorder.read, launches - of_substeps, read - recorder.read


def timed(made: Any, frames: int = 4) -> tuple[float, float, Any]:
    """Median time of a frame without its report [s], of the processor where that computes; of its launches on a device, 0 on
    the CPU; and the last report."""
    on_cpu = made.settings.device == "cpu"
    owner, seconds, inside = made.substeps if on_cpu else made._on_device, [], []
    owner.advance = _timing(owner.advance, time.process_time if on_cpu else time.perf_counter, seconds)
    if not on_cpu:
        device = made._on_device.device
        device.repeat = _timing(device.repeat, time.perf_counter, inside, device.wait)
    for _ in range(frames + 2):  # the first compiles, the second captures
        report = made.advance_frame().report
    return median(seconds[2:]), 0.0 if on_cpu else median(inside[2:]), report


def _timing(call: Callable, clock: Callable[[], float], taken: list[float], end: Callable = lambda: None) -> Callable:
    """Return the call with its times appended to a list; end: synchronisation after the call."""

    def called(*given: Any) -> Any:
        end()
        began = clock()
        result = call(*given)
        end()
        taken.append(clock() - began)
        return result

    return called


def copy_rate(device: Any) -> float:
    """Return the copy rate of a device, reads and writes [B/s]."""
    source, target = (device.zeros(COPIED // 4, np.float32) for _ in range(2))
    device.copy(target, source)
    device.wait()
    began = time.perf_counter()
    for _ in range(20):
        device.copy(target, source)
    device.wait()
    return 20 * 2 * COPIED / (time.perf_counter() - began)


def measure(scene: str, n: int, settings: dict[str, Any], device: str, rate: float) -> dict[str, Any]:
    """A row of the table, by the names of its columns. rate: copies of the device [B/s], 0 without one."""
    launches, read, of_report, more = counted(simulation(scene, n, settings, "cuda-serial"))
    if scene in touching.SCENES:
        read = more = 0
    core, _, report = timed(simulation(scene, n, settings, "cpu"))
    row: dict[str, Any] = {"scene": f"{scene} {n}", "method, sweeps": f"{settings['method']} {settings['iterations']}"}
    row |= {"launches": launches, "MB read": read / 1e6, "these copied [ms]": 1e3 * read / BANDWIDTH}
    row |= {BY_COUNT: 1e3 * (read / BANDWIDTH + launches * LAUNCH)}
    row |= {"launches of the report": of_report, "MB of the report": more / 1e6}
    row |= {"CPU, a core [ms]": 1e3 * core, "error, CPU [m]": report.error}
    if device:
        seconds, inside, there = timed(simulation(scene, n, settings, device))
        row |= {"graph [ms]": 1e3 * inside, "frame [ms]": 1e3 * seconds, "error [m]": there.error}
        row |= {"of copies [%]": 100 * (read + more) / (inside * rate), "faster than a core": core / seconds}
    return row


def cells(row: dict[str, Any]) -> list[str]:
    """Return the cells of a row of `measure`: four figures of each number."""
    return [f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="", help="time this one too: cuda, cuda:1")
    parser.add_argument("--sizes", action="store_true", help="scenes from small to large: from which size on a GPU gains")
    parser.add_argument("--large", action="store_true", help="scenes that are built for minutes")
    options = parser.parse_args()
    print(machine.describe())
    rate = 0.0
    if options.device:
        frames = simulation("S1", 8, {}, options.device)._on_device
        rate = copy_rate(frames.device)
        name = "the serial twin" if frames.known is None else frames.known.name
        print(f"{name}: copies {rate / 1e9:.0f} GB/s, reads and writes together")
    for k, (scene, n, settings) in enumerate(SIZES if options.sizes else LARGE if options.large else ROWS):
        row = measure(scene, n, settings, options.device, rate)
        if not k:
            print(" | ".join(row))
        print(" | ".join(cells(row)), flush=True)


if __name__ == "__main__":
    main()
