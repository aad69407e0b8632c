"""Fabrics made of yarns, as sheets: `python -m benchmarks.yarn_fabrics [NAME ...]`.

A free square of 10 cm, without gravity, after a second: how far its sides stand off its middle, to the face (+) or the back.
A strip of 10 x 5 cm between jaws, pulled by 20 % along warp or wales and along weft or courses: force and narrowing at its
middle. Cusick's drapemeter, on a mesh of 15 mm. docs/guide/yarn_fabrics.md has the numbers.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import numpy as np

import solver
from solver.scene import presets
from tests.scenes import textile

#: Side of the square and its cells; frames that it moves for, and what slows it [1/s].
SIDE, CELLS, FRAMES, DAMPING = 0.1, 14, 24, 8.0
#: Strip between jaws, cells along and across, stretch, frames.
LENGTH, WIDTH, ALONG, ACROSS, PULL, HELD = 0.1, 0.05, 16, 8, 0.2, 24
EDGE = 0.015


def curl(material: solver.Material) -> tuple[float, float]:
    """Height of the sides where U begins and ends, and where V does, over the middle [m]."""
    flat, cells = textile.quads(CELLS, CELLS, SIDE / CELLS, SIDE / CELLS)
    middle = np.flatnonzero(np.linalg.norm(flat - [SIDE / 2, SIDE / 2, 0], axis=1) < 1.1 * SIDE / CELLS)
    uneven = flat + np.random.default_rng(0).uniform(-1e-5, 1e-5, flat.shape) * [0, 0, 1]
    uneven[middle] = flat[middle]
    body = solver.Cloth("sheet", uneven, textile.halves(cells), material, solver.Pins(middle), flat[:, :2], flat,
                        self_contact=False)  # fmt: skip
    settings = solver.Settings.quality("production", damping=DAMPING, threads=1)
    simulation = solver.Simulation(solver.Scene([body], gravity=(0, 0, 0)), settings)
    for _ in range(FRAMES):
        x = simulation.advance_frame().positions["sheet"]
    near_u, near_v = (np.abs(flat[:, 1 - k] - SIDE / 2) < SIDE / 4 for k in (0, 1))
    ends_u, ends_v = (np.abs(flat[:, k] - SIDE / 2) > SIDE / 2 - 1e-6 for k in (0, 1))
    return float(x[near_u & ends_u, 2].mean()), float(x[near_v & ends_v, 2].mean())


def pull(material: solver.Material, weft: bool) -> tuple[float, float]:
    """Force over the width [N/m], and change of the width at the middle over the width."""
    flat, cells = textile.quads(ALONG, ACROSS, LENGTH / ALONG, WIDTH / ACROSS)
    share = flat[:, :1] / LENGTH
    ends = np.flatnonzero((share < 1e-6) | (share > 1 - 1e-6))
    pulled = flat + share * [PULL * LENGTH, 0.0, 0.0]
    uv = textile.fabric_axes(flat, math.pi / 2 if weft else 0.0)
    body = solver.Cloth("strip", pulled, textile.halves(cells), material, solver.Pins(ends), uv, flat, self_contact=False)
    settings = solver.Settings.quality("production", dtype="float64", damping=DAMPING, threads=1)
    simulation = solver.Simulation(solver.Scene([body], gravity=(0, 0, 0)), settings)
    for _ in range(HELD):
        x = simulation.advance_frame().positions["strip"]
    force = textile._forces(simulation)[np.flatnonzero(share[:, 0] > 1 - 1e-6), 0].sum() / WIDTH
    across = x[np.abs(share[:, 0] - 0.5) < 1e-6, 1]
    return float(force), float(np.ptp(across)) / WIDTH - 1.0


def main(names: list[str]) -> None:
    found = {preset.path.stem: preset.path for preset in presets.list_presets("fabric")}
    for name in names or found:
        material = presets.read_preset(found[name])
        if material.table is None:
            continue
        (up, across), warp, weft = curl(material), pull(material, False), pull(material, True)
        hung = textile.drape(replace(material), EDGE)
        print(
            f"{name}: sides {1e3 * up:+.1f}, {1e3 * across:+.1f} mm; pulled {warp[0]:.3g}, {weft[0]:.3g} N/m, "
            f"{100 * warp[1]:+.1f}, {100 * weft[1]:+.1f} %; drape {100 * hung.coefficient:.0f} %, {hung.nodes} nodes",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
