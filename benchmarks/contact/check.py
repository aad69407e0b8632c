"""Runs contact scenes and counts intersections in every frame: `python -m benchmarks.contact.check two fold n=32`."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import solver
from benchmarks.contact.intersections import Intersections
from benchmarks.contact.scenes import SCENES
from solver.topology.faces import boundary_faces


def skins(scene: Any) -> tuple[list, list, list]:
    """Triangles, vertex counts and whether they move, of all bodies and then all collider meshes."""
    triangles, sizes, moves = [], [], []
    for body in scene.bodies:
        own = body.surface_triangles if is_mesh(body) else getattr(body, "triangles", None)
        triangles.append(boundary_faces(body.tetrahedra)[0] if own is None else own)
        sizes.append(len(body.surface if is_mesh(body) else body.vertices))
        moves.append(True)
    for c in scene.colliders:
        if isinstance(c, solver.Collider):
            triangles.append(c.triangles)
            sizes.append(len(solver.scene.Motion(c.vertices, c.name).at(0, 1)))
            moves.append(False)
    return triangles, sizes, moves


def is_mesh(body: Any) -> bool:
    """Does the body touch others with an embedded mesh?"""
    return getattr(body, "contact_surface", "") == "mesh"


def run(name: str, settings: Any = None, frames: int | None = None, verbose: bool = False, **size: Any) -> dict:
    """Simulates a scene; returns what was found. hits: intersections in each frame."""
    scene, count = SCENES[name](solver, **size)
    simulation = solver.Simulation(scene, settings or solver.Settings())
    counter = Intersections(*skins(scene))
    hits, seconds, reports = [], [], []
    for k in range(frames or count):
        frame = simulation.advance_frame()
        poses = [(frame.surfaces if is_mesh(body) else frame.positions)[body.name].astype(float) for body in scene.bodies]
        for c in scene.colliders:
            if isinstance(c, solver.Collider):
                poses.append(solver.scene.Motion(c.vertices, c.name).at(simulation.state.time, 24.0))
        hits.append(counter.count(poses))
        seconds.append(frame.report.seconds)
        reports.append(frame.report)
        if verbose and k % 6 == 5:
            r = frame.report
            print(
                f"  {k + 1}: hits {hits[-1]}, {r.contacts} contacts, deepest {r.deepest:.2g}, stretch {r.mean_stretch:.2g}, "
                f"{r.pairs} pairs, {r.held_back} held back, {r.unresolved} unresolved, {1e3 * r.seconds:.0f} ms",
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


def main() -> None:
    names = [a for a in sys.argv[1:] if "=" not in a]
    options = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    numbers = {k: float(v) if "." in v else int(v) for k, v in options.items()}
    threads = numbers.pop("threads", 1)
    frames = numbers.pop("frames", None)
    for name in names or SCENES:
        began = time.perf_counter()
        r = run(name, solver.Settings(threads=threads), frames, verbose=True, **numbers)
        print(
            f"{name}: {r['vertices']} vertices, {r['frames']} frames, {sum(h > 0 for h in r['hits'])} with intersections "
            f"(most {max(r['hits'])}), {sum(p.unresolved for p in r['reports'])} unresolved, {r['ms']:.0f} ms a frame, "
            f"rms speed {1e3 * r['rms']:.2f} mm/s; {time.perf_counter() - began:.0f} s"
        )


if __name__ == "__main__":
    main()
