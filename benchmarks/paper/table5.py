"""The paper's Table 5 on this machine: stable or not, inverted elements, volume, time: `python -m benchmarks.paper.table5`.

Iterations and Newton steps are the paper's; beside each row is the same scene with this project's settings (`--ours`). A
picture of every end state goes to `--pictures FOLDER` (needs Blender as a module).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.paper import cubes

SNH, NH = "paper_neo_hookean", "neo_hookean"
SHORT = {SNH: "SNH", NH: "NH"}
#: Above this root mean square speed [m/s] at the end, where all should rest or ring down, a cube counts as boiling.
BOILING = 1.0
FIELDS = (
    "scene",
    "energy",
    "nu",
    "dt [s]",
    "iterations",
    "Newton",
    f"ms of processor a step: {machine.SPREAD}",
    "end",
    "inverted",
    "J, least, most",
    "volume",
)


@dataclass(frozen=True)
class Row:
    scene: str
    energy: str
    poisson: float
    step: float
    iterations: int
    newton: int
    method: str = "gpbd"


def paper_rows() -> Iterator[Row]:
    """Table 5 and the cube of Table 2."""
    yield Row("Flatten", NH, 0.4995, 0.01, 2, 6)
    yield Row("Randomize", NH, 0.4995, 0.01, 2, 8)
    counts = {
        "Stretch": {0.45: (3, 2, 3, 3), 0.49: (2, 3, 3, 5), 0.495: (2, 3, 3, 5), 0.499: (3, 5, 3, 5), 0.4995: (0, 0, 3, 5)},
        "Compress": {
            0.45: (2, 3, 2, 5),
            0.49: (2, 3, 2, 7),
            0.495: (2, 3, 2, 10),
            0.499: (2, 5, 8, 10),
            0.4995: (2, 8, 20, 10),
        },
        "Twist": {0.45: (2, 1, 2, 2), 0.49: (2, 1, 2, 2), 0.495: (2, 2, 2, 2), 0.499: (2, 2, 2, 5), 0.4995: (2, 3, 2, 5)},
    }
    for scene, rows in counts.items():
        for poisson, (snh_iterations, snh_newton, nh_iterations, nh_newton) in rows.items():
            # The paper has no number for one row, which it could not run: here it has those of the row above.
            yield Row(scene, SNH, poisson, 0.001, snh_iterations or 3, snh_newton or 5)
            yield Row(scene, NH, poisson, 0.001, nh_iterations, nh_newton)
    yield Row("Cube Impact", NH, 0.45, 0.001, 3, 3)


def run(row: Row, cells: int | None, seconds: float, threads: int | None) -> tuple[list[str], np.ndarray, cubes.Cube]:
    """Return one row of the table, the last finite positions, and the cube."""
    import solver

    make = cubes.CUBES[row.scene]
    cube = make(cells) if cells else make()
    per_frame = max(1, round(0.02 / row.step))  # steps a frame; the table counts steps
    settings = solver.Settings(
        fps=1 / (row.step * per_frame),
        substeps=per_frame,
        iterations=row.iterations,
        local_iterations=row.newton,
        method=row.method,
        threads=threads,
        integrator="bdf1",
    )
    world = cubes.solver_scene(cube, row.energy, row.poisson)
    solver.Simulation(world, settings).advance_frame()  # compiles missing kernels
    simulation = solver.Simulation(world, settings)
    x, times, end = cube.start, machine.Times(), "rest"
    for _ in range(round(seconds / (row.step * per_frame))):
        try:
            frame = times.take(simulation.advance_frame)
        except solver.UnstableError:
            end = f"thrown at {simulation.state.time:.2f} s"
            break
        x = frame.positions[row.scene]
    ratios = cubes.volume_ratios(x, cube)
    speed = np.sqrt((simulation.state.v[: len(x)].astype(float) ** 2).sum(1).mean())
    if end == "rest" and (speed > BOILING or (ratios <= 0).any()):
        end = f"boils, {speed:.2f} m/s" if speed > BOILING else f"inverted, {speed:.2f} m/s"
    elif end == "rest":
        end = f"stable, {speed:.2f} m/s"
    weights = np.abs(cubes.volume_ratios(cube.rest, cube))
    cells_of = [
        row.scene,
        SHORT.get(row.energy, row.energy),
        f"{row.poisson:g}",
        f"{row.step:g}",
        f"{row.iterations} {row.method}",
        str(row.newton),
        machine.spread(times.processor, 1e3 / per_frame),
        end,
        f"{100 * (ratios <= 0).mean():.2g} %",
        f"{ratios.min():.3f} to {ratios.max():.3f}",
        f"{100 * ((ratios * weights).mean() / weights.mean() - 1):+.2f} %",
    ]
    return cells_of, x, cube


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="paper/table5", description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", help="default: all")
    parser.add_argument("--cells", type=int, help="cells along a side; default: the paper's")
    parser.add_argument("--seconds", type=float, default=cubes.LENGTH)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--poisson", type=float, nargs="*", help="only these")
    parser.add_argument("--iterations", type=int, help="in place of the paper's")
    parser.add_argument("--newton", type=int, help="Newton steps of a local solve in place of the paper's")
    parser.add_argument("--method", default="gpbd")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of every end state, and a sheet of all")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        print(f"{cubes.DENSITY:g} kg/m^3, {cubes.YOUNG:g} Pa, led for {cubes.RAMP:g} of {options.seconds:g} s, no damping.")
        rows, shown = [], []
        for row in paper_rows():
            if options.scenes and row.scene not in options.scenes:
                continue
            if options.poisson and row.poisson not in options.poisson:
                continue
            row = Row(
                row.scene,
                row.energy,
                row.poisson,
                row.step,
                options.iterations or row.iterations,
                options.newton or row.newton,
                options.method,
            )
            cells, x, cube = run(row, options.cells, options.seconds, options.threads)
            rows.append(cells)
            print("  ".join(cells), flush=True)
            if options.pictures:
                from benchmarks.paper import pictures

                options.pictures.mkdir(parents=True, exist_ok=True)
                name = f"{row.scene}_{SHORT[row.energy]}_{row.poisson:g}.png".replace(" ", "_")
                pictures.render(x, cube, options.pictures / name)
                shown.append(options.pictures / name)
        if shown:
            from benchmarks.paper import pictures

            pictures.sheet(shown, options.pictures / "sheet.jpg")
        print(machine.table(FIELDS, rows))


if __name__ == "__main__":
    main()
