"""Runs the scenes of `yarn_scenes.py`: `python -m benchmarks.paper.yarn_table WHAT [--scene NAME ...] [--fabric NAME ...]
[--n N ...]`. Single precision, one thread, processor time.

times: milliseconds a step of 1e-4 s with 3 iterations, as of the paper's table 1. largest: the largest step, of those that
halve from a frame of 1/24 s on, that stays stable for a third of a second, and the longest edge's stretch with it, with
*Keep Length* and without; what touches is left out, as contact makes steps shorter by itself. newton: milliseconds a step of
Newton's method and of 3 iterations, both in double precision, on the stretched sheet. jitter: what moves after the bars of
*stretch X* have been drawn apart in 0.1 s: time [ms], kinetic energy and that of what vertices move beside the mean of their
neighbours [uJ], the fastest of these [mm/s], elastic energy [J], largest stretch; at steps of 1e-4 s with 3 iterations
(--quality paper) or at a quality. run: --frames frames of 1/24 s at a quality; intersections, seconds a frame and the
largest stretch, and pictures into --pictures FOLDER (needs Blender as a module). A fabric may be a published FILE.json.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.paper.yarn_scenes import SCENES, stretch
from solver import Rigid, Scene, Settings, Simulation, UnstableError
from solver.simulation import Frame

#: Of `largest`: substeps of a frame that are tried, in turn; frames; speed [m/s] and stretch that no sheet here should have.
RATES, FRAMES, TOO_FAST, TOO_LONG = tuple(2**k for k in range(10)), 8, 12.0, 1.0
STEP = 1e-4
#: Of `jitter`: seconds until the bars have come to their place, and between rows.
DRAWN_IN, BETWEEN = 0.1, 0.01


def _advanced(simulation: Simulation, frames: int) -> float:
    """Processor seconds."""
    began = time.process_time()
    for _ in range(frames):
        simulation.advance_frame()
    return time.process_time() - began


def times(scene: str, fabric: str, n: int) -> str:
    steps = 20 if n > 64 else 50
    settings = Settings(fps=1 / (STEP * steps), substeps=steps, iterations=3, global_iterations=0, threads=1)
    simulation = Simulation(SCENES[scene](fabric, n), settings)
    _advanced(simulation, 1)
    return f"| {scene} | {fabric} | {n} | {1e3 * _advanced(simulation, 1) / steps:.1f} |"


def largest(scene: str, fabric: str, n: int) -> str:
    cells = []
    for keep in (4, 0):
        for rate in RATES:
            settings = Settings(substeps=rate, iterations=3, global_iterations=keep, threads=1)
            stretched = _stretch_if_stable(Simulation(_without_contact(SCENES[scene](fabric, n)), settings))
            if stretched is not None:
                cells.append(f"{1e3 / (24 * rate):.2g} | {stretched:.1%}")
                break
        else:
            cells.append("none | -")
    return f"| {scene} | {fabric} | {n} | {' | '.join(cells)} |"


def _without_contact(scene: Scene) -> Scene:
    bodies = [replace(body, self_contact=False, touches=()) for body in scene.bodies if not isinstance(body, Rigid)]
    return replace(scene, bodies=bodies, colliders=[])


def _stretch_if_stable(simulation: Simulation) -> float | None:
    """Return the longest edge's stretch at the end; None if the simulation has diverged."""
    n, longest = simulation.model.n_vertices, 0.0
    for _ in range(FRAMES):
        try:
            longest = simulation.advance_frame().report.max_stretch
        except UnstableError:
            return None
        if np.linalg.norm(simulation.state.v[:n, :3], axis=1).max() > TOO_FAST or longest > TOO_LONG:
            return None
    return longest


def jitter(fabric: str, n: int, quality: str, held: float) -> str:
    """Return a row of `jitter`. held: times after the pull [s]."""
    if quality == "paper":
        settings = Settings(fps=1 / BETWEEN, substeps=round(BETWEEN / STEP), iterations=3, global_iterations=0, threads=1)
    else:
        settings = Settings.quality(quality, threads=1)
    simulation, rows, time_now = Simulation(stretch(fabric, n, "X", DRAWN_IN), settings), [], 0.0
    while time_now < DRAWN_IN + held - 1e-9:
        report = simulation.advance_frame().report
        time_now += 1 / settings.fps
        if time_now > DRAWN_IN - 1e-9:
            rough, fastest = _roughness(simulation)
            rows.append(
                f"| {Path(fabric).stem} | {n} | {quality} | {1e3 * time_now:.0f} | {1e6 * report.kinetic_energy:.3g} | "
                f"{1e6 * rough:.3g} | {1e3 * fastest:.3g} | {report.elastic_energy:.5g} | {report.max_stretch:.1%} |"
            )
    return "\n".join(rows)


def _roughness(simulation: Simulation) -> tuple[float, float]:
    """Return the energy of vertices' motion relative to the mean of their neighbours [J], and the largest such
    speed [m/s]."""
    model = simulation.model
    v, (a, b) = simulation.state.v[: model.n_vertices, :3].astype(float), model.edges.T
    mean, count = np.zeros_like(v), np.bincount(np.concatenate([a, b]), minlength=len(v))
    np.add.at(mean, a, v[b])
    np.add.at(mean, b, v[a])
    beside = np.where(model.fixed[:, None], 0.0, v - mean / count[:, None])
    return float(0.5 * (model.mass * (beside**2).sum(1)).sum()), float(np.linalg.norm(beside, axis=1).max())


def newton(fabric: str, n: int) -> str:
    times = []
    for method, iterations, more in (("newton", 20, {"tolerance": 1e-3}), ("gpbd", 3, {"global_iterations": 0})):
        steps = 4 if method == "newton" else 20
        settings = Settings(
            fps=1 / (STEP * steps), substeps=steps, iterations=iterations, method=method, dtype="float64", threads=1, **more
        )
        simulation = Simulation(SCENES["stretch X"](fabric, n), settings)
        _advanced(simulation, 1)
        times.append(1e3 * _advanced(simulation, 1) / steps)
    return f"| {fabric} | {n} | {times[0]:.1f} | {times[1]:.1f} | {times[0] / times[1]:.1f} |"


def run(scene: str, fabric: str, n: int, frames: int, quality: str, folder: Path | None, shown: list[int]) -> str:
    simulation = Simulation(SCENES[scene](fabric, n), Settings.quality(quality, threads=1))
    seconds, crossing, stretched = 0.0, 0, 0.0
    for number in range(1, frames + 1):
        began = time.process_time()
        frame = simulation.advance_frame()
        seconds += time.process_time() - began
        crossing = max(crossing, frame.report.intersections)
        stretched = max(stretched, frame.report.max_stretch)
        if folder is not None and number in (shown or [frames]):
            name = f"{scene}_{Path(fabric).stem}_{n}_{number}".replace(" ", "_")
            render(simulation, frame, folder / f"{name}.png")
    return f"| {scene} | {fabric} | {n} | {seconds / frames:.2f} | {crossing} | {stretched:.1%} |"


def render(simulation: Simulation, frame: Frame, path: Path) -> None:
    """Bodies and colliders, by Workbench."""
    import bpy

    from demo import pictures, stage

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    stage.look(scene)
    scene.render.resolution_x = scene.render.resolution_y = 420
    every = []
    for body in simulation.scene.bodies:
        x = np.asarray(frame.surfaces[body.name], float)
        mesh = stage.mesh(body.name, x, body.triangles, smooth=True)
        mesh.materials.append(stage.material(body.name, (0.72, 0.35, 0.28) if body.kind == "cloth" else (0.9, 0.8, 0.4)))
        stage.add(scene, body.name, mesh)
        every.append(x)
    for collider in simulation.scene.colliders:
        x = np.asarray(collider.vertices(frame.number / 24.0) if callable(collider.vertices) else collider.vertices, float)
        mesh = stage.mesh(collider.name, x, collider.triangles, smooth=True)
        mesh.materials.append(stage.material(collider.name, (0.6, 0.65, 0.7)))
        stage.add(scene, collider.name, mesh)
    x = np.concatenate(every)
    middle = 0.5 * (x.min(0) + x.max(0))
    reach = float(np.linalg.norm(np.ptp(x, axis=0)))
    stage.camera(scene, middle + reach * np.array([0.75, -1.15, 0.75]), middle)
    pictures.frame(scene, 1, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("times", "largest", "newton", "jitter", "run"))
    parser.add_argument("--scene", nargs="+", default=list(SCENES), choices=SCENES)
    parser.add_argument("--fabric", nargs="+", default=["satin_5"])
    parser.add_argument("--n", type=int, nargs="+", default=[64])
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--quality", default="draft")
    parser.add_argument("--held", type=float, default=0.1, help="seconds that jitter tells of")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--shown", type=int, nargs="+", default=[], help="frames of which there are pictures; the last")
    options = parser.parse_args()
    for n in options.n:
        for fabric in options.fabric:
            if options.what == "newton":
                print(newton(fabric, n), flush=True)
                continue
            if options.what == "jitter":
                print(jitter(fabric, n, options.quality, options.held), flush=True)
                continue
            for scene in options.scene:
                if options.what == "run":
                    more = options.frames, options.quality, options.pictures, options.shown
                    print(run(scene, fabric, n, *more), flush=True)
                else:
                    print((times if options.what == "times" else largest)(scene, fabric, n), flush=True)


if __name__ == "__main__":
    main()
