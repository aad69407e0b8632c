"""Measurement of the cost of gate scenes, and the table of bounds of `test_gates.py`:
`python3 -m tests.gates.measure [--write] [gate ...]`.

A count may depend on how a processor rounds. So each scene runs several times, with starts disturbed by less than rounding
moves them in a frame, and the table has the greatest count of all runs. A new version may raise one only with
the reason in CHANGELOG.md.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

import solver
from tests.gates.scenes import GATES, Gate

TABLE = Path(__file__).with_name("measured.toml")
#: Share by which a count may exceed the table's.
MARGIN = 0.1
#: Disturbed runs of a scene, and how far their starts are moved [m].
RUNS, DISTURBANCE = 5, 1e-7
HEAD = """# Counts of `frame.report.work`, summed over the frames of each gate scene: python3 -m tests.gates.measure --write
# A new version may raise one only with the reason in CHANGELOG.md.
"""

Counts = Mapping[str, int]


def work_of(gate: Gate, seed: int = 0) -> dict[str, int]:
    """Sums of the counts over the gate's frames. seed: of the disturbance, 0 for none."""
    simulation = solver.Simulation(gate.make(), solver.Settings.quality(gate.quality, threads=1))
    if seed:
        n, free = simulation.model.n_vertices, ~simulation.model.fixed[:, None]
        moved = DISTURBANCE * np.random.default_rng(seed).uniform(-1, 1, (n, 3))
        simulation.state.x[:n, :3] += (free * moved).astype(simulation.state.x.dtype)
    frames = [asdict(simulation.advance_frame().report.work) for _ in range(gate.before + gate.frames)]
    return {name: sum(frame[name] for frame in frames[gate.before :]) for name in frames[0]}


def greatest(runs: Iterable[Counts]) -> dict[str, int]:
    """Return the greatest value of each count."""
    known = list(runs)
    return {name: max(run[name] for run in known) for name in known[0]}


def beyond(found: Counts, table: Counts) -> dict[str, tuple[int, int]]:
    """The counts that exceed the table's by more than the margin, with those of the table."""
    return {name: (count, table[name]) for name, count in found.items() if count > (1 + MARGIN) * table[name]}


def read() -> dict[str, dict[str, int]]:
    """The table, by gate and count."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def write(table: Mapping[str, Counts]) -> None:
    sections = ["\n".join([f"[{gate}]", *(f"{k} = {n}" for k, n in counts.items())]) for gate, counts in table.items()]
    TABLE.write_text("\n\n".join([HEAD.rstrip(), *sections]) + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="measure", description=__doc__.splitlines()[0])
    parser.add_argument("gates", nargs="*", metavar="GATE", help=f"of {', '.join(GATES)}; all if none is named")
    parser.add_argument("--write", action="store_true", help="write the table, of others as they stand")
    options = parser.parse_args(argv)
    table = read() if TABLE.is_file() else {}
    for name in options.gates or GATES:
        runs = [work_of(GATES[name], seed) for seed in range(RUNS + 1)]
        most, before = greatest(runs), table.get(name, {})
        print(f"{name}: greatest of {len(runs)} runs, what it exceeds the least by, what the table has")
        for count, value in most.items():
            least = min(run[count] for run in runs)
            print(f"  {count:17s} {value:10,} {value / max(least, 1) - 1 if value else 0:6.1%} {before.get(count, 0):10,}")
        table[name] = most
        if options.write:
            write({gate: table[gate] for gate in GATES if gate in table})


if __name__ == "__main__":
    main()
