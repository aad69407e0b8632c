"""The checkpoints of one bake, thinned so that they fit on the disk.

Which are kept: the newest always; of the others, as long as all together are larger than they may be, the one goes whose
neighbours are nearest to each other for how long ago it was. So they stand the further apart the older they are, in
proportion, and every frame is reached from one that is a share of its age before it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

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
        """After how many frames there is one, in order."""
        found = (self._pattern.fullmatch(path.name) for path in self._files())
        return sorted(int(match[1]) for match in found if match)

    def write(self, frames: int, arrays: Mapping[str, np.ndarray], identity: Mapping[str, Any], most: int) -> None:
        """Adds one and thins the others. most: that all take [bytes]. Raises: CacheError; the others are then as before."""
        checkpoint.write(self.path(frames), arrays, identity)
        self.remove(after=frames)  # of another way on from the same start
        present = self.frames()
        sizes = {at: self.path(at).stat().st_size for at in present}
        for at in too_many(present, sizes, most):
            self.remove_one(at)

    def inherit(self, other: Checkpoints, frames: int) -> None:
        """Has those of another bake of up to so many frames, which began in the same way. Raises: CacheError.

        A second name of the same file, where the folder allows it: a checkpoint is replaced, never changed.
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
        """Deletes those of more frames than these; returns their paths. Raises: CacheError."""
        return [self.remove_one(at) for at in self.frames() if at > after]

    def remove_one(self, frames: int) -> Path:
        """Deletes the one after so many frames; returns its path. Raises: CacheError."""
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
    """Which checkpoints go. frames: of each, in order. sizes: [bytes]."""
    kept, gone = list(frames), []
    total = sum(sizes[at] for at in kept)
    while total > most and len(kept) > 1:
        gaps = [(kept[k + 1] - (kept[k - 1] if k else 0)) / (kept[-1] - kept[k]) for k in range(len(kept) - 1)]
        k = gaps.index(min(gaps))
        total -= sizes[kept[k]]
        gone.append(kept.pop(k))
    return gone
