"""Stress scenes, every frame counted by ipctk: `python -m benchmarks.contact.stress --only twisted_tube --quality draft`.

Each run is a process of its own, two at a time, with a time limit each. Prints a table in Markdown, the worst of all seeds a
row; `--out` stores the numbers of every run, added to those already in the file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import machine
from benchmarks.contact.stress_table import table
from tests.scenes.stress.kinds import KINDS, SIZES
from tests.scenes.stress.summary import summary

#: Times the limit of a run's processor time that it may take where the machine is busy.
WAITS = 6


def run_case(case: tuple, options: argparse.Namespace, folder: Path) -> dict:
    """Run one case in a fresh process."""
    kind, n, quality, seed = case
    name = f"{kind}-{n}-{quality}-{seed}"
    lines = folder / f"{name}.jsonl"
    command = [sys.executable, "-m", "benchmarks.contact.stress_run", kind, quality, str(seed), str(n), str(lines)]
    command += [f"threads={options.threads}", f"limit={options.limit}"]
    if options.frames:
        command += [f"frames={options.frames}"]
    if options.picture:
        options.picture.mkdir(parents=True, exist_ok=True)
        command += [f"picture={options.picture / name}.png"]
    end = None
    try:
        done = subprocess.run(command, cwd=machine.ROOT, timeout=WAITS * options.limit, capture_output=True, text=True)
        if done.returncode:
            end = f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}"
    except subprocess.TimeoutExpired:
        end = f"over {WAITS * options.limit:g} s of waiting"
    text = lines.read_text(encoding="utf-8") if lines.exists() else ""
    read = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
    if not read:
        read = [{"kind": kind, "quality": quality, "seed": seed, "n": n, "vertices": 0, "frames": 0}]
    if end is not None:
        read.append({"end": end, "memory": None, "warnings": []})
    result = summary(read)
    print(f"{name}: {', '.join(result['failures']) or 'holds'}", file=sys.stderr, flush=True)
    return result


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="stress", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(KINDS), metavar="KIND", default=list(KINDS))
    parser.add_argument("--quality", nargs="+", choices=("draft", "production"), default=["draft", "production"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--sizes", nargs="+", choices=("coarse", "fine"), default=["coarse", "fine"])
    parser.add_argument("--frames", type=int, help="of each run; default: all")
    parser.add_argument("--threads", type=int, default=1, help="of each run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of processor time that a run may take")
    parser.add_argument("--out", type=Path, help="JSON file of all runs")
    parser.add_argument("--picture", type=Path, help="folder for a picture of each run's last frame; needs bpy")
    parser.add_argument("--lines", type=Path, help="folder for the frames of each run, a JSON object a line")
    parser.add_argument("--show", action="store_true", help="print the table of --out, run nothing")
    options = parser.parse_args(argv)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    machine.keep_kernels()
    order = [(size, quality, seed) for size in options.sizes for quality in options.quality for seed in options.seeds]
    sizes = {"coarse": 0, "fine": 1}
    cases = [(kind, SIZES[kind][sizes[size]], q, seed) for kind in options.only for size, q, seed in order]
    runs: dict[tuple, dict] = {}
    if options.out and options.out.exists():
        runs = {_key(run): run for run in json.loads(options.out.read_text(encoding="utf-8"))}
    if options.show:
        print(table(list(runs.values())))
        return
    print(machine.describe())
    with tempfile.TemporaryDirectory(prefix="gpbd-stress-") as temporary, ThreadPoolExecutor(options.jobs) as pool:
        folder = (options.lines or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for run in pool.map(lambda case: run_case(case, options, folder), cases):
            runs[_key(run)] = run
            if options.out:
                options.out.write_text(json.dumps(list(runs.values()), indent=1), encoding="utf-8")
    print(table(list(runs.values())))


def _key(run: dict) -> tuple:
    return run["kind"], run["n"], run["quality"], run["seed"]


if __name__ == "__main__":
    main()
