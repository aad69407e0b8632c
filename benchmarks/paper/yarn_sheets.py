"""Sheets of fabrics made of yarns: hung by an edge, and the time of a local solve. Between bars: `yarn_bars.py`.

`python -m benchmarks.paper.yarn_sheets hang|speed [--fabric NAME|FILE.json ...]`. A FILE.json is a published table, no part
of the project; by default presets. Single precision, one thread.

hang: strips of 0.3 m and 8 columns, stretch after 2 s with and without Keep Length, beside that of the continuum. speed:
nanoseconds a triangle and sweep, the least of 12.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from solver import Cloth, Material, Pins, Scene, Settings, Simulation, load_material
from solver.methods import make_method
from solver.model.build import build
from solver.model.state import start_state
from solver.scene.published_fabric import read_published
from tests.scenes.bars import SIDE, grid, uniaxial


def fabric(name: str) -> Material:
    """Return a preset, or the material of a published file, with enough damping to come to rest."""
    material = read_published(name) if name.endswith(".json") else load_material(name)
    return material.changed(energies={"hylc": {"damping": 0.02}})


def hang(material: Material, rows: int, keep: int) -> str:
    v, triangles = grid(rows, 8)
    top = np.flatnonzero(v[:, 1] > SIDE / 2 - 1e-9)
    hung = np.stack([v[:, 0], 0 * v[:, 0], v[:, 1]], 1)
    cloth = Cloth("strip", hung, triangles, material, Pins(top, 1.0), uv=v[:, :2], self_contact=False)
    settings = Settings(substeps=8, iterations=4, global_iterations=keep, damping=5.0, threads=1)
    sim = Simulation(Scene([cloth], air_density=0.0), settings)
    for _ in range(48):
        sim.advance_frame()
    z = sim.state.x[: len(v), 2].astype(float).reshape(rows + 1, 9).mean(1)
    pulls = np.linspace(0, 0.3, 61)
    tensions = np.maximum.accumulate([uniaxial(material, pull, 1)[0] for pull in pulls])
    load = np.linspace(0, material.density * 9.81 * SIDE, 200)
    wanted = np.interp(load, tensions, pulls).mean()
    return f"| {material.name} | {rows} | {keep} | {(z[-1] - z[0]) / SIDE - 1:.2%} | {wanted:.2%} |"


def speed(material: Material, n: int) -> str:
    v, triangles = grid(n, n)
    model = build(Scene([Cloth("sheet", v, triangles, material, uv=v[:, :2])]), Settings(substeps=10, threads=1))
    state, method = start_state(model, lambda energy: energy.STATE), make_method(model)
    moves = 0.03 * SIDE / n * np.random.default_rng(0).standard_normal((len(v), 3))
    state.x_pred[: len(v), :3] += moves.astype(state.x.dtype)
    times = []
    for _ in range(13):
        began = time.process_time()
        method.sweep(state, 0)
        times.append(time.process_time() - began)
    return f"| {material.name} | {n} | {1e9 * min(times[1:]) / len(triangles):.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("hang", "speed"))
    parser.add_argument("--fabric", nargs="+", default=["stockinette"])
    parser.add_argument("--n", type=int, nargs="+", default=[24])
    options = parser.parse_args()
    for name in options.fabric:
        for n in options.n:
            material = fabric(name)
            if options.what == "hang":
                for keep in (4, 0):
                    print(hang(material, n, keep), flush=True)
            else:
                print(speed(material, n), flush=True)


if __name__ == "__main__":
    main()
