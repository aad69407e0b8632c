"""Checkpoint of a bake: the solver's arrays and their identity, in one .npz file."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import CacheError
from ..paths import as_path
from .atomic_write import AGAIN, write_atomically

IDENTITY = "identity"
#: Of the hash that ends the file, which is the comment of the archive.
DIGITS = 40


def write(path: str | os.PathLike, arrays: Mapping[str, np.ndarray], identity: Mapping[str, object]) -> None:
    """Replace the file atomically. identity: JSON values that must be equal when it is read. Raises: CacheError."""
    buffer = io.BytesIO()
    everything: dict[str, Any] = {IDENTITY: np.array(json.dumps(identity)), **arrays}
    np.savez(buffer, **everything)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = bytes(DIGITS)  # room for the hash of all data before it
    content = buffer.getvalue()[:-DIGITS]
    write_atomically(as_path("Checkpoint", path, CacheError), content + _hash(content), durable=True)


def read(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and the identity. Raises: CacheError if the file is missing, damaged, or was not written by `write`."""
    try:
        data = memoryview(as_path("Checkpoint", path, CacheError).read_bytes())
    except FileNotFoundError as error:
        raise CacheError(f"Checkpoint {path}: there is none, so there is nothing to resume. Bake from the start.") from error
    except OSError as error:
        raise CacheError(f"Checkpoint {path}: cannot be read ({error.strerror}). Bake from the start.") from error
    content, known = data[:-DIGITS], bytes(data[-DIGITS:])
    if known != _hash(content):  # checked before parsing: data as written can be parsed
        problem = f"{len(data)} bytes that are not as they were written"
        raise CacheError(f"Checkpoint {path}: is damaged or no checkpoint ({problem}); wanted a whole one. {AGAIN}")
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, json.loads(str(arrays.pop(IDENTITY)))


def _hash(content: bytes | memoryview) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest().encode()
