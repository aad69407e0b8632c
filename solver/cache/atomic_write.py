"""Files that appear whole or not at all, whatever stops the process that writes them."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import CacheError

#: What to do with a cache that cannot be used, in messages.
AGAIN = "Clear the cache and bake again."


def write_atomically(path: Path, data: bytes) -> None:
    """The whole new file or the whole old one, never a part of it. Raises: CacheError."""
    try:
        os.replace(write_part(path, data), path)
    except OSError as error:
        raise write_error(path, error) from error


def write_part(path: Path, data: bytes) -> Path:
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
        "Free space or choose a writable cache folder, then go on or bake again."
    )
