"""Times the same scenes by the solvers of two trees in turns, and prints the ratios of frame times.

    python tools/side_by_side.py BASE_TREE [--tree DIR] [--threads 1,2] [--rounds 3] [--only NAME ...]

Both trees are used by the public names of `solver` only, each in a process of its own, one after the other within a round,
so that both meet the same machine. Kernels are compiled before anything is timed. Prints median, mean and slowest frame of
the tree [ms], and the ratios of its median and mean to those of the base; a line for each scene and number of threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import same_bits_scenes as meshes

FABRIC, SOFT = meshes.WOVEN, meshes.SOFT


def hung(s: Any, n: int, **settings: Any) -> tuple[Any, Any]:
    return s.Scene([meshes.hung(s, n)]), settings


def fold(s: Any) -> tuple[Any, Any]:
    return meshes.fold(s).scene, {"substeps": 8, "iterations": 4, "global_iterations": 4}


def drape(s: Any) -> tuple[Any, Any]:
    return meshes.collider(s, n=64).scene, {"substeps": 8, "iterations": 1, "global_iterations": 4}


def block(s: Any, n: int, **settings: Any) -> tuple[Any, Any]:
    return s.Scene([meshes.held(s, n)]), settings


SCENES: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "hung 64, 8 x 10": lambda s: hung(s, 64, iterations=10),
    "hung 64, 8 x 1 + 4": lambda s: hung(s, 64, iterations=1, global_iterations=4),
    "hung 128, 8 x 1 + 4": lambda s: hung(s, 128, iterations=1, global_iterations=4),
    "drape 64, 8 x 1 + 4": drape,
    "fold 48, 8 x 4 + 4": fold,
    "solid 16, gpbd 8 x 4": lambda s: block(s, 16, iterations=4),
    "solid 16, pbng 8 x 4": lambda s: block(s, 16, iterations=4, method="pbng"),
}
FRAMES = 12


def here(name: str, threads: int) -> list[float]:
    """Seconds of each frame; the first, which may compile, is left out."""
    import solver

    scene, settings = SCENES[name](solver)
    simulation = solver.Simulation(scene, solver.Settings(threads=threads, **meshes.PLAIN | settings))
    seconds = []
    for _ in range(FRAMES):
        began = time.perf_counter()
        simulation.advance_frame()
        seconds.append(time.perf_counter() - began)
    return seconds[1:]


def timed(tree: Path, name: str, threads: int) -> list[float]:
    environment = {"NUMBA_CACHE_DIR": str(Path(tempfile.gettempdir()) / "gpbd_side_by_side")} | os.environ
    environment |= {"PYTHONPATH": str(tree), "NUMBA_NUM_THREADS": str(max(2, threads))}
    call = [sys.executable, __file__, "here", "--only", name, "--threads", str(threads)]
    return json.loads(subprocess.run(call, env=environment, stdout=subprocess.PIPE, check=True).stdout.splitlines()[-1])


def compare(base: Path, tree: Path, name: str, threads: int, rounds: int) -> str:
    """Return one line of the table."""
    times: dict[Path, list[float]] = {base: [], tree: []}
    for number in range(rounds + 1):
        for one in (base, tree):
            seconds = timed(one, name, threads)
            times[one] += seconds if number else []  # the first round compiles
    ours = 1e3 * np.array(times[tree])
    ratio = statistics.median(times[tree]) / statistics.median(times[base])
    means = statistics.mean(times[tree]) / statistics.mean(times[base])
    numbers = f"{np.median(ours):8.1f} {ours.mean():8.1f} {ours.max():8.1f}"
    return f"{name:24} {threads:7} {numbers} {ratio:8.3f} {means:8.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="a checkout, or 'here': what this starts as a process")
    parser.add_argument("--tree", type=Path, default=Path(__file__).parent.parent, help="another checkout")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=list(SCENES), metavar="NAME", help="; ".join(SCENES))
    options = parser.parse_args()
    if options.base == "here":
        print(json.dumps(here(options.only[0], int(options.threads))))
        return
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{os.cpu_count()} cores{load}; ms a frame of {options.tree.resolve().name}, and ratios to {options.base}")
    print(f"{'scene':24} {'threads':>7} {'median':>8} {'mean':>8} {'slowest':>8} {'ratio':>8} {'of means':>8}")
    for name in options.only:
        for threads in map(int, options.threads.split(",")):
            print(compare(Path(options.base).resolve(), options.tree.resolve(), name, threads, options.rounds), flush=True)


if __name__ == "__main__":
    main()
