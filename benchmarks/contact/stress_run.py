"""A stress scene in a process of its own: `python -m benchmarks.contact.stress_run KIND QUALITY SEED N LINES.jsonl`.

Counts come from ipctk and from the positions of a frame, independent of the measured solver. A line is written after each
frame, so that a stopped run leaves its results. Needs a system with `resource`.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import solver
from solver.errors import GpbdError
from tests.scenes.stress.kinds import KINDS
from tests.scenes.stress.run import frames_of


def peak_memory() -> float:
    """Return the peak memory of this process so far [MiB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def main(argv: list[str] | None = None) -> None:
    kind, quality, seed, n, path, *more = sys.argv[1:] if argv is None else argv
    options = dict(option.split("=", 1) for option in more)
    poses, began = None, peak_memory()
    with Path(path).open("w", encoding="utf-8") as lines:

        def write(line: dict) -> None:
            lines.write(json.dumps({key: value for key, value in line.items() if key != "poses"}) + "\n")
            lines.flush()

        try:
            frames = int(options["frames"]) if "frames" in options else None
            limit = float(options.get("limit", "inf"))
            for line in frames_of(kind, quality, int(seed), int(n), frames, int(options.get("threads", 1))):
                poses = line.get("poses", poses)
                write(line if "end" not in line else line | {"memory": peak_memory() - began})
                if time.process_time() > limit:
                    write({"end": f"over {limit:g} s", "memory": peak_memory() - began, "warnings": []})
                    break
        except GpbdError as error:
            write({"end": f"{type(error).__name__}: {error}", "memory": peak_memory() - began, "warnings": []})
    if "picture" in options and poses is not None:
        from benchmarks.contact.stress_picture import draw

        draw(KINDS[kind](solver, int(seed), int(n)).scene, *poses, Path(options["picture"]))


if __name__ == "__main__":
    main()
