"""Atomic replacement of files: they are whole or absent, whenever the writing process stops.

A `durable` file is also on the disk before it has its name, so that it survives a crash of the machine: checkpoints, and at
each of them the caches and manifests that they continue. Files written in between survive a crash of the process.
"""

from __future__ import annotations

import errno
import glob
import os
import time
from pathlib import Path

from ..errors import CacheError

#: Remedy for an unusable cache, and for a damaged one, in messages.
AGAIN = "Bake again."
MEND = "Press Repair in the panel Cache, or bake again."
#: Windows refuses to replace a file that somebody reads, a virus scanner or another Blender, with one of these numbers; then
#: it is tried so often, so long apart [s].
SHARING, ATTEMPTS, PAUSE = (5, 32), 20, 0.05
#: Of a full disk, of a used up quota, which not every system knows, and of a file larger than the system allows.
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)
#: Of a folder that is read-only, or that belongs to somebody else.
NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
#: Of a file system that puts no folders on the disk.
NO_FOLDERS = (errno.EINVAL, errno.ENOTSUP)


def write_atomically(path: Path, data: bytes, durable: bool = False) -> None:
    """The whole new file or the whole old one, never a part of it. Raises: CacheError."""
    try:
        put_in_place(write_part(path, data, durable), path, durable)
    except OSError as error:
        raise write_error(path, error) from error


def write_part(path: Path, data: bytes, durable: bool = False) -> Path:
    """A file beside `path` with all of the data; none is left if that fails. Raises: OSError."""
    part = part_of(path)
    try:
        with open(part, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return part


def part_of(path: Path) -> Path:
    """Return the name of a file until it is whole."""
    return path.with_name(path.name + ".part")


def remove_parts(folder: Path, name: str) -> None:
    """Remove the unfinished files that an ended process left of one name: `name.*.part`. Raises: CacheError."""
    for part in folder.glob(f"{glob.escape(name)}.*.part"):
        try:
            part.unlink(missing_ok=True)
        except OSError as error:
            raise write_error(part, error) from error


def put_in_place(part: Path, path: Path, durable: bool = False) -> None:
    """Give a whole file its name. Raises: OSError."""
    try:
        _replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    if durable and os.name == "posix":  # Windows keeps names by itself, and opens no folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        except OSError as error:
            if error.errno not in NO_FOLDERS:
                raise
        finally:
            os.close(folder)


def _replace(part: Path, path: Path) -> None:
    for attempts_left in reversed(range(ATTEMPTS)):
        try:
            os.replace(part, path)
            return
        except PermissionError as error:
            if getattr(error, "winerror", None) not in SHARING or not attempts_left:
                raise
        time.sleep(PAUSE)


def remedy(error: OSError, size: str = "space") -> str:
    """Return how to make a folder writable again. size: of the data, as words."""
    if error.errno in FULL:
        return f"Free {size} there or choose another Cache Folder"
    return f"{'Make the folder writable or choose' if error.errno in NOT_WRITABLE else 'Choose'} another Cache Folder"


def write_error(path: str | os.PathLike, error: OSError) -> CacheError:
    """The message for a file that could not be written."""
    return CacheError(
        f"Cache {path}: cannot be written ({error.strerror}). {remedy(error)}, then resume "
        "or bake again; finished frames are kept."
    )
