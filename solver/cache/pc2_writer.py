"""The PC2 writer: a body's cache, frame by frame, a file of whole frames whenever it stops (`pc2.py` has the format)."""

from __future__ import annotations

import json
import os
import shutil
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import FileIO
from pathlib import Path

import numpy as np

from ..errors import CacheError
from ..paths import as_path
from .atomic_write import AGAIN, part_of, put_in_place, write_atomically, write_error, write_part
from .manifest import Manifest
from .pc2 import (
    COUNT_OFFSET,
    FORMAT,
    REPAIR,
    Header,
    frame_hash,
    hash_of_all,
    manifest_path,
    read_header,
    read_manifest,
    read_samples,
)

MANIFEST_SECONDS = 1.0  # at most this much work is left without a hash by a crash; keeps long bakes linear


class Pc2Writer:
    """Writes the PC2 file of a body frame by frame, and its manifest.

    The file appears with its first frame, so a bake that fails before leaves an older cache as it was. `manifest` needs
    the key "topology" (see `topology_hash`) for `resume`; all of it is kept. Frames outlive the process as soon as they
    are appended, and the machine from `sync` on.
    """

    def __init__(self, path: str | os.PathLike, n_vertices: int, start: float, manifest: Manifest):
        """start: frame number of the first frame. Raises: CacheError if the folder cannot be made."""
        self.path = as_path("Cache", path, CacheError)
        self.header = Header(int(n_vertices), float(start), 0, int(manifest.get("samples", 1)))
        self.manifest: Manifest = {"format": FORMAT, **manifest, "n_vertices": int(n_vertices), "start": start}
        self.hashes: list[str] = []
        self._file: FileIO | None = None
        self._manifest_due = 0.0
        self._uncut = False  # whether the file holds frames after `n_frames`
        self._source: Path | None = None  # cache whose frames a new one begins with
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.path.parent, error) from error

    @classmethod
    def resume(
        cls, path: str | os.PathLike, n_vertices: int, topology: str, keep: int, written: str | None = None
    ) -> Pc2Writer:
        """Continue an existing cache after its first `keep` frames; the first new frame drops later ones.

        written: `hash_of_all` of these frames, if it is known beside the manifest.
        Raises: CacheError if the cache is of another mesh, has fewer frames, or if one of them is damaged.
        """
        manifest, hashes = _kept_frames(path, n_vertices, topology, keep, written)
        writer = cls(path, n_vertices, manifest["start"], manifest)
        writer.hashes, writer.header = hashes, replace(writer.header, n_frames=keep)
        try:
            writer._file = open(path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until close()
        except OSError as error:
            raise write_error(path, error) from error
        writer._uncut = True
        return writer

    @classmethod
    def branch(
        cls, path: str | os.PathLike, source: str | os.PathLike, n_vertices: int, keep: int, manifest: Manifest,
        written: str | None = None,
    ) -> Pc2Writer:  # fmt: skip
        """A new cache that begins with the first `keep` frames of another, which stays as it is; the file appears with the
        first new frame. manifest: as for a new one. Raises: CacheError, as `resume`."""
        then, hashes = _kept_frames(source, n_vertices, manifest["topology"], keep, written)
        writer = cls(path, n_vertices, then["start"], manifest)
        writer.hashes, writer.header = hashes, replace(writer.header, n_frames=keep)
        writer._source = as_path("Cache", source, CacheError)
        return writer

    def cut(self) -> None:
        """Drop the frames after the kept ones; until then the file is unchanged. Raises: CacheError."""
        try:
            self._set_count(self.n_frames)
            assert self._file is not None
            self._file.truncate(self.header.offset(self.n_frames))
        except OSError as error:
            self.abandon()
            raise write_error(self.path, error) from error
        self._uncut = False

    @property
    def n_frames(self) -> int:
        return self.header.n_frames

    def append(self, positions: np.ndarray) -> None:
        """Add a frame: positions (n, 3), or those of its samples (samples, n, 3), object space. Raises: CacheError; the
        frames before stay valid."""
        pose = np.ascontiguousarray(positions, dtype="<f4")
        wanted = self.header.samples, self.header.n_vertices, 3
        if pose.shape != (wanted if self.header.samples > 1 else wanted[1:]) or not np.isfinite(pose).all():
            raise CacheError(
                f"Cache {self.path}: a frame of shape {pose.shape}, finite: {bool(np.isfinite(pose).all())}; wanted finite "
                f"({self.header.n_vertices}, 3), of each sample. The frames before are kept."
            )
        if self._file is None and self.n_frames and self._source is None:
            raise CacheError(f"Cache {self.path}: is closed after an error. The frames before it are kept.")
        if self._uncut:
            self.cut()
        try:
            if self._source is not None:
                self._create_from(self._source)
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
        self.header = replace(self.header, n_frames=1)
        self._put(write_part(self.path, self.header.packed + pose.tobytes(), durable=True))

    def _create_from(self, source: Path) -> None:
        """The file with the frames of another one that it begins with."""
        part = part_of(self.path)
        try:
            shutil.copyfile(source, part)
            with open(part, "r+b") as file:
                file.truncate(self.header.offset(self.n_frames))
                file.seek(COUNT_OFFSET)
                file.write(struct.pack("<i", self.n_frames * self.header.samples))
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            part.unlink(missing_ok=True)
            raise
        self._put(part)
        self._source = None

    def _put(self, part: Path) -> None:
        """Give the file its name, once its manifest stands: a process that is killed leaves no cache without one."""
        try:
            write_atomically(manifest_path(self.path), self._packed_manifest, durable=True)
        except CacheError:
            part.unlink(missing_ok=True)
            raise
        put_in_place(part, self.path, durable=True)
        self._file = open(self.path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until close()

    def _write(self, offset: int, data: bytes | np.ndarray) -> None:
        """Write all data, unbuffered: a full disk shows here, not later."""
        assert self._file is not None
        self._file.seek(offset)
        view = memoryview(data).cast("B")
        while len(view):
            view = view[self._file.write(view) :]

    def _set_count(self, n_frames: int) -> None:
        self._write(COUNT_OFFSET, struct.pack("<i", n_frames * self.header.samples))
        self.header = replace(self.header, n_frames=n_frames)

    @property
    def _packed_manifest(self) -> bytes:
        self.manifest |= {"frames": len(self.hashes), "hashes": self.hashes}
        return json.dumps(self.manifest, indent=1).encode()

    def _write_manifest(self, durable: bool = False) -> None:
        write_atomically(manifest_path(self.path), self._packed_manifest, durable)
        self._manifest_due = time.monotonic() + MANIFEST_SECONDS

    def sync(self) -> None:
        """Wait until the frames and their manifest are on the disk. Raises: CacheError."""
        if self._file is None or self._uncut:
            return
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise write_error(self.path, error) from error
        self._write_manifest(durable=True)

    def abandon(self) -> None:
        """Close the file without a word about it, after an error; the frames written so far are valid."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Write the manifest, if there are new frames, and close. Raises: CacheError if it cannot be written."""
        try:
            self.sync()
        finally:
            self.abandon()


def complete(path: str | os.PathLike, reports: Sequence[Mapping[str, float]]) -> int:
    """Makes the manifest of a cache whose writer was ended know all frames, with these reports of them; returns how many
    there are. Raises: CacheError."""
    frames, manifest = read_samples(path), read_manifest(path)
    hashes = manifest["hashes"]
    hashes += [frame_hash(pose) for pose in frames[len(hashes) :]]
    manifest |= {"frames": len(frames), "hashes": hashes, "reports": list(reports[: len(frames)])}
    write_atomically(manifest_path(path), json.dumps(manifest, indent=1).encode())
    return len(frames)


def _kept_frames(
    path: str | os.PathLike, n_vertices: int, topology: str, keep: int, written: str | None
) -> tuple[Manifest, list[str]]:
    """The manifest of a cache, and the hashes of its first `keep` frames. Raises: CacheError, see `Pc2Writer.resume`."""
    header, manifest = read_header(path), read_manifest(path)
    if header.n_vertices != n_vertices or manifest.get("topology") != topology:
        raise CacheError(
            f"Cache {path}: is of another mesh ({header.n_vertices} vertices; this one has {n_vertices}"
            f"{'' if header.n_vertices != n_vertices else ', with other faces'}). {AGAIN}"
        )
    if header.samples != manifest.get("samples", 1):
        raise CacheError(f"Cache {path}: has {header.samples} samples a frame; its manifest says otherwise. {REPAIR}")
    if header.n_frames < keep or keep < 1:
        raise CacheError(f"Cache {path}: holds {header.n_frames} frames; wanted {keep} to go on from. {AGAIN}")
    hashes = [frame_hash(pose) for pose in read_samples(path)[:keep]]
    changed = [k for k, (now, then) in enumerate(zip(hashes, manifest["hashes"], strict=False)) if now != then]
    if changed:
        raise CacheError(
            f"Cache {path}: {len(changed)} of the {keep} frames to go on from are not as they were written (first: "
            f"frame {int(header.start) + changed[0]}). {REPAIR}"
        )
    if written is not None and hash_of_all(hashes) != written:
        raise CacheError(f"Cache {path}: is not the one that was being baked, or is damaged. {AGAIN}")
    return {**manifest, "start": int(header.start)}, hashes
