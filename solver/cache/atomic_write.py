"""Files that appear whole or not at all, whatever stops the process that writes them.

What is `durable` is also on the disk before it has its name, so that it outlives the machine: checkpoints, and at each of
them the caches and manifests that they go on from. What is written in between outlives the process.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import CacheError

#: What to do with a cache that cannot be used, in messages.
AGAIN = "Clear the cache and bake again."


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
    """What a file is called until it is whole."""
    return path.with_name(path.name + ".part")


def put_in_place(part: Path, path: Path, durable: bool = False) -> None:
    """Gives a whole file its name. Raises: OSError."""
    try:
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    if durable and os.name == "posix":  # Windows keeps names by itself, and opens no folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_error(path: str | os.PathLike, error: OSError) -> CacheError:
    """The message for a file that could not be written."""
    return CacheError(
        f"Cache {path}: cannot be written ({error.strerror}). The frames before this one are kept. "
        "Free space or choose a writable cache folder, then go on or bake again."
    )
