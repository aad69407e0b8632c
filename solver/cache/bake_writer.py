"""Writer of a bake, frame by frame: a cache of each body, and checkpoints to resume from.

The solving process writes, so that no process with a window waits for a disk. Frames survive a crash of the process at once,
and of the machine from the next checkpoint on (`atomic_write.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ..errors import CacheError
from ..json_value import JsonValue
from . import checkpoint, pc2
from .checkpoints import Checkpoints
from .lock import Lock
from .manifest import Manifest
from .object_space import local_positions
from .pc2_writer import Pc2Writer
from .values_writer import PLASTIC_SUFFIX, ValuesWriter

Array = np.ndarray

#: The growing part of a manifest; the reports are of all bodies, so every manifest has the same.
REPORTS: Final = "reports"
GROWING = ("hashes", "frames", REPORTS)


@dataclass(frozen=True)
class CachePlan:
    """The cache of a body, by its name. manifest: without its growing part; of a continued cache, the changes.

    source: cache whose frames it begins with, "" for none, also of a body that begins later; `path` itself if the bake
    continues it. written: `pc2.hash_of_all` of these frames, "" if it is only in the manifest. values: edges of the visible
    mesh (e, 2) and their lengths at rest [m], (e,), if values of each vertex are stored beside it (`values_writer.py`), else
    None.
    """

    body: str
    path: str
    n_vertices: int
    manifest: Manifest
    source: str = ""
    written: str = ""
    values: tuple[Array, Array] | None = None


@dataclass(frozen=True)
class BakePlan:
    """Plan of a bake. checkpoints: name of the bake, see `Checkpoints`. start: scene frame of the first one. identity:
    stored with each checkpoint. space: limit on all checkpoints [bytes]. keep: frames that the caches begin with. source:
    name of the bake whose checkpoints of these frames are taken over, "" for none.
    """

    folder: str
    checkpoints: str
    start: int
    caches: list[CachePlan]
    identity: Mapping[str, JsonValue]
    space: int
    keep: int = 0
    source: str = ""


class BakeWriter:
    """Opened by the plan. frames: number in the caches. kept: of the newest checkpoint, 0 without one. beside: arrays stored
    with each checkpoint; filled: file -> prefix of those of them with a file of their own, and its identity. measured: body
    -> of `CachePlan.values`, for bodies with values. branch: whether it begins with frames of another bake; branched: then
    the state that it continues from, for a checkpoint with its own identity beside the first new frame.
    """

    def __init__(self, plan: BakePlan, locks: Iterable[Lock] = ()) -> None:
        """locks: touched with each frame. Raises: CacheError if frames to continue from are not as they were written;
        then no file is touched."""
        self.frames = self.kept = plan.keep
        self.began = False  # whether a frame was written
        self.beside: Mapping[str, Array] = {}
        self.filled: Mapping[str, tuple[str, Mapping[str, JsonValue]]] = {}
        self.branch = bool(plan.source)
        self.branched: Mapping[str, Array] | None = None
        self.measured = {one.body: one.values for one in plan.caches if one.values is not None}
        self._plan, self._locks = plan, list(locks)
        self._checkpoints = Checkpoints(Path(plan.folder), plan.checkpoints)
        self._writers = {one.body: _open(one, plan) for one in plan.caches}
        self._values = {
            one.body: ValuesWriter(one.path, one.n_vertices, plan.start, plan.keep, one.source)
            for one in plan.caches
            if one.values is not None
        }
        self._plastic = {
            one.body: ValuesWriter(one.path, one.n_vertices, plan.start, plan.keep, one.source, PLASTIC_SUFFIX)
            for one in plan.caches
            if one.values is not None
        }
        self.reports: list[Mapping[str, float]] = self._known_reports()  # a mapping a frame, empty where none is known
        for writer in self._writers.values():
            writer.manifest[REPORTS] = self.reports

    def write(
        self, surfaces: Mapping[str, Array], inverses: Mapping[str, Array], report: Mapping[str, float],
        values: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        """Add a frame. surfaces: body -> (n, 3) [m], world space; inverses: body -> (4, 4), from there to object space.
        values: of each body whose plan has them, (n, 3), or (n, 6) with plastic strains. Raises: CacheError."""
        if not self.began:
            if self._plan.source:
                self._checkpoints.inherit(Checkpoints(self._checkpoints.folder, self._plan.source), self.frames)
            self._checkpoints.remove(after=self.frames)  # of frames that are made again now
            if self.branched is not None:  # the inherited one names the settings of the other bake
                self._write_checkpoint(self.branched)
                self.branched = None
        for lock in self._locks:
            lock.touch()  # first, because the folder may be gone, or another's
        self.reports.append(report)
        for body, writer in self._writers.items():
            writer.append(local_positions(surfaces[body], inverses[body]))
        for body, of_vertices in (values or {}).items():
            self._values[body].append(of_vertices[:, :3])
            if of_vertices.shape[1] > 3:
                self._plastic[body].append(of_vertices[:, 3:])
        self.began = True
        self.frames += 1

    def fill(self, surfaces: Mapping[str, Array], inverses: Mapping[str, Array]) -> None:
        """Let bodies that begin later stand in the frames before at their start, of `write`. Raises: CacheError."""
        for one in self._plan.caches:
            writer = self._writers[one.body]
            for _ in range(writer.n_frames, self._plan.keep):
                writer.append(local_positions(surfaces[one.body], inverses[one.body]))

    def write_checkpoint(self, arrays: Mapping[str, Array]) -> None:
        """The state after all frames that are written. Raises: CacheError."""
        if self.began:  # else the cache that is continued has it
            self._write_checkpoint(arrays)

    def _write_checkpoint(self, arrays: Mapping[str, Array]) -> None:
        for writer in self._writers.values():
            writer.sync()
        self._keep_apart()
        identity = {
            **self._plan.identity,
            "frames": self.frames,
            "written": {body: pc2.hash_of_all(writer.hashes) for body, writer in self._writers.items()},
            "manifests": {
                body: {key: value for key, value in writer.manifest.items() if key not in GROWING}
                for body, writer in self._writers.items()
            },
        }
        self._checkpoints.write(self.frames, {**arrays, **self.beside}, identity, self._plan.space)
        self.kept = self.frames

    def close(self) -> None:
        """Raises: CacheError if a manifest cannot be written."""
        try:
            for writer in self._writers.values():
                writer.close()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the files as they are, after an error."""
        for writer in self._writers.values():
            writer.abandon()
        for beside in (*self._values.values(), *self._plastic.values()):
            beside.abandon()

    def _keep_apart(self) -> None:
        for path, (prefix, identity) in self.filled.items():
            if _identity(Path(path)) != identity:
                arrays = {key.removeprefix(prefix): array for key, array in self.beside.items() if key.startswith(prefix)}
                checkpoint.write(path, arrays, identity)
        self.filled = {}

    def _known_reports(self) -> list[Mapping[str, float]]:
        if not self._plan.keep:
            return []
        source = next(one.source for one in self._plan.caches if one.source)
        reports = pc2.read_manifest(source).get(REPORTS, [])[: self._plan.keep]
        return [*reports, *[{}] * (self._plan.keep - len(reports))]


def _open(one: CachePlan, plan: BakePlan) -> Pc2Writer:
    if not one.source:
        return Pc2Writer(one.path, one.n_vertices, plan.start, one.manifest)
    if one.source != one.path:
        return Pc2Writer.branch(one.path, one.source, one.n_vertices, plan.keep, one.manifest, one.written)
    writer = Pc2Writer.resume(one.path, one.n_vertices, one.manifest["topology"], plan.keep, one.written or None)
    writer.manifest |= one.manifest
    return writer


def _identity(path: Path) -> dict[str, JsonValue] | None:
    try:
        return checkpoint.read(path)[1] if path.exists() else None
    except CacheError:
        return None  # damaged: it is written anew
