"""Nanoseconds an element and sweep, for every energy, beside the same element functions without lanes.

`python -m benchmarks.energies [names]`. The baseline is a copy of the solver with one element to a pack in place of 16: the
same `project`, the same gathering, the same order of clusters, compiled in the same process; only the lanes are missing.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from tests.scenes import materials, meshes, without_contact
from tests.scenes.linear_table import linear_table

LANES_LINE = "LANES = 16\n"
#: Gathering without vector loads, which need four lanes at a time; it is appended to the original and replaces it.
ONE_BY_ONE = """

@inline
def gather(x, index, pack, corners, lanes):
    for number in range(corners):
        for i in range(4):
            lanes[4 * number + i] = x[index[pack, number], i]


@inline
def gather_sums(x, y, index, pack, corners, lanes):
    for number in range(corners):
        for i in range(4):
            lanes[4 * number + i] = x[index[pack, number], i] + y[index[pack, number], i]


@inline
def scatter_moves(x, index, pack, corners, lanes):
    for number in range(corners):
        for i in range(3):
            x[index[pack, number], i] += lanes[4 * number + i]
"""


def scalar_solver() -> Any:
    """The package `scalar_solver`: the solver with packs of one element."""
    from solver.device import jit

    mine = zlib.crc32(Path(__file__).read_bytes())
    folder = Path(tempfile.gettempdir()) / f"gpbd-benchmark-{jit.sources_hash()}-{mine:08x}"
    package = folder / "scalar_solver"
    if not package.is_dir():
        part = folder / "part"
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(machine.ROOT / "solver", part, ignore=shutil.ignore_patterns("__pycache__"))
        cpu = part / "device" / "cpu.py"
        text = cpu.read_text(encoding="utf-8")
        if text.count(LANES_LINE) != 1:
            raise SystemExit(f"{cpu}: wanted one line {LANES_LINE!r}; the baseline cannot be built. Adapt this benchmark.")
        cpu.write_text(text.replace(LANES_LINE, "LANES = 1\n"), encoding="utf-8")
        with (part / "device" / "lanes.py").open("a", encoding="utf-8") as lanes:
            lanes.write(ONE_BY_ONE)
        part.rename(package)
    sys.path.insert(0, str(folder))
    return importlib.import_module("scalar_solver")


class Sweeps:
    """One energy of a package on its scene, ready for sweeps."""

    def __init__(self, package: Any, name: str, n: int | None):
        described = importlib.import_module(f"{package.__name__}.scene.catalog").energies()[name]
        element, values = described.element, {key: p.default for key, p in described.parameters.items()}
        if element == "tetrahedron":
            vertices, tetrahedra = meshes.cube_of_six(n or 25)
            values |= {key: materials.SOLID[key] for key in materials.SOLID if key in values}
            solid = package.Material.solid(**materials.SOLID).changed(energies={name: values})
            scene = package.Scene([package.SoftBody("cube", vertices, tetrahedra, solid)])
            settings = package.Settings(fps=1000, substeps=1, integrator="bdf1")
        elif element == "tie":
            vertices, tetrahedra = meshes.cube_of_six(n or 25)
            solid = package.Material.solid(**materials.SOLID)
            cubes = [package.SoftBody(f"cube {k}", vertices + [0, 0, k], tetrahedra, solid) for k in (0, 1)]
            scene = package.Scene(cubes, ties=[package.Tie("cube 0", "cube 1", distance=1e-3)])
            settings = package.Settings(fps=1000, substeps=1, integrator="bdf1")
        else:
            arrays = without_contact.s1(n or 128)
            scene = without_contact.solver_scene(arrays, package)
            if element == "stitch":
                half = len(arrays.start) // 2
                pairs = np.stack([np.arange(half), np.arange(half) + half], axis=1)
                scene.bodies[0].sewing = package.Sewing(pairs)
            elif element != "vertex" and name not in scene.bodies[0].material.energies:
                table = None
                if described.has_table:
                    table = linear_table(module=importlib.import_module(f"{package.__name__}.scene.fabric_table"))
                scene.bodies[0].material = scene.bodies[0].material.changed(energies={name: values}, table=table)
            if element == "vertex":
                scene.bodies[0].pins = package.Pins(np.arange(len(arrays.start)), 0.5)
            settings = package.Settings(fps=24, substeps=8, integrator="bdf1")
        model = importlib.import_module(f"{package.__name__}.model.build").build(scene, settings)
        state = importlib.import_module(f"{package.__name__}.model.state").start_state(model, lambda energy: energy.STATE)
        state.x[: model.n_vertices, :3] += np.random.default_rng(0).normal(0, 1e-4, (model.n_vertices, 3))
        number = next(i for i, batch in enumerate(model.batches) if name == batch.energy.NAME)
        batch = model.batches[number]
        self.threads = importlib.import_module(f"{package.__name__}.device.threads")
        self.loop = importlib.import_module(f"{package.__name__}.device.loops_cpu").sweep_clusters
        visits = importlib.import_module(f"{package.__name__}.methods.visits.gpbd")
        self.elements = int((batch.element >= 0).sum())
        self.filling = 1 - self.elements / len(batch.element)
        self.x = state.x
        arrays = (batch.index, batch.rest, batch.constants, batch.material, state.strains_at_start[number])
        elements = visits.Elements(*arrays, state.displacements[number], np.float32(0.5), 1, state.x, np.zeros_like(state.x))
        self.arguments = (visits.sweep, batch.energy, batch.colours, batch.clusters, elements)

    def __call__(self) -> None:
        self.loop(*self.arguments)

    def nanoseconds(self, threads: int, repeats: int) -> list[float]:
        """Times an element and sweep: of the thread with one, of the wall with more."""
        self.threads.set_threads(threads)
        times = machine.seconds(self, repeats, time.thread_time if threads == 1 else time.perf_counter)
        if not np.isfinite(self.x).all():
            raise SystemExit("The sweeps left the finite numbers; their time means nothing.")
        return [1e9 * each / self.elements for each in times]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="energies", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="energies; default: all")
    parser.add_argument("--n", type=int, help="cells along a side; default: 25 for solids, 128 for cloth")
    parser.add_argument("--repeats", type=int, default=21, help="sweeps to take the median of")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        import solver

        plain = scalar_solver()
        rows = []
        for name in options.names or solver.scene.catalog.energies():
            lanes, scalar = Sweeps(solver, name, options.n), Sweeps(plain, name, options.n)
            # In turns, so that other work on the machine meets both; the better round counts.
            rounds = [(lanes.nanoseconds(1, options.repeats), scalar.nanoseconds(1, options.repeats)) for _ in range(3)]
            rounds_of_two = [lanes.nanoseconds(2, options.repeats) for _ in range(3)]
            best = [min(times, key=machine.median) for times in (*zip(*rounds), rounds_of_two)]
            one, alone, two = (machine.median(times) for times in best)
            shown = [machine.spread(times, 1.0) for times in best]
            rows.append(
                [
                    name,
                    str(lanes.elements),
                    f"{lanes.filling:.0%}",
                    *shown,
                    f"{alone / one:.1f}",
                    f"{one / two:.2f}",
                ]
            )
        header = ["energy", "elements", "filling", f"ns, 1 thread: {machine.SPREAD}", "ns, no lanes", "ns, 2 threads"]
        header += ["lanes bring", "threads bring"]
        print(machine.table(header, rows))
        print(
            "ns: an element and sweep, best of 3 rounds; 1 thread and no lanes: time of the thread, 2 threads: wall. Ratios "
            "of medians."
        )


if __name__ == "__main__":
    main()
