"""Waiting time before the first frame: `python -m benchmarks.startup`. Each figure is of a fresh process.

Enabling the extension in Blender; the first frame with no compiled kernels; the first frame of every later start. The
baseline of the frames is the time to import Numba and to compile a loop of one line.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import machine

ENABLE = """
import json, sys, time
begin = time.process_time()
import bpy
start, wall = time.process_time(), time.perf_counter()
from demo import extension
extension.enable()
wall, end = time.perf_counter() - wall, time.process_time()
print(json.dumps({"wall": wall, "cpu": end - start, "blender": start - begin, "numba": "numba" in sys.modules}))
"""

BASELINE = """
import numba
@numba.njit(cache=True)
def double(x):
    for i in range(len(x)):
        x[i] *= 2.0
import numpy
double(numpy.ones(8, numpy.float32))
"""

WORLD = """
import numpy as np
import solver
from tests.scenes import materials, meshes
n = {n}
fabric = solver.Material.fabric(**materials.FABRIC)
sheet = solver.Cloth("sheet", *meshes.grid(n), fabric, pins=solver.Pins([0, n]), self_contact=False)
"""
RUN = """
simulation = solver.Simulation(scene)
simulation.advance_frame()
"""
FRAMES = {
    "cloth": WORLD + "scene = solver.Scene([sheet])" + RUN,
    "cloth, mesh collider": WORLD
    + """
v, t = meshes.grid(8)
scene = solver.Scene([sheet], [solver.Collider("floor", v - [0, 0, 0.002], t)])
"""
    + RUN,
    "self-collisions, Keep Length": WORLD
    + """
sheet.self_contact = True
v, t = meshes.grid(8)
scene = solver.Scene([sheet], [solver.Collider("floor", v - [0, 0, 0.002], t)])
"""
    + RUN,
    "stockinette, self-collisions, Keep Length": WORLD
    + """
v, t = meshes.grid(n)
sheet = solver.Cloth("sheet", v, t, solver.load_material("stockinette"), pins=solver.Pins([0, n]), uv=v[:, :2].copy())
v, t = meshes.grid(8)
scene = solver.Scene([sheet], [solver.Collider("floor", v - [0, 0, 0.002], t)])
"""
    + RUN,
    "soft body": WORLD
    + """
v, t = meshes.cube_of_five(max(n // 12, 2))  # small: what is timed is the start
scene = solver.Scene([solver.SoftBody("block", v, t, solver.Material.solid(**materials.SOLID), pins=solver.Pins([0]))])
"""
    + RUN,
}

TIMED = """
import os, time
wall, cpu = time.perf_counter(), sum(os.times()[:4])
{code}
wall = time.perf_counter() - wall
import json
if "simulation" in globals():
    simulation._kernels.wait()  # for those that frames after the first need: the system tells the time of what has ended
print(json.dumps({{"wall": wall, "cpu": sum(os.times()[:4]) - cpu}}))
"""


def fresh(code: str, kernels: Path | None = None, bytecode: Path | None = None) -> dict:
    """Return the last line printed by a new Python, read as JSON. Folders: for Numba's kernels, for Python's
    compiled files."""
    environment = os.environ | {"PYTHONPATH": str(machine.ROOT)}
    if kernels is not None:
        environment["NUMBA_CACHE_DIR"] = str(kernels)
    if bytecode is not None:
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    with tempfile.TemporaryDirectory(prefix="gpbd-script-") as place:
        script = (kernels or Path(place)) / "script.py"  # a file, and always the same: Numba keeps no kernels of "-c"
        script.write_text(code, encoding="utf-8")
        done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"startup: a process ended with code {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def enabling(repeats: int, folder: Path) -> None:
    """folder: for Python's compiled files, which an installed extension has from its second start on."""
    if importlib.util.find_spec("bpy") is None:
        print("Enabling the extension: not measured, Blender is not installed as a module.")
        return
    first = fresh(ENABLE, bytecode=folder)
    runs = [fresh(ENABLE, bytecode=folder) for _ in range(repeats)]
    wall, cpu, blender = ([run[key] for run in runs] for key in ("wall", "cpu", "blender"))
    numba = "imports Numba, which it must not" if any(run["numba"] for run in runs) else "Numba is not imported"
    print(
        f"Enabling the extension: {machine.spread(wall)} ms, CPU {machine.spread(cpu)} ms ({machine.SPREAD} of {repeats} "
        f"fresh processes; the first after an update: CPU {1e3 * first['cpu']:.0f} ms); ratio to the CPU time of Blender's "
        f"own start: {sum(cpu) / sum(blender):.3f}; {numba}."
    )


def first_frames(n: int, repeats: int, names: list[str]) -> None:
    codes = {"Numba alone": BASELINE, **{name: FRAMES[name].format(n=n) for name in names}}
    rows, base = [], {}
    for name, code in codes.items():
        with tempfile.TemporaryDirectory(prefix="gpbd-startup-") as folder:
            kernels, bytecode = Path(folder) / "kernels", Path(folder) / "bytecode"
            kernels.mkdir()
            cold = fresh(TIMED.format(code=code), kernels, bytecode)
            runs = [fresh(TIMED.format(code=code), kernels, bytecode) for _ in range(repeats)]
        warm = {key: [run[key] for run in runs] for key in ("wall", "cpu")}
        base = base or {"cold": cold["cpu"], "warm": sum(warm["cpu"])}
        rows.append(
            [
                name,
                f"{cold['wall']:.2f}",
                f"{cold['cpu']:.2f}",
                f"{cold['cpu'] / base['cold']:.1f}",
                machine.spread(warm["wall"], 1.0),
                machine.spread(warm["cpu"], 1.0),
                f"{sum(warm['cpu']) / base['warm']:.1f}",
            ]
        )
    warm_s = f"warm, wall s: {machine.SPREAD}"
    header = ["first frame", "cold, wall s", "cold, CPU s", "ratio", warm_s, "warm, CPU s", "ratio"]
    print(machine.table(header, rows))
    print(
        f"From the import of the solver to the end of frame 2; cold: no compiled kernels, warm: {repeats} times; CPU: of "
        "this process and those that compile beside it, with what later frames need; ratio: CPU time to that of Numba alone."
    )


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="startup", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=128, help="quads along a side of the cloth")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--scenes", nargs="*", default=list(FRAMES), choices=FRAMES, metavar="SCENE", help=", ".join(FRAMES))
    parser.add_argument("--peers", action="store_true", help="no other solvers here: ignored")
    options = parser.parse_args(argv)
    with machine.measuring():
        with tempfile.TemporaryDirectory(prefix="gpbd-startup-") as folder:
            enabling(options.repeats, Path(folder))
        first_frames(options.n, options.repeats, options.scenes)


if __name__ == "__main__":
    main()
