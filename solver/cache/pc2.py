"""A body's cache, and reading it: a PC2 file that Blender's Mesh Cache modifier plays, and a manifest of its content.

PC2: a header of 32 bytes, then each frame as float32 x, y, z of every vertex, little-endian. With k samples a frame each
frame is k such poses, at equal steps from the frame before on, the last at the frame itself; the first frame is k times its
start, and the header counts poses. `pc2_writer.py` writes a frame's data first, the count in the header last, so that a
process that ends at any point leaves a file of whole frames. The manifest (`<name>.json`) is replaced atomically, once a
second and at the end; missing hashes are made from the data.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..counted import counted
from ..errors import CacheError
from ..paths import as_path
from .atomic_write import AGAIN, MEND
from .manifest import Manifest

#: Remedy for a cache whose later frames are damaged, in messages.
REPAIR = "Press Repair in the panel Cache."
FORMAT = 1  # of the manifest
MAGIC = b"POINTCACHE2\0"
HEADER = struct.Struct("<12siiffi")  # magic, version, vertices, start, sample rate, frames
COUNT_OFFSET = 28


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31


def _some(value: object) -> bool:
    return isinstance(value, int) and _whole(value) and value > 0


def _text(value: object) -> bool:
    return isinstance(value, str)


def _table(value: object) -> bool:
    return isinstance(value, dict)


def _numbers(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(number, (int, float)) for number in value.values())


def _list_of(of_kind: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(of_kind(entry) for entry in value)


#: Of the manifest's keys that anything reads, whether a value is of the right kind.
KINDS: dict[str, Callable[[object], bool]] = {
    "hashes": _list_of(_text), "n_vertices": _some, "start": _whole, "end": _whole,
    "settings": _table, "made_from": _table, "reports": _list_of(_numbers), "changes": _list_of(_table), "object": _text,
    "samples": _some,
    "uuid": _text, "topology": _text, "checkpoints": _text, "quality": _text, "begun": _text, "version": _whole,
    "name": _text, "note": _text,
}  # fmt: skip
REQUIRED = ("hashes", "n_vertices", "start")


@dataclass(frozen=True)
class Header:
    """Header of a PC2 file. n_frames: whole frames in the file. start: frame number. samples: poses of each frame."""

    n_vertices: int
    start: float
    n_frames: int
    samples: int = 1

    @property
    def packed(self) -> bytes:
        """The first bytes of the file."""
        return HEADER.pack(MAGIC, 1, self.n_vertices, self.start, 1.0 / self.samples, self.n_frames * self.samples)

    @property
    def frame_bytes(self) -> int:
        return self.n_vertices * 12 * self.samples

    def offset(self, index: int) -> int:
        """Return the offset of a frame by its index (0 is the first) [bytes]."""
        return HEADER.size + index * self.frame_bytes


def manifest_path(path: str | os.PathLike) -> Path:
    """The manifest beside a cache."""
    beside = as_path("Cache", path, CacheError)
    return beside.with_name(f"{beside.stem}.json") if beside.name else beside / ".json"


def topology_hash(n_vertices: int, triangles: ArrayLike) -> str:
    """SHA-1 of a vertex count and triangles (t, 3): two meshes with the same one can share a cache."""
    digest = hashlib.sha1(str(int(n_vertices)).encode(), usedforsecurity=False)
    digest.update(np.asarray(triangles, dtype="<i4").tobytes())
    return digest.hexdigest()


def read_header(path: str | os.PathLike) -> Header:
    """Raises: CacheError if the file is missing, is no PC2 file or holds no whole frame."""
    try:
        with open(as_path("Cache", path, CacheError), "rb") as file:
            head = file.read(HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise CacheError(f"Cache {path}: cannot be read ({error.strerror}). Bake first, or choose its folder.") from error
    if len(head) < HEADER.size or head[:12] != MAGIC:
        raise CacheError(f"Cache {path}: this is no PC2 file. {MEND}")
    _, version, n_vertices, start, sample_rate, poses = HEADER.unpack(head)
    samples = round(1.0 / sample_rate) if sample_rate > 1e-6 else 0
    whole = samples > 0 and abs(samples * sample_rate - 1.0) < 1e-5
    if version != 1 or n_vertices < 1 or not start.is_integer() or not whole:
        shown = f"version {version}, {n_vertices} vertices, first frame {start:g}, sample rate {sample_rate:g}"
        raise CacheError(f"Cache {path}: its header has {shown}; wanted 1, some, a whole number, 1 or 1 over such. {MEND}")
    n_frames = min(poses, (size - HEADER.size) // (n_vertices * 12)) // samples
    if n_frames < 1:
        raise CacheError(f"Cache {path}: holds no whole frame. {MEND}")
    return Header(n_vertices, start, n_frames, samples)


def read_frames(path: str | os.PathLike) -> np.ndarray:
    """Map all frames, (frames, n, 3) float32, object space as Blender plays them; not loaded. Raises: CacheError."""
    return read_samples(path)[:, -1]


def read_samples(path: str | os.PathLike) -> np.memmap:
    """The same with all poses of each, (frames, samples, n, 3)."""
    header = read_header(path)
    shape = header.n_frames, header.samples, header.n_vertices, 3
    try:
        return np.memmap(path, dtype="<f4", mode="r", offset=HEADER.size, shape=shape)
    except OSError as error:
        raise CacheError(f"Cache {path}: cannot be read ({error.strerror}). Make it readable, or bake again.") from error


def read_manifest(path: str | os.PathLike) -> Manifest:
    """The manifest of a cache (`path` is the PC2 file). Raises: CacheError if it is missing or damaged."""
    beside = manifest_path(path)
    try:
        manifest: Any = json.loads(beside.read_text(encoding="utf-8"))
    except OSError as error:
        raise CacheError(f"Manifest {beside}: cannot be read ({error.strerror}). {MEND}") from error
    except (ValueError, RecursionError) as error:
        raise CacheError(f"Manifest {beside}: is damaged ({error}). {MEND}") from error
    if not _table(manifest) or manifest.get("format") != FORMAT:
        raise CacheError(f"Manifest {beside}: wanted format {FORMAT}; this one was written by another version. {AGAIN}")
    wrong = wrong_key(manifest)
    if wrong is not None:
        wanted = "'hashes', a list of texts, and 'n_vertices' and 'start', whole numbers"
        raise CacheError(f"Manifest {beside}: is damaged at '{wrong}'; wanted {wanted}. {MEND}")
    return manifest


def wrong_key(manifest: Mapping[str, object]) -> str | None:
    """The first key of a manifest whose value is missing or of another kind than is wanted; None for a good one."""
    present = (key for key in KINDS if key in manifest or key in REQUIRED)
    return next((key for key in present if not KINDS[key](manifest.get(key))), None)


def frame_hash(positions: np.ndarray) -> str:
    """Hash of one frame's data, all its poses, 16 hexadecimal digits."""
    return hashlib.sha1(positions.astype("<f4", copy=False).tobytes(), usedforsecurity=False).hexdigest()[:16]


def hash_of_all(hashes: Sequence[str]) -> str:
    """Return one hash of those of all frames, 16 hexadecimal digits."""
    return hashlib.sha1("".join(hashes).encode(), usedforsecurity=False).hexdigest()[:16]


def damaged_frames(path: str | os.PathLike) -> list[int]:
    """Frames of a cache that are not as they were written, by number in the scene. Raises: CacheError if unreadable."""
    start, hashes = int(read_header(path).start), read_manifest(path)["hashes"]
    known = zip(hashes, read_samples(path), strict=False)
    return [start + k for k, (digits, pose) in enumerate(known) if digits != frame_hash(pose)]


@dataclass(frozen=True)
class Verified:
    """Result of a verification. problems: sentences. damaged: see `damaged_frames`. frames: whole ones from the first on."""

    problems: list[str]
    damaged: list[int]
    frames: int


def look_through(path: str | os.PathLike) -> Verified:
    """Compare each frame with its hash. Raises: CacheError if unreadable."""
    header, manifest = read_header(path), read_manifest(path)
    problems = []
    if manifest["n_vertices"] != header.n_vertices:
        problems.append(f"the manifest has {manifest['n_vertices']} vertices, the cache {header.n_vertices}")
    if manifest["start"] != header.start:
        problems.append(f"the manifest begins at frame {manifest['start']}, the cache at {header.start:g}")
    if manifest.get("samples", 1) != header.samples:
        problems.append(f"the manifest has {manifest.get('samples', 1)} samples a frame, the cache {header.samples}")
    if len(manifest["hashes"]) != header.n_frames:
        problems.append(f"the manifest knows {len(manifest['hashes'])} frames, the cache holds {header.n_frames}")
    damaged = damaged_frames(path)
    if damaged:
        much = counted(len(damaged), "frame is not as it was written", "frames are not as they were written")
        problems.append(f"{much} ({framed(damaged)})")
    frames = damaged[0] - int(header.start) if damaged else header.n_frames
    return Verified([f"Cache {path}: {problem}. {REPAIR}" for problem in problems], damaged, frames)


def verify(path: str | os.PathLike) -> list[str]:
    """Return the problems of a cache; empty if each frame is as written. Raises: CacheError if unreadable."""
    return look_through(path).problems


def framed(numbers: Sequence[int]) -> str:
    """Return "frame 7" or "frames 3 to 7, 12". numbers: in order."""
    return f"{'frame' if len(numbers) == 1 else 'frames'} {ranges(numbers)}"


def ranges(numbers: Sequence[int]) -> str:
    """Frames as people write them: "3 to 7, 12". numbers: in order."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(str(number) for number in run) for run in runs)
