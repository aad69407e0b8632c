"""Two blocks that hang on one another by weak constraints, by every method: `python -m benchmarks.paper.hanging_blocks`.

The upper block's top is held, the lower hangs on it by ties between the surfaces: 1 m cubes of 6 tetrahedra a cell, 1e5 Pa,
nu 0.45, 1000 kg/m^3, drag, 2 seconds of 1/24 s frames in two substeps. The reference is the result of Newton's method
without inertia. After Chen, Han, Chen, Teran 2023, section 10.4, where PBD and XPBD fail.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import meshes

STIFFNESS = 1e7  # N/m^3, see solver.Tie
DRAG = 2.0  # 1/s
FRAMES = 48
STATIC = {"newton": "newton, no inertia", "pbng": "pbng, no inertia"}
MOVING = ("gpbd", "pbng", "newton", "xpbd", "pbd")
FIELDS = (
    "method",
    "sweeps",
    "lower centre z [m]",
    "off by [mm]",
    "widest gap [mm]",
    "inverted",
    f"ms a frame: {machine.SPREAD}",
)


def world(cells: int) -> Any:
    import solver

    x, tetrahedra = meshes.cube_of_six(cells)
    material = solver.Material.solid(1000, 1e5, 0.45)
    pins = solver.Pins(np.flatnonzero(x[:, 2] > 1 - 1e-9))
    upper = solver.SoftBody("upper", x + [0, 0, 1], tetrahedra, material, pins=pins)
    lower = solver.SoftBody("lower", x, tetrahedra, material)
    tie = solver.Tie("lower", "upper", distance=1e-3, stiffness=STIFFNESS)
    return solver.Scene([upper, lower], ties=[tie])


def row(label: str, scene: Any, frames: int, exact: float | None, **settings: Any) -> tuple[list[str], float]:
    """A row of the table, and the height of the lower block's centre."""
    import solver

    simulation = solver.Simulation(scene, solver.Settings(fps=24, threads=1, integrator="bdf1", **settings))
    upper, lower = scene.bodies
    under, above = np.flatnonzero(upper.vertices[:, 2] < 1 + 1e-9), np.flatnonzero(lower.vertices[:, 2] > 1 - 1e-9)
    times = machine.Times()
    try:
        for _ in range(frames):
            frame = times.take(simulation.advance_frame)
    except solver.UnstableError:
        return [label, str(settings["iterations"]), "thrown", "", "", "", ""], np.nan
    a, b = (frame.positions[name].astype(float) for name in ("upper", "lower"))
    gap = np.linalg.norm(a[under] - b[above], axis=1).max()
    edges = b[lower.tetrahedra[:, 1:]] - b[lower.tetrahedra[:, :1]]
    inverted = (np.linalg.det(edges) <= 0).mean()
    height = b[:, 2].mean()
    off = "" if exact is None else f"{1e3 * (height - exact):+.1f}"
    times_cell = machine.spread(times.counted().wall)
    shown = [
        label,
        str(settings["iterations"]),
        f"{height:.4f}",
        off,
        f"{1e3 * gap:.2f}",
        f"{100 * inverted:.1f} %",
        times_cell,
    ]
    return shown, height


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/hanging_blocks", description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=6)
    parser.add_argument("--sweeps", type=int, nargs="*", default=[10, 40])
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        scene, rows, exact = world(options.cells), [], None
        for method, label in STATIC.items():
            one = {"substeps": 1, "method": method, "quasi_static": True, "dtype": "float64"}
            sweeps = 100 if method == "newton" else 400
            shown, height = row(label, scene, 1, exact, iterations=sweeps, **one)
            exact = height if exact is None else exact
            rows.append(shown)
        for method in MOVING:
            for sweeps in [10] if method == "newton" else options.sweeps:
                shown, _ = row(method, scene, FRAMES, exact, iterations=sweeps, substeps=2, method=method, damping=DRAG)
                rows.append(shown)
                print("  ".join(shown), flush=True)
        print(machine.table(FIELDS, rows))


if __name__ == "__main__":
    main()
