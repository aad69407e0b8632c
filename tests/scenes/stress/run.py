"""A run of a stress scene, frame by frame, with counts by ipctk and by the report beside each other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import solver
from solver.report import report as of_report
from solver.scene import Motion
from tests.scenes.intersections import Intersections, is_mesh, skins
from tests.scenes.stress.kinds import KINDS

Array = np.ndarray


def largest_stretch(body: Any, x: Array) -> float:
    """Greatest principal stretch less 1 of a body's triangles or tetrahedra; 0 for a rigid body. x: [m], (n, 3)."""
    elements = getattr(body, "tetrahedra", None)
    elements = getattr(body, "triangles", None) if elements is None else elements
    if body.kind == "rigid" or elements is None:
        return 0.0
    rest = body.vertices if body.rest_vertices is None else body.rest_vertices
    before = np.moveaxis(rest[elements[:, 1:]] - rest[elements[:, :1]], 1, 2)
    now = np.moveaxis(x[elements[:, 1:]] - x[elements[:, :1]], 1, 2)
    if before.shape[2] == 2:  # a triangle, in a plane of its own
        before = np.linalg.qr(before)[1]
    f = now @ np.linalg.inv(before)
    return float(np.sqrt(np.linalg.eigvalsh(np.swapaxes(f, 1, 2) @ f)[:, -1].max()) - 1)


def lift_of(simulation: solver.Simulation) -> float:
    """The work that lifts all that moves by the distance which surfaces keep, the median of all [J]."""
    model, rigid = simulation.model, simulation.state.rigid
    mass = float(model.mass[~model.fixed].sum()) + (0.0 if rigid is None else float(rigid.mass.sum()))
    half = simulation.contact.surfaces.half[: model.n_vertices]
    return mass * float(np.linalg.norm(simulation.scene.gravity)) * 2 * float(np.median(half[half > 0]))


def frames_of(kind: str, quality: str, seed: int, n: int, frames: int | None = None, threads: int = 1) -> Iterator[dict]:
    """Yield the counts at the start, then after each frame, then at the end; the positions are under "poses".

    frames: number of frames, None for all.
    """
    stress = KINDS[kind](solver, seed, n)
    scene = stress.scene
    simulation = solver.Simulation(scene, solver.Settings.quality(quality, threads=threads, sleep=True))
    counter, names = Intersections(*skins(scene)), [c.name for c in scene.colliders if isinstance(c, solver.Collider)]
    motions = [Motion(c.vertices, c.name) for c in scene.colliders if c.name in names]
    motion = of_report.motion(simulation.model, simulation.state, scene.gravity)
    kinetic, height = motion["kinetic_energy"], motion["gravity_energy"]
    yield {
        "kind": kind, "quality": quality, "seed": seed, "n": n, "vertices": simulation.model.n_vertices,
        "frames": stress.frames, "limits": stress.limits, "still_after": stress.still_after, "rest_from": stress.rest_from,
        "is_slack": stress.is_slack,
        "kinetic": kinetic, "gravity": height, "elastic": 0.0, "substeps": simulation.settings.substeps,
        "lift": lift_of(simulation),
    }  # fmt: skip
    for _ in range(stress.frames if frames is None else frames):
        cpu, wall = time.process_time(), time.perf_counter()
        frame = simulation.advance_frame()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        poses = [(frame.surfaces if is_mesh(b) else frame.positions)[b.name].astype(float) for b in scene.bodies]
        colliders = [motion.at(simulation.state.time, simulation.settings.fps) for motion in motions]
        report = frame.report
        v = simulation.state.v[: simulation.model.n_vertices].astype(float)
        stretches = {b.name: largest_stretch(b, frame.positions[b.name].astype(float)) for b in scene.bodies}
        yield {
            "frame": frame.number, "counted": counter.count([*poses, *colliders]), "told": report.intersections,
            "told_where": [str(location) for location in report.intersection_locations[:3]],
            "unresolved": report.unresolved, "substeps": report.substeps, "stretch": max(stretches.values()),
            "beyond": max((stretches[name] - limit for name, limit in stress.limits.items()), default=None),
            "kinetic": report.kinetic_energy, "gravity": report.gravity_energy, "elastic": report.elastic_energy,
            "speed": float(np.sqrt((v * v).sum(1).mean())), "contacts": report.contacts, "clamped": report.clamped,
            "cpu": cpu, "wall": wall, "poses": (poses, colliders),
        }  # fmt: skip
    yield {"end": "done", "warnings": simulation.warnings}
