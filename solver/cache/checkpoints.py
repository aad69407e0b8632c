"""The checkpoints of one bake, thinned to a limit on their size.

The newest is always kept; while all together are larger than the limit, the one is deleted whose neighbours have the
smallest distance relative to its age. So distances grow in proportion to age, and every frame is reached from one that is a
share of its age before it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..errors import CacheError
from . import checkpoint
from .atomic_write import write_error

SUFFIX = ".state.npz"


class Checkpoints:
    """Files `<name>.f<frames>.state.npz` of a folder. name: of the bake."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self._pattern = re.compile(rf"{re.escape(name)}\.f(\d{{1,9}}){re.escape(SUFFIX)}")

    def path(self, frames: int) -> Path:
        """The state after so many frames, the start among them."""
        return self.folder / f"{self.name}.f{frames}{SUFFIX}"

    def frames(self) -> list[int]:
        """Return the frame counts of checkpoints, in order."""
        matches = (self._pattern.fullmatch(path.name) for path in self._files())
        return sorted(int(match[1]) for match in matches if match)

    def write(self, frames: int, arrays: Mapping[str, np.ndarray], identity: Mapping[str, object], most: int) -> None:
        """Add one and thin the others. most: that all take [bytes]. Raises: CacheError; the others are then as before."""
        checkpoint.write(self.path(frames), arrays, identity)
        self.remove(after=frames)  # of another continuation from the same start
        present = self.frames()
        sizes = {at: self.path(at).stat().st_size for at in present}
        for at in too_many(present, sizes, most):
            self.remove_one(at)

    def inherit(self, other: Checkpoints, frames: int) -> None:
        """Take over those of another bake of up to so many frames, which began in the same way. Raises: CacheError.

        By hard links, if the folder allows them: a checkpoint is replaced, never changed.
        """
        for at in other.frames():
            if at > frames:
                return
            path = self.path(at)
            try:
                path.unlink(missing_ok=True)
                try:
                    os.link(other.path(at), path)
                except OSError:
                    shutil.copyfile(other.path(at), path)
            except OSError as error:
                raise write_error(path, error) from error

    def remove(self, after: int = -1) -> list[Path]:
        """Delete those of more frames than these; return their paths. Raises: CacheError."""
        return [self.remove_one(at) for at in self.frames() if at > after]

    def remove_one(self, frames: int) -> Path:
        """Delete the one after so many frames; return its path. Raises: CacheError."""
        path = self.path(frames)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise write_error(path, error) from error
        return path

    def _files(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CacheError(
                f"Cache folder {self.folder}: cannot be read ({error.strerror}). Make it readable, or choose another."
            ) from error


def too_many(frames: Sequence[int], sizes: Mapping[int, int], most: int) -> list[int]:
    """Return the checkpoints to delete. frames: of each, in order. sizes: [bytes]."""
    remaining, gone = list(frames), []
    total = sum(sizes[at] for at in remaining)
    while total > most and len(remaining) > 1:
        gaps = [
            (remaining[k + 1] - (remaining[k - 1] if k else 0)) / (remaining[-1] - remaining[k])
            for k in range(len(remaining) - 1)
        ]
        k = gaps.index(min(gaps))
        total -= sizes[remaining[k]]
        gone.append(remaining.pop(k))
    return gone
