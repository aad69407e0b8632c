"""Repair of a cache's manifest, header and hashes, detection of damaged frames, and copies of them in other versions. The
solver repeats those without a copy (`patch.py`)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import CacheError
from .atomic_write import part_of, write_atomically, write_error
from .manifest import Manifest
from .pc2 import (
    FORMAT,
    HEADER,
    Header,
    damaged_frames,
    frame_hash,
    manifest_path,
    read_header,
    read_manifest,
    read_samples,
)


def mend(path: Path, head: Manifest | None = None) -> list[str]:
    """Repair manifest, header, and missing hashes. Returns the repairs, as sentences; empty for a cache that is whole.

    head: the manifest as stored in a checkpoint, for a lost one. Raises: CacheError if the start is lost too.
    """
    done = []
    for part in (part_of(path), part_of(manifest_path(path))):
        if _unlink(part):
            done.append(f"{part.name}: a part of a file was deleted.")
    try:
        manifest = read_manifest(path)
    except CacheError:
        if head is None:
            raise
        manifest = {"format": FORMAT, "hashes": [], **head}
        _write_manifest(path, manifest)
        done.append(f"{manifest_path(path).name}: was made again from the checkpoint.")
    done += _mend_header(path, manifest)
    header, hashes = read_header(path), manifest["hashes"]
    if manifest.get("samples", 1) != header.samples and hashes and not damaged_frames(path):
        manifest = {**manifest, "samples": header.samples}
        _write_manifest(path, manifest)
        done.append(f"{manifest_path(path).name}: has the samples of the cache again.")
    if len(hashes) < header.n_frames:
        hashes = hashes + [frame_hash(pose) for pose in read_samples(path)[len(hashes) :]]
        _write_manifest(path, {**manifest, "hashes": hashes, "frames": len(hashes)})
        done.append(f"{path.name}: the manifest knows all {len(hashes)} frames now.")
    return done


def damaged(paths: Sequence[Path]) -> list[list[int]]:
    """Return for each cache of one bake the indices of frames that are damaged, or missing although another cache or its own
    manifest has them. Raises: CacheError."""
    headers, manifests = [read_header(path) for path in paths], [read_manifest(path) for path in paths]
    known = [max(one.n_frames, len(manifest["hashes"])) for one, manifest in zip(headers, manifests, strict=True)]
    of_caches = []
    for path, header in zip(paths, headers, strict=True):
        changed = [frame - int(header.start) for frame in damaged_frames(path)]
        of_caches.append(changed + list(range(header.n_frames, max(known))))
    return of_caches


def copies(path: Path, others: Sequence[Path]) -> dict[int, Path]:
    """Return the damaged frames that another cache of the body has as they were written: index -> that cache. A
    version of *Bake from Here* shares its first frames with an earlier one. Raises: CacheError if `path` is unreadable."""
    header, hashes = read_header(path), read_manifest(path)["hashes"]
    indices = [frame - int(header.start) for frame in damaged_frames(path)]
    sources: dict[int, Path] = {}
    for other in others if indices else ():
        try:
            there = read_header(other)
        except CacheError:
            continue  # it has its own faults
        if (there.n_vertices, there.start, there.samples) != (header.n_vertices, header.start, header.samples):
            continue
        for index in indices:
            known = index not in sources and index < there.n_frames
            if known and frame_hash(_frame(other, there, index)) == hashes[index]:
                sources[index] = other
    return sources


def copy(path: Path, sources: Mapping[int, Path]) -> None:
    """Replace damaged frames by their `copies`. Raises: CacheError."""
    header = read_header(path)
    try:
        with open(path, "r+b") as file:
            for index, other in sources.items():
                file.seek(header.offset(index))
                file.write(_frame(other, header, index).tobytes())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise write_error(path, error) from error


def _frame(path: Path, header: Header, index: int) -> np.ndarray:
    return np.fromfile(path, "<f4", header.frame_bytes // 4, offset=header.offset(index))


def _mend_header(path: Path, manifest: Manifest) -> list[str]:
    """Rewrite a header that differs from the manifest, if the first frame agrees with the manifest."""
    n_vertices, start, hashes = manifest["n_vertices"], manifest["start"], manifest["hashes"]
    wanted = Header(n_vertices, float(start), 0, manifest.get("samples", 1))
    try:
        header = read_header(path)
    except CacheError:
        header = Header(0, 0.0, 0)
    if replace(header, n_frames=0) == wanted and header.n_frames >= len(hashes):
        return []
    try:
        whole = (path.stat().st_size - HEADER.size) // wanted.frame_bytes
        if whole < 1 or not hashes:
            return []  # then reading the header reports the problem
        first = np.fromfile(path, "<f4", wanted.frame_bytes // 4, offset=HEADER.size)
    except OSError:
        return []
    frames = min(whole, max(len(hashes), 1))
    wanted = replace(wanted, n_frames=frames)
    if frame_hash(first) != hashes[0] or header == wanted:
        return []
    _write_header(path, wanted)
    return [f"{path.name}: its header was made again."]


def _write_header(path: Path, header: Header) -> None:
    try:
        with open(path, "r+b") as file:
            file.write(header.packed)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise write_error(path, error) from error


def _write_manifest(path: Path, manifest: Manifest) -> None:
    write_atomically(manifest_path(path), json.dumps(manifest, indent=1).encode(), durable=True)


def _unlink(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise write_error(path, error) from error
    return True
