"""The solver's report of each frame, kept in the manifests of a bake's caches; its numbers are of all bodies together."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...solver.cache.bake_writer import REPORTS
from ...solver.cache.pc2 import manifest_path, read_manifest
from ...solver.errors import CacheError

Numbers = Mapping[str, float]


@dataclass(frozen=True)
class Reports:
    """start: frame of the first report. frames: its numbers, a frame each, empty where none is known.

    error_tolerance: the solver error that the bake iterated to [m], None where it did not.
    """

    start: int
    frames: list[Numbers]
    error_tolerance: float | None = None

    def at(self, frame: int) -> Numbers:
        """The numbers of a scene frame; empty outside the bake, and for the start, which is given and not solved."""
        index = frame - self.start
        solved = 0 < index < len(self.frames)
        return self.frames[index] if solved else {}

    def solved(self) -> list[tuple[int, Numbers]]:
        """Frame and numbers of all frames that have some."""
        return [(self.start + k, values) for k, values in enumerate(self.frames) if values and k > 0]

    def names(self) -> list[str]:
        """Names of the numbers, in the report's order."""
        return list(dict.fromkeys(name for _, values in self.solved() for name in values))

    @property
    def seconds_a_frame(self) -> float:
        """The median: compiling kernels, once, does not count. 0 where nothing is known."""
        seconds = [values["seconds"] for _, values in self.solved() if values.get("seconds")]
        return statistics.median(seconds) if seconds else 0.0

    def intersections_left(self) -> tuple[int, int]:
        """The last frame, and how many edges pass through faces there."""
        solved = self.solved()
        return (solved[-1][0], int(solved[-1][1].get("intersections", 0))) if solved else (self.start, 0)

    def above_error(self) -> list[tuple[int, float]]:
        """Return frame and solver error [m] of the frames that ended above the requested error."""
        if self.error_tolerance is None:
            return []
        errors = [(frame, values.get("error", 0.0)) for frame, values in self.solved()]
        return [(frame, error) for frame, error in errors if error > self.error_tolerance]


def read(path: Path | None) -> Reports | None:
    """Return the reports of a cache; None where it has none. Cheap to repeat: the file is read when it has changed."""
    if path is None:
        return None
    try:
        stamp = manifest_path(path).stat()
    except OSError:
        return None
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=16)
def _read(path: Path, modified: int, size: int) -> Reports | None:
    try:
        manifest = read_manifest(path)
    except CacheError:
        return None  # the panel shows a fault of a cache elsewhere
    frames = manifest.get(REPORTS)
    if not frames:
        return None
    tolerance = manifest.get("settings", {}).get("error_tolerance")
    return Reports(int(manifest["start"]), list(frames), tolerance if isinstance(tolerance, float) else None)
