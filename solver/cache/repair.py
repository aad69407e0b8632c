"""Makes a damaged cache a whole one again: as many frames from the start as are as they were written.

What follows the first damaged frame goes, because a bake that is resumed makes it again, bit for bit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CacheError
from .atomic_write import AGAIN, part_of, write_atomically, write_error
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


def mend(path: Path, head: Mapping[str, Any] | None = None) -> list[str]:
    """Mends what can be without leaving out a frame that is well: manifest, header, hashes that are not known yet; then cuts
    at the first damaged frame. Returns what was done, as sentences; nothing for a cache that is whole.

    head: the manifest as a checkpoint keeps it, for one that is lost. Raises: CacheError if not even the start is left.
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
    damaged = damaged_frames(path)
    if damaged:
        keep = damaged[0] - manifest["start"]
        cut(path, keep)
        done.append(f"{path.name}: ends before frame {damaged[0]} now, the first damaged one.")
        return done
    header, hashes = read_header(path), manifest["hashes"]
    if len(hashes) != header.n_frames:
        hashes = [frame_hash(pose) for pose in read_samples(path)]
        _write_manifest(path, {**manifest, "hashes": hashes, "frames": len(hashes)})
        done.append(f"{path.name}: the manifest knows all {len(hashes)} frames now.")
    return done


def cut(path: Path, keep: int) -> bool:
    """Leaves the first `keep` frames, in the cache and in its manifest; whether there were more. Raises: CacheError."""
    header, manifest = read_header(path), read_manifest(path)
    if keep < 1:
        raise CacheError(f"Cache {path}: is damaged from its first frame on. {AGAIN}")
    if header.n_frames <= keep:
        return False
    _write_header(path, replace(header, n_frames=keep), header.offset(keep))
    reports = manifest.get("reports", [])[:keep]
    _write_manifest(path, {**manifest, "hashes": manifest["hashes"][:keep], "reports": reports, "frames": keep})
    return True


def _mend_header(path: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Makes a header again that is not what the manifest says, where the first frame shows that the manifest is right."""
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
            return []  # then what reads the header says what is wrong with it
        first = np.fromfile(path, "<f4", wanted.frame_bytes // 4, offset=HEADER.size)
    except OSError:
        return []
    frames = min(whole, max(len(hashes), 1))
    wanted = replace(wanted, n_frames=frames)
    if frame_hash(first) != hashes[0] or header == wanted:
        return []
    _write_header(path, wanted)
    return [f"{path.name}: its header was made again."]


def _write_header(path: Path, header: Header, length: int | None = None) -> None:
    try:
        with open(path, "r+b") as file:
            file.write(header.packed)
            if length is not None:
                file.truncate(length)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise write_error(path, error) from error


def _write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    write_atomically(manifest_path(path), json.dumps(manifest, indent=1).encode(), durable=True)


def _unlink(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise write_error(path, error) from error
    return True
