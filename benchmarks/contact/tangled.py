"""Starts in which surfaces already pass through each other: `python -m benchmarks.contact.tangled [name ...]`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import solver
from benchmarks.contact import tangled_garments, tangled_sheets
from benchmarks.contact.check import skins
from benchmarks.contact.intersections import Intersections
from benchmarks.scenes import FPS
from solver.report.report import stretch
from solver.scene import Motion

STARTS: dict[str, Callable[[], Any]] = {
    function.__name__: function
    for function in (
        tangled_sheets.corner, tangled_sheets.border, tangled_sheets.cross, tangled_sheets.waves, tangled_sheets.head,
        tangled_sheets.flap, tangled_sheets.sleeves, tangled_sheets.coat, tangled_sheets.blocks,
        tangled_garments.cape, tangled_garments.armpit, tangled_garments.elbow, tangled_garments.layers,
        tangled_garments.skirts, tangled_garments.knot, tangled_garments.links, tangled_garments.star,
        tangled_garments.scroll, tangled_garments.wall, tangled_garments.leg, tangled_garments.heap,
        tangled_garments.spike, tangled_garments.cuff, tangled_garments.cushion,
    )
}  # fmt: skip


@dataclass
class Run:
    """counted, told: intersections at the start and after each frame, as ipctk counts them and as the report says (which
    has none for the start). seconds: of computing, of all frames together, processor time. simulation: at its end."""

    counted: list[int]
    told: list[int]
    seconds: float
    simulation: Any

    @property
    def clean(self) -> int | None:
        """Frames after which there are no intersections any more, None if there are some at the end."""
        return next((k for k in range(len(self.counted)) if not any(self.counted[k:])), None)


def run(name: str, frames: int = 48, settings: Any = None) -> Run:
    """Simulates a start."""
    scene = STARTS[name]()
    simulation = solver.Simulation(scene, settings or solver.Settings(threads=1))
    counter = Intersections(*skins(scene))
    colliders = [Motion(c.vertices, c.name) for c in scene.colliders if isinstance(c, solver.Collider)]

    def count(bodies: list[Any]) -> int:
        return counter.count([*bodies, *(c.at(simulation.state.time, FPS) for c in colliders)])

    counted, told, seconds = [count([body.vertices for body in scene.bodies])], [], 0.0
    for _ in range(frames):
        began = time.process_time()
        frame = simulation.advance_frame()
        seconds += time.process_time() - began
        counted.append(count([frame.positions[body.name].astype(float) for body in scene.bodies]))
        told.append(frame.report.intersections)
    return Run(counted, told, seconds, simulation)


def main() -> None:
    print("| start | vertices | intersections | clean after | at 2 s | largest stretch | report off by | s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or STARTS:
        r = run(name)
        clean = "never" if r.clean is None else f"{r.clean / FPS:.2f} s"
        off = max(abs(a - b) for a, b in zip(r.counted[1:], r.told, strict=True))
        model = r.simulation.model
        longest, _ = stretch(r.simulation.state.x, model.edges, model.edge_lengths)
        print(
            f"| {name} | {model.n_vertices} | {r.counted[0]} | {clean} | {r.counted[-1]} | {longest:.0%} | {off} | "
            f"{r.seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
