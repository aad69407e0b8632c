"""The cache of a body: a PC2 file that Blender's Mesh Cache modifier plays, and a manifest that says what is in it.

PC2: a header of 32 bytes, then each frame as float32 x, y, z of every vertex, little-endian. A frame's data is written
first, the count in the header last, so that a process that ends at any point leaves a file of whole frames. The manifest
(`<name>.json`) is replaced as a whole, once a second and at the end; hashes that it misses are made from the data.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CacheError

FORMAT = 1  # of the manifest
MAGIC = b"POINTCACHE2\0"
HEADER = struct.Struct("<12siiffi")  # magic, version, vertices, start, sample rate, frames
COUNT_OFFSET = 28
MANIFEST_SECONDS = 1.0  # at most this much work is left without a hash by a crash; keeps long bakes linear
AGAIN = "Clear the cache and bake again."


@dataclass(frozen=True)
class Header:
    """What a PC2 file says about itself. n_frames: whole frames that the file really holds. start: frame number."""

    n_vertices: int
    start: float
    n_frames: int

    @property
    def frame_bytes(self) -> int:
        return self.n_vertices * 12

    def offset(self, index: int) -> int:
        """Where the frame of an index (0 is the first) begins [bytes]."""
        return HEADER.size + index * self.frame_bytes


def manifest_path(path: str | os.PathLike) -> Path:
    """The manifest beside a cache."""
    return Path(path).with_suffix(".json")


def topology_hash(n_vertices: int, triangles: Any) -> str:
    """SHA-1 of a vertex count and triangles (t, 3): two meshes with the same one can share a cache."""
    digest = hashlib.sha1(str(int(n_vertices)).encode(), usedforsecurity=False)
    digest.update(np.asarray(triangles, dtype="<i4").tobytes())
    return digest.hexdigest()


def read_header(path: str | os.PathLike) -> Header:
    """Raises: CacheError if the file is missing, is no PC2 file or holds no whole frame."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEADER.size)
        size = os.path.getsize(path)
    except OSError as error:
        raise CacheError(f"Cache {path}: cannot be read ({error.strerror}). Bake first, or choose its folder.") from error
    if len(head) < HEADER.size or head[:12] != MAGIC:
        raise CacheError(f"Cache {path}: this is no PC2 file. {AGAIN}")
    _, version, n_vertices, start, _, n_frames = HEADER.unpack(head)
    if version != 1 or n_vertices < 1:
        raise CacheError(f"Cache {path}: version {version} with {n_vertices} vertices; wanted version 1 and some. {AGAIN}")
    n_frames = min(n_frames, (size - HEADER.size) // (n_vertices * 12))
    if n_frames < 1:
        raise CacheError(f"Cache {path}: holds no whole frame. {AGAIN}")
    return Header(n_vertices, start, n_frames)


def read_frames(path: str | os.PathLike) -> np.memmap:
    """All frames, (frames, n, 3) float32, object space as Blender plays them; mapped, not loaded. Raises: CacheError."""
    header = read_header(path)
    return np.memmap(path, dtype="<f4", mode="r", offset=HEADER.size, shape=(header.n_frames, header.n_vertices, 3))


def read_manifest(path: str | os.PathLike) -> dict[str, Any]:
    """The manifest of a cache (`path` is the PC2 file). Raises: CacheError if it is missing or damaged."""
    beside = manifest_path(path)
    try:
        manifest = json.loads(beside.read_text(encoding="utf-8"))
    except OSError as error:
        raise CacheError(f"Manifest {beside}: cannot be read ({error.strerror}). {AGAIN}") from error
    except ValueError as error:
        raise CacheError(f"Manifest {beside}: is damaged ({error}). {AGAIN}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT or not {"hashes", "n_vertices"} <= set(manifest):
        raise CacheError(f"Manifest {beside}: wanted format {FORMAT}; this one was written by another version. {AGAIN}")
    return manifest


def frame_hash(positions: np.ndarray) -> str:
    """Hash of one frame's data, 16 hexadecimal digits."""
    return hashlib.sha1(positions.astype("<f4", copy=False).tobytes(), usedforsecurity=False).hexdigest()[:16]


def verify(path: str | os.PathLike) -> list[str]:
    """What is wrong with a cache, as sentences; empty if each frame is as written. Raises: CacheError if unreadable."""
    header, manifest, data = read_header(path), read_manifest(path), read_frames(path)
    problems = []
    if manifest["n_vertices"] != header.n_vertices:
        problems.append(f"the manifest has {manifest['n_vertices']} vertices, the cache {header.n_vertices}")
    hashes = manifest["hashes"]
    if len(hashes) != header.n_frames:
        problems.append(f"the manifest knows {len(hashes)} frames, the cache holds {header.n_frames}")
    changed = [k for k, (known, pose) in enumerate(zip(hashes, data, strict=False)) if known != frame_hash(pose)]
    if changed:
        number = int(header.start) + changed[0]
        problems.append(f"{len(changed)} frames are not as they were written (first: frame {number})")
    return [f"Cache {path}: {problem}. {AGAIN}" for problem in problems]


def write_atomically(path: Path, data: bytes) -> None:
    """The whole new file or the whole old one, never a part of it. Raises: CacheError."""
    try:
        os.replace(_part(path, data), path)
    except OSError as error:
        raise write_error(path, error) from error


def _part(path: Path, data: bytes) -> Path:
    """A file beside `path` with all of the data; none is left if that fails. Raises: OSError."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return part


def write_error(path: str | os.PathLike, error: OSError) -> CacheError:
    """The message for a file that could not be written."""
    return CacheError(
        f"Cache {path}: cannot be written ({error.strerror}). The frames before this one are kept. "
        "Free space or choose a writable cache folder, then resume."
    )


class FrameWriter:
    """Writes a cache frame by frame.

    The file appears with its first frame, so a bake that fails before leaves an older cache as it was. `manifest` needs
    the key "topology" (see `topology_hash`) for `resume`; all of it is kept.
    """

    def __init__(self, path: str | os.PathLike, n_vertices: int, start: float, manifest: Mapping[str, Any]):
        """start: frame number of the first frame. Raises: CacheError if the folder cannot be made."""
        self.path = Path(path)
        self.header = Header(int(n_vertices), float(start), 0)
        self.manifest = {"format": FORMAT, **manifest, "n_vertices": int(n_vertices), "start": start}
        self.hashes: list[str] = []
        self._file: Any = None
        self._manifest_due = 0.0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(self.path.parent, error) from error

    @classmethod
    def resume(cls, path: str | os.PathLike, n_vertices: int, topology: str, keep: int) -> FrameWriter:
        """Goes on after the first `keep` frames of an existing cache; later ones are dropped.

        Raises: CacheError if the cache is of another mesh or has fewer frames.
        """
        header, manifest = read_header(path), read_manifest(path)
        if header.n_vertices != n_vertices or manifest.get("topology") != topology:
            raise CacheError(
                f"Cache {path}: is of another mesh ({header.n_vertices} vertices; this one has {n_vertices}"
                f"{'' if header.n_vertices != n_vertices else ', with other faces'}). {AGAIN}"
            )
        if header.n_frames < keep or keep < 1:
            raise CacheError(f"Cache {path}: holds {header.n_frames} frames; wanted {keep} to go on from. {AGAIN}")
        writer = cls(path, n_vertices, header.start, manifest)
        data = read_frames(path)
        known = manifest.get("hashes", [])[:keep]
        writer.hashes = known + [frame_hash(pose) for pose in data[len(known) : keep]]
        del data  # Windows cannot cut a mapped file
        try:
            writer._file = open(path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until close()
            writer._set_count(keep)
            writer._file.truncate(writer.header.offset(keep))
        except OSError as error:
            writer.abandon()
            raise write_error(path, error) from error
        return writer

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
        part = _part(self.path, head + pose.tobytes())
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
