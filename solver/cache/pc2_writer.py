"""The PC2 writer: a body's cache, frame by frame, a file of whole frames whenever it stops (`pc2.py` has the format)."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import CacheError
from ..paths import as_path
from .atomic_write import AGAIN, write_atomically, write_error, write_part
from .pc2 import (
    COUNT_OFFSET,
    FORMAT,
    HEADER,
    MAGIC,
    Header,
    frame_hash,
    hash_of_all,
    manifest_path,
    read_frames,
    read_header,
    read_manifest,
)

MANIFEST_SECONDS = 1.0  # at most this much work is left without a hash by a crash; keeps long bakes linear


class Pc2Writer:
    """Writes the PC2 file of a body frame by frame, and its manifest.

    The file appears with its first frame, so a bake that fails before leaves an older cache as it was. `manifest` needs
    the key "topology" (see `topology_hash`) for `resume`; all of it is kept.
    """

    def __init__(self, path: str | os.PathLike, n_vertices: int, start: float, manifest: Mapping[str, Any]):
        """start: frame number of the first frame. Raises: CacheError if the folder cannot be made."""
        self.path = as_path("Cache", path, CacheError)
        self.header = Header(int(n_vertices), float(start), 0)
        self.manifest = {"format": FORMAT, **manifest, "n_vertices": int(n_vertices), "start": start}
        self.hashes: list[str] = []
        self._file: Any = None
        self._manifest_due = 0.0
        self._uncut = False  # whether the file holds frames after `n_frames`
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.path.parent, error) from error

    @classmethod
    def resume(
        cls, path: str | os.PathLike, n_vertices: int, topology: str, keep: int, written: str | None = None
    ) -> Pc2Writer:
        """Goes on after the first `keep` frames of an existing cache; `cut`, or the first new frame, drops later ones.

        written: `hash_of_all` of these frames, where it is known beside the manifest.
        Raises: CacheError if the cache is of another mesh, has fewer frames, or if one of them is not as it was written.
        """
        header, manifest = read_header(path), read_manifest(path)
        if header.n_vertices != n_vertices or manifest.get("topology") != topology:
            raise CacheError(
                f"Cache {path}: is of another mesh ({header.n_vertices} vertices; this one has {n_vertices}"
                f"{'' if header.n_vertices != n_vertices else ', with other faces'}). {AGAIN}"
            )
        if header.n_frames < keep or keep < 1:
            raise CacheError(f"Cache {path}: holds {header.n_frames} frames; wanted {keep} to go on from. {AGAIN}")
        hashes = [frame_hash(pose) for pose in read_frames(path)[:keep]]
        changed = [k for k, (now, then) in enumerate(zip(hashes, manifest["hashes"], strict=False)) if now != then]
        if changed:
            raise CacheError(
                f"Cache {path}: {len(changed)} of the {keep} frames to go on from are not as they were written (first: "
                f"frame {int(header.start) + changed[0]}). {AGAIN}"
            )
        if written is not None and hash_of_all(hashes) != written:
            raise CacheError(f"Cache {path}: is not the one that was being baked, or is damaged. {AGAIN}")
        writer = cls(path, n_vertices, header.start, manifest)
        writer.hashes, writer.header = hashes, Header(n_vertices, header.start, keep)
        try:
            writer._file = open(path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until close()
        except OSError as error:
            raise write_error(path, error) from error
        writer._uncut = True
        return writer

    def cut(self) -> None:
        """Drops the frames after those that it goes on from; until then the file is as it was. Raises: CacheError."""
        try:
            self._set_count(self.n_frames)
            self._file.truncate(self.header.offset(self.n_frames))
        except OSError as error:
            self.abandon()
            raise write_error(self.path, error) from error
        self._uncut = False

    @property
    def n_frames(self) -> int:
        return self.header.n_frames

    def append(self, positions: np.ndarray) -> None:
        """Adds a frame: positions (n, 3), object space. Raises: CacheError; the frames before stay valid."""
        pose = np.ascontiguousarray(positions, dtype="<f4")
        if pose.shape != (self.header.n_vertices, 3) or not np.isfinite(pose).all():
            raise CacheError(
                f"Cache {self.path}: a frame of shape {pose.shape}, finite: {bool(np.isfinite(pose).all())}; wanted finite "
                f"({self.header.n_vertices}, 3). The frames before are kept."
            )
        if self._uncut:
            self.cut()
        try:
            if self._file is None:
                self._create(pose)
            else:
                self._write(self.header.offset(self.n_frames), pose)
                self._set_count(self.n_frames + 1)
        except OSError as error:
            self.abandon()
            raise write_error(self.path, error) from error
        self.hashes.append(frame_hash(pose))
        if time.monotonic() >= self._manifest_due:
            self._write_manifest()

    def _create(self, pose: np.ndarray) -> None:
        """The file with its first frame, under its name only when complete: Blender rejects a file of no frames."""
        head = HEADER.pack(MAGIC, 1, self.header.n_vertices, self.header.start, 1.0, 1)
        part = write_part(self.path, head + pose.tobytes())
        manifest_path(self.path).unlink(missing_ok=True)  # that of an older cache would describe the new one wrongly
        os.replace(part, self.path)
        self._file = open(self.path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until close()
        self.header = Header(self.header.n_vertices, self.header.start, 1)

    def _write(self, offset: int, data: Any) -> None:
        """All of the data, unbuffered: a full disk shows here, not later."""
        self._file.seek(offset)
        view = memoryview(data).cast("B")
        while len(view):
            view = view[self._file.write(view) :]

    def _set_count(self, n_frames: int) -> None:
        self._write(COUNT_OFFSET, struct.pack("<i", n_frames))
        self.header = Header(self.header.n_vertices, self.header.start, n_frames)

    def _write_manifest(self) -> None:
        self.manifest |= {"frames": self.n_frames, "hashes": self.hashes}
        write_atomically(manifest_path(self.path), json.dumps(self.manifest, indent=1).encode())
        self._manifest_due = time.monotonic() + MANIFEST_SECONDS

    def abandon(self) -> None:
        """Closes the file without a word about it, after an error; the frames written so far are valid."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Writes the manifest and closes. Raises: CacheError if the manifest cannot be written."""
        opened = self._file is not None
        self.abandon()
        if opened:
            self._write_manifest()
