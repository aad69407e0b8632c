"""Paths of files, as a caller gives them."""

from __future__ import annotations

import os
import reprlib
from pathlib import Path

from .errors import GpbdError


def as_path(owner: str, value: object, error: type[GpbdError]) -> Path:
    """The same as a Path. owner: what the file is, for messages.

    Raises: the class given, if it is no path; Python would take a whole number for a file that is open.
    """
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value) or "\0" in str(value):
        raise error(f"{owner}: its path is {reprlib.repr(value)}; wanted the path of a file. Give a text or a Path.")
    return Path(value)
