"""Sheets of fabrics made of yarns: between bars that are drawn apart, hung by an edge, and the time of a local solve.

`python -m benchmarks.paper.yarn_sheets bars|hang|speed [--fabric NAME|FILE.json ...]`. A FILE.json is a published table, no
part of the project; by default presets. Single precision, one thread.

bars: squares of 0.3 m, two opposite sides clamped and drawn apart by --pull in 20 of 40 frames; handle force over the
width, the same of a homogeneous sheet that is free sideways and of one that is not, contraction in the middle row, and how
far its two ends have rolled out of the plane towards the normal. hang: strips of 0.3 m and 8 columns, stretch after 2 s
with and without Keep Length, beside that of the continuum. speed: nanoseconds a triangle and sweep, the least of 12.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from solver import Cloth, Material, Pins, Scene, Settings, Simulation, load_material
from solver.energies.hylc import density
from solver.methods import make_method
from solver.methods.batch import add_gradient
from solver.model.build import build
from solver.model.state import start_state
from solver.scene.published_fabric import read_published

Array = np.ndarray
SIDE, FRAMES = 0.3, 40


def grid(rows: int, columns: int) -> tuple[Array, Array]:
    """A sheet as wide as its columns, diagonals parallel, centred: vertices [m], (n, 3), and triangles."""
    step = SIDE / rows
    u, v = np.meshgrid((np.arange(columns + 1) - columns / 2) * step, (np.arange(rows + 1) - rows / 2) * step)
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    above = first + columns + 1
    triangles = np.concatenate([np.stack([first, first + 1, above + 1], 1), np.stack([first, above + 1, above], 1)])
    return np.stack([u.ravel(), v.ravel(), 0 * u.ravel()], 1), triangles


def fabric(name: str) -> Material:
    """A preset, or what a published file has, with enough damping to come to rest."""
    found = read_published(name) if name.endswith(".json") else load_material(name)
    return found.changed(energies={"hylc": {"damping": 0.02}})


def uniaxial(material: Material, pull: float, along: int, across: int) -> tuple[float, float]:
    """Tension [N/m] of a homogeneous sheet, free sideways and not."""
    sideways = np.linspace(-0.45, 0.3, 15001)
    s = np.zeros((len(sideways), 6))
    s[:, along], s[:, across] = pull, sideways
    psi, gradient = density(material.table, s)
    held = gradient[np.abs(sideways).argmin(), along]
    return float(gradient[psi.argmin(), along]), float(held)


def bars(material: Material, n: int, pull: float, direction: str) -> str:
    v, triangles = grid(n, n)
    a = "XY".index(direction)
    low, high = np.flatnonzero(v[:, a] < -SIDE / 2 + 1e-9), np.flatnonzero(v[:, a] > SIDE / 2 - 1e-9)
    held = np.concatenate([low, high])
    targets = np.repeat(v[held][None], FRAMES + 1, 0)
    targets[:, len(low) :, a] += SIDE * pull * np.minimum(1, np.arange(FRAMES + 1) / (FRAMES / 2))[:, None]
    cloth = Cloth("sheet", v, triangles, material, Pins(held, 1.0, targets), uv=v[:, :2], self_contact=False)
    settings = Settings(substeps=20, iterations=10, global_iterations=4, damping=2.0, threads=1)
    sim = Simulation(Scene([cloth], gravity=(0, 0, 0), air_density=0.0), settings)
    for _ in range(FRAMES):
        sim.advance_frame()
    gradient = np.zeros_like(sim.state.x)
    for batch, memory in zip(sim.model.batches, sim.state.strains_at_start, strict=True):
        add_gradient(batch, memory, sim.state.x, gradient)
    x = sim.state.x[: len(v), :3].reshape(n + 1, n + 1, 3).astype(float)
    middle = x[n // 2] if a == 1 else x[:, n // 2]
    sideways = np.median(np.linalg.norm(np.diff(middle, axis=0), axis=1)) / (SIDE / n) - 1
    free, clamped = uniaxial(material, pull, 2 * a, 2 - 2 * a)
    force, roll = gradient[high, a].sum() / SIDE, 1000 * middle[[0, -1], 2]
    return (
        f"| {material.name} | {direction} | {pull:.0%} | {n} | {force:.2f} | {free:.2f} | {clamped:.2f} | {sideways:+.1%} | "
        f"{roll[0]:+.1f}, {roll[1]:+.1f} |"
    )


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
    tensions = np.maximum.accumulate([uniaxial(material, pull, 2, 0)[0] for pull in pulls])
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
    parser.add_argument("what", choices=("bars", "hang", "speed"))
    parser.add_argument("--fabric", nargs="+", default=["stockinette"])
    parser.add_argument("--n", type=int, nargs="+", default=[24])
    parser.add_argument("--pull", type=float, default=0.2)
    options = parser.parse_args()
    for name in options.fabric:
        for n in options.n:
            material = fabric(name)
            if options.what == "bars":
                for direction in "XY":
                    print(bars(material, n, options.pull, direction), flush=True)
            elif options.what == "hang":
                for keep in (4, 0):
                    print(hang(material, n, keep), flush=True)
            else:
                print(speed(material, n), flush=True)


if __name__ == "__main__":
    main()
