"""Correctness of a GPU, a scene at a time, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import solver
from benchmarks.gpu.checked_device import CheckedDevice
from benchmarks.machine import ROOT
from solver import Settings, Simulation
from solver.device.cuda.device import SerialDevice
from tests.scenes.every_stage import ENERGIES, SCENES, STEPS
from tests.scenes.intersections import Intersections, skins

#: Frames of a scene in which launches are compared, and whose surfaces are counted.
COMPARED, COUNTED = 2, 24
#: Workers at most, each with a context on the GPU and kernels to compile.
WORKERS = 16
#: What is kept of a crash's message.
LAST = 2000
#: Settings beside the step's.
NUMBERS: dict[str, Any] = {"substeps": 4, "iterations": 3, "threads": 1, "device": "cuda-serial"}


@dataclass
class Check:
    """Of a scene: what is asked, and what was found.

    kernels: by name, see `Compared`. apart: largest distance of a vertex from the serial twin's at the last frame that both
    have computed on a device [m]. intersections: edges that pass through triangles, all frames together, -1 where nothing
    counts. on_cpu: frames that the CPU has done, of `frames`. error: what was raised.
    """

    name: str
    kernels: dict[str, dict[str, float]] = field(default_factory=dict)
    frames: int = 0
    on_cpu: int = 0
    apart: float = 0.0
    intersections: int = -1
    seconds: float = 0.0
    error: str = ""


def cases() -> list[tuple[str, str, dict[str, Any]]]:
    """Name, scene and settings of all checks, first those that take longest to compile: yarns, and contact."""
    found = [(f"{name}, {step}", name, numbers) for name in SCENES for step, numbers in STEPS.items()]
    for method in ("gpbd_jacobi", "pbng"):
        names = [name for name in ENERGIES if (method, name) != ("pbng", "yarns")]  # minutes of compiling
        found += [(f"{name}, {method}", name, STEPS["swept"] | {"method": method}) for name in names]
    return sorted(found, key=lambda case: ("yarns" not in case[0], ":" not in case[0]))


def check(name: str, scene: str, numbers: dict[str, Any], of_device: Callable[[], SerialDevice], checked: Any) -> Check:
    """of_device, checked: make the device that runs the scene, and the one that compares its launches."""
    found, began = Check(name), time.perf_counter()
    made = simulation(scene, numbers, checked())
    for _ in range(COMPARED):
        made.advance_frame()
    found.kernels = {kernel: asdict(one) for kernel, one in made._on_device.device.compared.items()}
    made, twin = simulation(scene, numbers, of_device()), simulation(scene, numbers, SerialDevice())
    counter, ways = counted(made.scene)
    found.intersections = -1 if counter is None else 0
    together = True
    for _ in range(COUNTED if counter else COMPARED + 2):  # the third frame is a graph
        frame, beside = made.advance_frame(), twin.advance_frame()
        found.frames += 1
        found.on_cpu += frame.report.device == "cpu"
        together &= frame.report.device != "cpu" and beside.report.device != "cpu"
        if together:
            found.apart = max(float(np.abs(made.state.x[:, :3] - twin.state.x[:, :3]).max()), 0.0)
        if counter is not None:
            skin = (frame.surfaces.get(body.name, frame.positions[body.name]) for body in made.scene.bodies)
            poses = [positions.astype(float) for positions in skin]
            found.intersections += counter.count(poses + [way.at(made.state.time, 24.0) for way in ways])
    found.seconds = time.perf_counter() - began
    return found


def simulation(scene: str, numbers: dict[str, Any], device: SerialDevice) -> Simulation:
    """Of a scene, on a device that stands in the serial twin's place."""
    made = Simulation(SCENES[scene](), Settings(**NUMBERS | numbers))
    made._on_device.device = device
    return made


def counted(scene: solver.Scene) -> tuple[Intersections | None, list[solver.scene.Motion]]:
    """What counts a scene's intersections, and how its collider meshes move; None where nothing touches."""
    ways = [solver.scene.Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]
    if not ways and all(not getattr(body, "self_contact", True) for body in scene.bodies):
        return None, ways
    return Intersections(*skins(scene)), ways


def on_gpu(case: tuple[str, str, dict[str, Any]], until: float) -> Check:
    """`check` on the first GPU by a process of its own, which may crash. until: `time.monotonic()` when it is killed."""
    name, command = case[0], [sys.executable, "-X", "faulthandler", "-m", "benchmarks.gpu.checks", case[0]]
    left = until - time.monotonic()
    if left <= 0:
        return Check(name, error="not begun: no time was left")
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=left)
    except subprocess.TimeoutExpired:
        return Check(name, error="not ended: no time was left")
    if done.returncode:
        return Check(name, error=f"exit code {done.returncode}: {done.stderr[-LAST:]}")
    return Check(**json.loads(done.stdout.splitlines()[-1]))


def all_checks(until: float) -> Iterator[Check]:
    """Every case on the GPU, in the order in which they end. until: as in `on_gpu`."""
    with ThreadPoolExecutor(min(WORKERS, os.cpu_count() or 1)) as pool:
        for done in as_completed([pool.submit(on_gpu, case, until) for case in cases()]):
            yield done.result()


def main() -> None:
    """One case, by its name; prints what was found as JSON."""
    from solver.device.cuda import nvidia

    nvidia.ahead.compile_missing = lambda needed, capability: None  # type: ignore[assignment]  # a process a core is enough
    case = next(case for case in cases() if case[0] == sys.argv[1])
    print(json.dumps(asdict(check(*case, nvidia.CudaDevice, CheckedDevice))))


if __name__ == "__main__":
    main()
