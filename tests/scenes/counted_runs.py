"""Runs of scenes in which every frame's intersections are counted by ipctk."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import solver
from solver.scene import Motion
from tests.scenes.contact import SCENES
from tests.scenes.intersecting import STARTS
from tests.scenes.intersections import Intersections, is_mesh, skins
from tests.scenes.plain_settings import plain_settings
from tests.scenes.without_contact import FPS


def run_scene(name: str, settings: Any = None, frames: int | None = None, verbose: bool = False, **size: Any) -> dict:
    """Simulate a scene; return the counts. hits: intersections in each frame."""
    scene, count = SCENES[name](solver, **size)
    simulation = solver.Simulation(scene, settings or plain_settings())
    counter = Intersections(*skins(scene))
    hits, seconds, reports = [], [], []
    for k in range(frames or count):
        frame = simulation.advance_frame()
        poses = [(frame.surfaces if is_mesh(body) else frame.positions)[body.name].astype(float) for body in scene.bodies]
        for c in scene.colliders:
            if isinstance(c, solver.Collider):
                poses.append(Motion(c.vertices, c.name).at(simulation.state.time, 24.0))
        hits.append(counter.count(poses))
        seconds.append(frame.report.seconds)
        reports.append(frame.report)
        if verbose and k % 6 == 5:
            r = frame.report
            print(
                f"  {k + 1}: hits {hits[-1]}, {r.contacts} contacts, deepest {r.deepest:.2g}, stretch {r.mean_stretch:.2g}, "
                f"{r.pairs} pairs, {r.clamped} clamped, {r.unresolved} unresolved, {1e3 * r.seconds:.0f} ms",
                flush=True,
            )
    v = simulation.state.v[: simulation.model.n_vertices]
    return {
        "scene": name,
        "vertices": simulation.model.n_vertices,
        "frames": len(hits),
        "hits": hits,
        "ms": 1e3 * float(np.median(seconds[2:])),
        "rms": float(np.sqrt((v.astype(float) ** 2).sum(1).mean())),
        "reports": reports,
        "simulation": simulation,
    }


def told_and_counted(scene: Any, settings: Any, frames: int) -> tuple[list[int], list[int]]:
    """Count intersections at the start and after each frame: by the report, and by ipctk."""
    simulation = solver.Simulation(scene, settings)
    counter = Intersections(*skins(scene))
    colliders = [Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]
    reported, counted = [], []
    for k in range(frames + 1):
        frame = simulation.advance_frame() if k else simulation.start()
        poses = [(frame.surfaces if is_mesh(body) else frame.positions)[body.name].astype(float) for body in scene.bodies]
        counted.append(counter.count([*poses, *(c.at(simulation.state.time, FPS) for c in colliders)]))
        reported.append(frame.report.intersections)
    return reported, counted


@dataclass
class Run:
    """Counts of a run. counted, told: intersections at the start and after each frame, by ipctk and by the report (which has
    none for the start). seconds: of computing, of all frames together, processor time. simulation: at its end."""

    counted: list[int]
    told: list[int]
    seconds: float
    simulation: Any

    @property
    def clean(self) -> int | None:
        """Frames after which there are no intersections any more, None if there are some at the end."""
        return next((k for k in range(len(self.counted)) if not any(self.counted[k:])), None)


def run_start(name: str, frames: int = 48, settings: Any = None) -> Run:
    """Simulate a start."""
    scene = STARTS[name]()
    simulation = solver.Simulation(scene, settings or plain_settings(threads=1))
    counter = Intersections(*skins(scene))
    colliders = [Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]

    def count(bodies: list[Any]) -> int:
        return counter.count([*bodies, *(c.at(simulation.state.time, FPS) for c in colliders)])

    counted, reported, seconds = [count([body.vertices for body in scene.bodies])], [], 0.0
    for _ in range(frames):
        began = time.process_time()
        frame = simulation.advance_frame()
        seconds += time.process_time() - began
        counted.append(count([frame.positions[body.name].astype(float) for body in scene.bodies]))
        reported.append(frame.report.intersections)
    return Run(counted, reported, seconds, simulation)
