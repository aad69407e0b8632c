"""Startup time of each pair of a method and an energy, cold and warm: `python -m benchmarks.kernels [energies]`.

Every figure is of a fresh process: from the import of the solver to the end of the first simulated frame of a tiny scene of
that energy, with Numba imported before. Cold: no compiled kernels; warm: those of the cold start. The last lines name the
largest. Energies that depend on others (soft pins, ties) are measured with the springs or solids that they need.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks import machine
from benchmarks.startup import fresh

#: Bounds on a start [s of the process]; larger figures are marked.
COLD, WARM = 12.0, 0.5

CODE = """
import json, time
import numba, numpy as np
from tests.scenes import meshes
wall, cpu = time.perf_counter(), time.process_time()
import solver
from solver.scene import catalog
def material(kind, density, *names):
    energies = catalog.energies()
    values = {{name: {{key: p.default for key, p in energies[name].parameters.items()}} for name in names}}
    return solver.Material(kind, kind, density, values)
name, element = "{energy}", "{element}"
if element in ("tetrahedron", "tie"):
    vertices, tetrahedra = meshes.cube_of_five(2)
    solid = material("solid", 1000.0, name if element == "tetrahedron" else "stable_neo_hookean")
    bodies = [solver.SoftBody("one", vertices, tetrahedra, solid, pins=solver.Pins([0, 1, 2]))]
    ties = []
    if element == "tie":
        bodies.append(solver.SoftBody("two", vertices + [0, 0, 1.0], tetrahedra, solid))
        ties = [solver.Tie("two", "one", 0.01)]
    scene = solver.Scene(bodies, ties=ties)
else:
    vertices, triangles = meshes.grid(4)
    fabric = material("fabric", 0.2, "spring" if element == "vertex" else name)
    pins = solver.Pins([0, 4], 0.5 if element == "vertex" else 1.0)
    scene = solver.Scene([solver.Cloth("sheet", vertices, triangles, fabric, pins=pins, self_contact=False)])
try:
    solver.Simulation(scene, solver.Settings(method="{method}", threads=1, global_iterations=0)).advance_frame()
    print(json.dumps({{"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}}))
except solver.SceneError as error:
    print(json.dumps({{"none": str(error)}}))
"""


def measured(energy: str, element: str, method: str) -> tuple[dict, dict] | None:
    """Seconds (wall, cpu) of a cold and a warm start; None where the method cannot use the energy."""
    code = CODE.format(energy=energy, element=element, method=method)
    with tempfile.TemporaryDirectory(prefix="gpbd-kernels-") as folder:
        kernels, bytecode = Path(folder) / "kernels", Path(folder) / "bytecode"
        kernels.mkdir()
        cold = fresh(code, kernels, bytecode)
        if "none" in cold:
            return None
        return cold, min((fresh(code, kernels, bytecode) for _ in range(2)), key=lambda run: run["cpu"])


def main(argv: list[str] | None = None) -> None:
    from solver.scene import catalog
    from solver.scene.method_choices import METHODS

    energies = {name: energy.element for name, energy in catalog.energies().items()}
    parser = argparse.ArgumentParser(prog="kernels", description=__doc__.splitlines()[0])
    parser.add_argument("energies", nargs="*", default=[], help="default: all, which takes most of an hour on two cores")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        rows, largest = [], {"cold": (0.0, ""), "warm": (0.0, "")}
        for energy in options.energies or energies:
            for method in options.methods:
                pair = measured(energy, energies[energy], method)
                if pair is None:
                    continue
                cold, warm = pair
                for kind, run in (("cold", cold), ("warm", warm)):
                    largest[kind] = max(largest[kind], (run["cpu"], f"{energy}, {method}"))
                figures = [f"{run[key]:.2f}" for run in pair for key in ("cpu", "wall")]
                late = " above" if cold["cpu"] > COLD or warm["cpu"] > WARM else ""
                rows.append([energy, method, *figures, machine.load(), late])
                print("  ".join(rows[-1]), flush=True)
        header = [
            "energy",
            "method",
            "cold, CPU s",
            "cold, wall s",
            "warm, CPU s",
            "warm, wall s",
            "load",
            f"{COLD:g} / {WARM:g} s",
        ]
        print(machine.table(header, rows))
        for kind, (seconds, pair) in largest.items():
            print(f"largest {kind} start: {seconds:.2f} s of the process, {pair}.")


if __name__ == "__main__":
    main()
