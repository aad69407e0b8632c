"""Repair of damaged frames in caches, one by one, in place; all others stay as they are.

Repeated frames are compared with the undamaged ones before any is replaced: if the scene differs from the baked one, no
frame is.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..errors import CacheError
from ..json_value import JsonValue
from .atomic_write import write_atomically, write_error
from .object_space import local_positions
from .pc2 import COUNT_OFFSET, frame_hash, manifest_path, read_header, read_manifest

Array = np.ndarray


@dataclass(frozen=True)
class PatchPlan:
    """Plan of a repair. caches: of each body, by its name. damaged: of each, the indices of the frames to repair, including
    missing ones after the end of the file. keep: index of the first frame that is solved."""

    caches: Mapping[str, str]
    damaged: Mapping[str, Sequence[int]]
    keep: int


class FramePatcher:
    """Is given frames as a `BakeWriter` is, from the plan's first on, and writes no checkpoints."""

    def __init__(self, plan: PatchPlan) -> None:
        """Raises: CacheError if a cache cannot be opened."""
        self.frames = self.kept = plan.keep
        self.beside: Mapping[str, Array] = {}
        self.filled: Mapping[str, tuple[str, Mapping[str, JsonValue]]] = {}
        self.measured: Mapping[str, tuple[Array, Array]] = {}  # values beside caches stay
        self.reports: list[Mapping[str, float]] = []
        self._caches = {body: _Cache(Path(path), plan.damaged.get(body, ())) for body, path in plan.caches.items()}

    def write(
        self, surfaces: Mapping[str, Array], inverses: Mapping[str, Array], report: Mapping[str, float],
        values: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        """The next frame, see `BakeWriter.write`. Raises: CacheError if it is another than was written of any body."""
        local = {body: local_positions(surfaces[body], inverses[body]) for body in self._caches}
        poses = {body: np.ascontiguousarray(pose, dtype="<f4") for body, pose in local.items()}
        for body, cache in self._caches.items():
            cache.compare(self.frames, poses[body])
        for body, cache in self._caches.items():
            cache.put(self.frames, poses[body], report)
        self.frames += 1
        self.kept = self.frames

    def write_checkpoint(self, arrays: Mapping[str, Array]) -> None:
        """Do nothing: existing checkpoints stay."""

    def close(self) -> None:
        """Raises: CacheError if a manifest cannot be written."""
        try:
            for cache in self._caches.values():
                cache.close()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the files as they are, after an error."""
        for cache in self._caches.values():
            cache.file.close()


class _Cache:
    def __init__(self, path: Path, damaged: Sequence[int]) -> None:
        self._path, self._damaged = path, set(damaged)
        self._header, self._manifest = read_header(path), read_manifest(path)
        self._hashes: list[str] = list(self._manifest["hashes"])
        self._reports: list[Mapping[str, float]] = list(self._manifest.get("reports", []))
        try:
            self.file = open(path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until close()
        except OSError as error:
            raise write_error(path, error) from error

    def compare(self, index: int, pose: Array) -> None:
        """Raises: CacheError."""
        if index < len(self._hashes) and self._hashes[index] != frame_hash(pose):
            raise CacheError(
                f"Cache {self._path}: frame {int(self._header.start) + index} comes out otherwise than it was written; "
                "wanted the scene as it was baked, and the same processor. Choose another version, or bake again; no frame "
                "was changed."
            )

    def put(self, index: int, pose: Array, report: Mapping[str, float]) -> None:
        """Replace a frame if it is damaged. Raises: CacheError."""
        if index not in self._damaged:
            return
        try:
            self.file.seek(self._header.offset(index))
            view = pose.data.cast("B")
            while len(view):
                view = view[self.file.write(view) :]
            if index >= self._header.n_frames:
                self._count(index + 1)
        except OSError as error:
            raise write_error(self._path, error) from error
        self._hashes += [frame_hash(pose)] if index == len(self._hashes) else []
        self._reports += [report] if index == len(self._reports) else []

    def _count(self, frames: int) -> None:
        self._header = replace(self._header, n_frames=frames)
        self.file.seek(COUNT_OFFSET)
        self.file.write(struct.pack("<i", frames * self._header.samples))

    def close(self) -> None:
        """Raises: CacheError."""
        try:
            os.fsync(self.file.fileno())
        except OSError as error:
            raise write_error(self._path, error) from error
        now = {"frames": self._header.n_frames, "hashes": self._hashes, "reports": self._reports}
        if any(self._manifest.get(key) != value for key, value in now.items()):
            written = json.dumps({**self._manifest, **now}, indent=1).encode()
            write_atomically(manifest_path(self._path), written, durable=True)
