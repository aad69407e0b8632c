"""Starts in which surfaces already pass through each other: `python -m benchmarks.contact.intersecting [name ...]`."""

from __future__ import annotations

import sys

from solver.report.report import stretch
from tests.scenes.counted_runs import run_start
from tests.scenes.intersecting import STARTS
from tests.scenes.without_contact import FPS


def main() -> None:
    print("| start | vertices | intersections | clean after | at 2 s | largest stretch | report off by | s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or STARTS:
        r = run_start(name)
        clean = "never" if r.clean is None else f"{r.clean / FPS:.2f} s"
        off = max(abs(a - b) for a, b in zip(r.counted[1:], r.told, strict=True))
        model = r.simulation.model
        longest, _ = stretch(r.simulation.state.x, model.edges, model.edge_lengths)
        print(
            f"| {name} | {model.n_vertices} | {r.counted[0]} | {clean} | {r.counted[-1]} | {longest:.0%} | {off} | "
            f"{r.seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
