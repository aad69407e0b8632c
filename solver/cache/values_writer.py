"""Values beside a cache: a PC2 file whose x, y, z are three numbers of each vertex, at each of its frames.

A Mesh Cache modifier plays it on a mesh of its own, whose positions then are the numbers, so that Blender needs nothing else
to read them. They are derived from the bake; `verify` and `repair` leave them out.
"""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path

import numpy as np

from ..errors import CacheError
from .atomic_write import write_error
from .pc2 import HEADER, Header, read_header

SUFFIX = ".values.pc2"
#: Of plastic strains: curvature [1/m], strain [1] and 0.
PLASTIC_SUFFIX = ".plastic.pc2"


def values_path(path: str | os.PathLike, suffix: str = SUFFIX) -> Path:
    """The values beside a cache. suffix: the kind of values."""
    cache = Path(path)
    return cache.with_name(f"{cache.stem}{suffix}")


class ValuesWriter:
    """Writes the values of one body, frame by frame; the file is made with its first frame."""

    def __init__(
        self, cache: str | os.PathLike, n_vertices: int, start: int, keep: int = 0, source: str = "",
        suffix: str = SUFFIX,
    ) -> None:  # fmt: skip
        """Open the file. cache: of the values. keep: frames that it begins with, as those of `source`, which may be the same
        cache; frames without values are zeros."""
        self._suffix = suffix
        self.path, self._header = values_path(cache, suffix), Header(n_vertices, float(start), 0)
        self._keep, self._source = keep, source
        self._file: FileIO | None = None

    def append(self, values: np.ndarray) -> None:
        """Add a frame, (n, 3). Raises: CacheError."""
        try:
            if self._file is None:
                first_frames = self._kept()
                self._file = open(self.path, "wb", buffering=0)  # noqa: SIM115 - it stays open until abandon()
                self._add(first_frames, self._keep)
            self._add(np.ascontiguousarray(values, "<f4").tobytes(), 1)
        except OSError as error:
            self.abandon()
            raise write_error(self.path, error) from error

    def abandon(self) -> None:
        """The frames so far are valid."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _add(self, data: bytes, frames: int) -> None:
        """Data first and the count last, as in every cache."""
        header = self._header
        assert self._file is not None
        self._file.seek(header.offset(header.n_frames))
        self._file.write(data)
        self._header = Header(header.n_vertices, header.start, header.n_frames + frames)
        self._file.seek(0)
        self._file.write(self._header.packed)

    def _kept(self) -> bytes:
        """Return the data of the frames that it begins with."""
        wanted = self._keep * self._header.frame_bytes
        if not wanted or not self._source:
            return bytes(wanted)
        path = values_path(self._source, self._suffix)
        try:
            known = read_header(path).n_vertices == self._header.n_vertices
            data = path.read_bytes()[HEADER.size : HEADER.size + wanted] if known else b""
        except (CacheError, OSError):
            data = b""  # that version kept none
        return data + bytes(wanted - len(data))
