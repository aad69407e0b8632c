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
#: Length kept of a crash's message.
LAST = 2000
#: Settings beside the step's.
NUMBERS: dict[str, Any] = {"substeps": 4, "iterations": 3, "threads": 1, "device": "cuda-serial"}


@dataclass
class Check:
    """Result of one scene.

    kernels: by name, see `Compared`. apart: largest distance of a vertex from the serial twin's at the last frame that both
    have computed on a device [m]. intersections: edges that pass through triangles, all frames together, -1 without a count.
    on_cpu: frames computed by the CPU, of `frames`. error: the exception.
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
    """Return name, scene and settings of all checks, those with the longest compilation first: yarns, and contact."""
    named = [(f"{name}, {step}", name, numbers) for name in SCENES for step, numbers in STEPS.items()]
    for method in ("gpbd_jacobi", "pbng"):
        names = [name for name in ENERGIES if (method, name) != ("pbng", "yarns")]  # minutes of compiling
        named += [(f"{name}, {method}", name, STEPS["swept"] | {"method": method}) for name in names]
    return sorted(named, key=lambda case: ("yarns" not in case[0], ":" not in case[0]))


def check(name: str, scene: str, numbers: dict[str, Any], of_device: Callable[[], SerialDevice], checked: Any) -> Check:
    """of_device, checked: make the device that runs the scene, and the one that compares its launches."""
    result, began = Check(name), time.perf_counter()
    simulated = simulation(scene, numbers, checked())
    for _ in range(COMPARED):
        simulated.advance_frame()
    result.kernels = {kernel: asdict(one) for kernel, one in simulated._on_device.device.compared.items()}
    simulated, twin = simulation(scene, numbers, of_device()), simulation(scene, numbers, SerialDevice())
    counter, motions = counted(simulated.scene)
    result.intersections = -1 if counter is None else 0
    together = True
    for _ in range(COUNTED if counter else COMPARED + 2):  # the third frame is a graph
        frame, beside = simulated.advance_frame(), twin.advance_frame()
        result.frames += 1
        result.on_cpu += frame.report.device == "cpu"
        together &= frame.report.device != "cpu" and beside.report.device != "cpu"
        if together:
            result.apart = max(float(np.abs(simulated.state.x[:, :3] - twin.state.x[:, :3]).max()), 0.0)
        if counter is not None:
            skin = (frame.surfaces.get(body.name, frame.positions[body.name]) for body in simulated.scene.bodies)
            poses = [positions.astype(float) for positions in skin]
            result.intersections += counter.count(poses + [motion.at(simulated.state.time, 24.0) for motion in motions])
    result.seconds = time.perf_counter() - began
    return result


def simulation(scene: str, numbers: dict[str, Any], device: SerialDevice) -> Simulation:
    """Return the simulation of a scene, on a device in place of the serial twin."""
    simulated = Simulation(SCENES[scene](), Settings(**NUMBERS | numbers))
    simulated._on_device.device = device
    return simulated


def counted(scene: solver.Scene) -> tuple[Intersections | None, list[solver.scene.Motion]]:
    """Return the counter of a scene's intersections, and the motions of its collider meshes; None without contact."""
    motions = [solver.scene.Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]
    if not motions and all(not getattr(body, "self_contact", True) for body in scene.bodies):
        return None, motions
    return Intersections(*skins(scene)), motions


def on_gpu(case: tuple[str, str, dict[str, Any]], until: float) -> Check:
    """Run `check` on the first GPU in a process of its own, which may crash. until: `time.monotonic()` when it is killed."""
    name, command = case[0], [sys.executable, "-X", "faulthandler", "-m", "benchmarks.gpu.checks", case[0]]
    remaining = until - time.monotonic()
    if remaining <= 0:
        return Check(name, error="not begun: no time was left")
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=remaining)
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
    """Run one case, by its name; print the result as JSON."""
    from solver.device.cuda import nvidia

    nvidia.compile_ahead.compile_missing = lambda needed, capability: None  # type: ignore[assignment]  # a process a core is enough
    case = next(case for case in cases() if case[0] == sys.argv[1])
    print(json.dumps(asdict(check(*case, nvidia.CudaDevice, CheckedDevice))))


if __name__ == "__main__":
    main()
