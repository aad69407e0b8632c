"""Comparison of the bits that two trees of this project compute: a guard for changes that must not change any result.

    python tools/same_bits.py hash [--tree DIR] [--threads 1,2] [--only NAME ...] [--out FILE]
    python tools/same_bits.py check BASELINE.json [--tree DIR] [--threads 1,2] [--only NAME ...]

`hash` simulates the scenes of `same_bits_scenes.py` by the `solver` of a tree (default: that of this file) and writes
{scene: {threads: [hash of each frame]}} as JSON. `check` repeats it and prints a line for each scene: same, or DIFFERS and
in which frame first. Exit code 1 for any difference: from the baseline, between numbers of threads, or between a scene and
the same one that was stopped, restored from a snapshot and continued.

Hashes depend on the processor, on Python and on the versions of NumPy and Numba, so no baseline is in the repository: make
one from the tree before the change, on the same machine, by the same interpreter. Both trees run the scenes beside this
file. They use only the public names of `solver`, so that its modules may move; a scene without its event (contact,
intersections, more substeps) stops the run.

Kernels are compiled once for each state of a tree's sources, which takes minutes; afterwards all scenes take about one. They
are kept in NUMBA_CACHE_DIR, by default a folder below the system's temporary one.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from same_bits_scenes import NAMES, PLAIN, RESUMED, SCENES

#: Scene -> number of threads -> hash of each frame, from the start on.
Hashes = dict[str, dict[str, list[str]]]

#: Numbers of a frame's report that are part of its hash.
COUNTS = ("substeps", "iterations", "contacts", "intersections")


def hash_of(frame: Any) -> str:
    """Return the hash of the positions and the visible surfaces of all bodies, and of the report's counts."""
    digest = hashlib.sha256(repr([int(getattr(frame.report, name)) for name in COUNTS]).encode())
    for arrays in (frame.positions, frame.surfaces):
        for x in arrays.values():
            digest.update(np.ascontiguousarray(x, np.float32).tobytes())
    return digest.hexdigest()[:16]


def frames_of(s: Any, name: str, threads: int) -> Iterator[Any]:
    """Return all frames of a scene. Raises: SystemExit if its event does not happen."""
    whole = name.removesuffix("_resumed")
    case, stop = SCENES[whole](s), RESUMED[whole] if whole != name else None
    settings = s.Settings(threads=threads, **PLAIN | case.settings)
    simulation, most = s.Simulation(case.scene, settings), dict.fromkeys(case.above, 0)
    for number in range(1, case.frames + 1):
        frame = next(simulation.frames(number, number))
        most = {key: max(value, getattr(frame.report, key)) for key, value in most.items()}
        yield frame
        if number == stop:
            snapshot = simulation.snapshot()
            simulation = s.Simulation(SCENES[whole](s).scene, settings)
            simulation.restore(snapshot)
    if any(most[key] <= least for key, least in case.above.items()):
        raise SystemExit(f"{name}: at most {most} in a frame; wanted more than {case.above}, which it is there to test.")


def simulate(tree: Path, threads: list[int], names: list[str]) -> Hashes:
    """Return hashes of the scenes by the solver that Python imports, which must be the tree's; prints the times on
    stderr."""
    import solver

    if not Path(solver.__file__).resolve().is_relative_to(tree):
        raise SystemExit(f"{solver.__file__} was imported; wanted the solver of {tree}.")
    hashes: Hashes = {}
    for name, count in itertools.product(names, threads):
        began = time.perf_counter()
        hashes.setdefault(name, {})[str(count)] = [hash_of(frame) for frame in frames_of(solver, name, count)]
        print(f"{name}, threads {count}: {time.perf_counter() - began:.2f} s", file=sys.stderr, flush=True)
    return hashes


def simulate_apart(tree: Path, threads: str, names: list[str]) -> Hashes:
    """Run `simulate` in a process of its own, in which `solver` is that of the tree."""
    most = max(map(int, threads.split(",")))  # so that two threads are two on one core as well
    environment = {"NUMBA_CACHE_DIR": str(Path(tempfile.gettempdir()) / "gpbd_same_bits")} | os.environ
    environment |= {"PYTHONPATH": str(tree), "NUMBA_NUM_THREADS": str(most)}
    call = [sys.executable, __file__, "here", "--tree", str(tree), "--threads", threads, "--only", *names]
    done = subprocess.run(call, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"The scenes could not all be simulated by {tree}; see above.")
    return json.loads(done.stdout)


def differences(name: str, found: Hashes, baseline: Hashes | None) -> list[str]:
    """Return the differences in a scene, in words. A scene that the baseline lacks differs from its first frame on."""
    mine, whole = found[name], name.removesuffix("_resumed")
    first = next(iter(mine))
    pairs = [(count, f"threads {first}", mine[first]) for count in mine if count != first]
    if baseline is not None:
        pairs += [(count, "the baseline", baseline.get(name, {}).get(count, [])) for count in mine]
    if whole != name and whole in found:
        pairs += [(count, f"'{whole}'", found[whole][count]) for count in mine]
    sentences = []
    for count, other, hashes in pairs:
        both = enumerate(itertools.zip_longest(mine[count], hashes), 1)
        frame = next((number for number, (one, two) in both if one != two), None)
        if frame is not None:
            sentences.append(f"threads {count} from {other} in frame {frame}")
    return sentences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("hash", "check", "here"), help="'here': what the other two start as a process")
    parser.add_argument("baseline", nargs="?", type=Path, help="a file that 'hash' has made")
    parser.add_argument("--tree", type=Path, default=Path(__file__).parent.parent, help="a checkout")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas between")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--out", type=Path, help="a file for the JSON")
    options = parser.parse_args()
    if (options.command == "check") != (options.baseline is not None):
        parser.error("'check' needs a baseline, and nothing else does")
    tree = options.tree.resolve()
    if options.command == "here":
        print(json.dumps(simulate(tree, [int(count) for count in options.threads.split(",")], options.only)))
        return 0
    baseline = json.loads(options.baseline.read_text(encoding="utf-8")) if options.baseline else None
    hashes = simulate_apart(tree, options.threads, options.only)
    if options.out:
        options.out.write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")
    elif options.command == "hash":
        print(json.dumps(hashes, indent=1))
    of_scenes = {name: differences(name, hashes, baseline) for name in hashes}
    for name, lines in of_scenes.items():
        if lines or baseline is not None:
            line = f"{name}: {'DIFFERS: ' + '; '.join(lines) if lines else 'same'}"
            print(line, file=sys.stdout if options.command == "check" else sys.stderr)
    return 1 if any(of_scenes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
