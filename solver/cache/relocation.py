"""Relocation of caches to another folder, all of them or none: whole copies with temporary names first, then their names.

The sources stay; the caller deletes them once nothing plays them. So nothing is lost by a full disk, a killed process, or a
stopped one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ..errors import CacheError
from . import checkpoint
from .atomic_write import part_of, put_in_place, remedy, write_atomically
from .checkpoints import SUFFIX
from .manifest import Manifest

#: Size of a copied block [bytes].
CHUNK = 8 << 20
#: A version in the name of a cache, a manifest or a checkpoint, or of a checkpoint series.
VERSION = re.compile(rf"\.v(\d{{1,6}})(?=$|\.(?:pc2|values\.pc2|json|f\d+{re.escape(SUFFIX)})$)")

#: Where something is, and where it is wanted.
Piece = tuple[Path, Path]


def numbered(name: str, shift: int) -> str:
    """A name with its version so much higher."""
    return VERSION.sub(lambda match: f".v{int(match[1]) + shift}", name)


def bring(
    pieces: Sequence[Piece], shift: int = 0, link: bool = False, tell: Callable[[float], object] = lambda _: None
) -> None:
    """Make every target from its source. shift: increase of versions, also in manifests and checkpoints.

    link: by hard links only, which takes no time; the sources are to be deleted then. tell: called with the progress, 0 to
    1. Raises: CacheError; no new target exists then, and no part of one.
    """
    total = _total(pieces)
    done = 0

    def copied(size: int) -> None:
        nonlocal done
        done += size
        tell(min(done / total, 1.0))

    placed = []
    try:
        for source, target in pieces:
            target.parent.mkdir(parents=True, exist_ok=True)
            part = part_of(target)
            part.unlink(missing_ok=True)
            if shift and source.name.endswith((".json", SUFFIX)):
                _renumber(source, part, shift)
            elif link:
                os.link(source, part)
            else:
                _copy(source, part, copied)
        for _, target in pieces:
            placed += [] if target.exists() else [target]
            put_in_place(part_of(target), target, durable=True)
            part_of(target).unlink(missing_ok=True)  # of two names of one file none replaces the other
    except (OSError, CacheError) as error:
        _undo(pieces, placed)
        if isinstance(error, CacheError):
            raise
        raise bring_error(pieces, error) from error


def bring_error(pieces: Sequence[Piece], error: OSError) -> CacheError:
    """The message for caches that could not be brought."""
    source, target = pieces[0]
    return CacheError(
        f"Cache folder {target.parent}: frames cannot be brought there ({error.strerror}). "
        f"{remedy(error, _megabytes(_total(pieces)))}, then press Collect Caches; all frames still are in {source.parent}."
    )


def _total(pieces: Iterable[Piece]) -> int:
    return max(sum(_size(source) for source, _ in pieces), 1)


def _undo(pieces: Sequence[Piece], placed: Iterable[Path]) -> None:
    drop_parts(pieces)
    for target in placed:
        with suppress(OSError):  # the first error is raised
            target.unlink(missing_ok=True)


def drop_parts(pieces: Iterable[Piece]) -> None:
    """Delete the parts of an interrupted `bring`."""
    for _, target in pieces:
        with suppress(OSError):  # its folder may be out of reach
            part_of(target).unlink(missing_ok=True)


def is_same(source: Path, target: Path, manifest: Path, other: Path) -> bool:
    """Return whether a cache was brought there already: of the same size, with the same manifest."""
    try:
        return source.stat().st_size == target.stat().st_size and manifest.read_bytes() == other.read_bytes()
    except OSError:
        return False


def _megabytes(size: int) -> str:
    return f"{max(size >> 20, 1)} MB"


def _renumber(source: Path, part: Path, shift: int) -> None:
    """Copy a manifest or a checkpoint with shifted versions. An unreadable one is copied as it is."""
    try:
        if source.name.endswith(SUFFIX):
            arrays, identity = checkpoint.read(source)
            heads = {name: _manifest(head, shift) for name, head in identity["manifests"].items()}
            checkpoint.write(part, arrays, {**identity, "manifests": heads})
        else:
            write_atomically(
                part, json.dumps(_manifest(json.loads(source.read_bytes()), shift), indent=1).encode(), durable=True
            )
    except (CacheError, ValueError, KeyError, TypeError, AttributeError):
        shutil.copyfile(source, part)  # Repair reports its problem


def _manifest(known: Manifest, shift: int) -> Manifest:
    shifted: Manifest = {**known, "version": known["version"] + shift, "checkpoints": numbered(known["checkpoints"], shift)}
    shifted["changes"] = [{**one, "from_version": one["from_version"] + shift} for one in known.get("changes", [])]
    return shifted


def _copy(source: Path, part: Path, copied: Callable[[int], None]) -> None:
    with open(source, "rb") as read, open(part, "wb") as write:
        while block := read.read(CHUNK):
            write.write(block)
            copied(len(block))
        write.flush()
        os.fsync(write.fileno())
    shutil.copystat(source, part)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
