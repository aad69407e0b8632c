"""Starts in which surfaces already pass through each other: `python -m benchmarks.contact.tangled [name ...]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import solver
from benchmarks.contact import tangled_garments, tangled_sheets
from benchmarks.contact.check import skins
from benchmarks.contact.intersections import Intersections

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


def run(name: str, frames: int = 48, settings: Any = None) -> tuple[list[int], list[int], Any]:
    """Intersections at the start and in each frame, as ipctk counts them, and as the report says; and the simulation."""
    scene = STARTS[name]()
    simulation = solver.Simulation(scene, settings or solver.Settings())
    counter = Intersections(*skins(scene))
    still = [c.vertices for c in scene.colliders if isinstance(c, solver.Collider)]
    counted = [counter.count([*[body.vertices for body in scene.bodies], *still])]
    told = []
    for _ in range(frames):
        frame = simulation.advance_frame()
        counted.append(counter.count([*[frame.positions[body.name].astype(float) for body in scene.bodies], *still]))
        told.append(frame.report.intersections)
    return counted, told, simulation


def main() -> None:
    for name in sys.argv[1:] or STARTS:
        counted, _, simulation = run(name, settings=solver.Settings(threads=1))
        clean = next((k for k in range(len(counted)) if not any(counted[k:])), None)
        rms = float(np.sqrt((simulation.state.v.astype(float) ** 2).sum(1).mean()))
        print(f"{name}: {counted[0]} at the start, clean from frame {clean}, {counted[-1]} at the end; rms {rms:.3f} m/s")
        print("   ", counted[1:20:2])


if __name__ == "__main__":
    main()
