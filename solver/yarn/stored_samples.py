"""Samples of a fabric, kept in a folder until its table is written, so that a stopped run is resumed."""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import PresetError
from .processes import Task

#: File names of samples, and of unfinished ones.
OWN = re.compile(r"[0-9a-f]{24}\.(npz|\d+\.part)")


class SampleStore:
    """Results of a sampler, a file each.

    A file has `of`, the hash of the patch, of the method and of its arguments, and the arrays of the result: of a chain as
    the method returns them, of others `number`, or `pair` of an energy and whether it is good. damaged: unusable files, by
    name; their samples are computed again.
    """

    def __init__(self, folder: Path, patch: bytes, vertices: int) -> None:
        """patch: its digest. vertices: how many it has. Raises: PresetError if there can be no such folder."""
        self.folder, self.patch, self.vertices = folder, patch, vertices
        self.damaged: list[str] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from error

    def read(self, method: str, arguments: Task) -> Any:
        """Return the result, or None if it is not kept."""
        of = self._of(method, arguments)
        file = self._file(of)
        if not file.exists():
            return None
        try:
            stored = _arrays(file)
        except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
            stored = {}
        if str(stored.pop("of", "")) != of or not _is_result(stored, method, arguments, self.vertices):
            self.damaged.append(file.name)
            return None
        if "number" in stored:
            return float(stored["number"])
        if "pair" in stored:
            return float(stored["pair"][0]), bool(stored["pair"][1])
        return stored

    def write(self, method: str, arguments: Task, result: Any) -> None:
        """The file appears whole or not at all. Raises: PresetError."""
        of = self._of(method, arguments)
        arrays: dict[str, Any] = (
            result if isinstance(result, dict) else {"pair" if isinstance(result, (tuple, list)) else "number": result}
        )
        file = self._file(of)
        part = file.with_suffix(f".{os.getpid()}.part")
        try:
            with part.open("wb") as stream:
                np.savez(stream, of=np.array(of), **arrays)
            os.replace(part, file)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise _unwritable(self.folder, error) from error

    def _of(self, method: str, arguments: Task) -> str:
        digest = hashlib.sha256(self.patch + method.encode())
        for part in arguments:
            digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
        return digest.hexdigest()

    def _file(self, of: str) -> Path:
        return self.folder / f"{of[:24]}.npz"


def damage_sentence(damaged: tuple[str, ...]) -> str:
    """Return a sentence on unusable files."""
    return (
        f"Damaged kept samples, or of another fabric: {len(damaged)} ({damaged[0]}). They were computed again; check the "
        "disk if this stays."
    )


def forget(folder: Path) -> None:
    """Remove samples that are no longer needed, and the folder where nothing else is in it."""
    if not folder.is_dir():
        return
    for file in list(folder.iterdir()):
        if OWN.fullmatch(file.name):
            file.unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def _arrays(file: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file, by name. Each is read whole before it is used: the file has a checksum of it."""
    with zipfile.ZipFile(file) as stored:
        return {
            name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(stored.read(name)), allow_pickle=False)
            for name in stored.namelist()
        }


def _is_result(stored: dict[str, np.ndarray], method: str, arguments: Task, vertices: int) -> bool:
    """Return whether the arrays are those of a result, with finite good samples."""
    if method == "chain":
        strains = arguments[2]
        assert isinstance(strains, Sequence)
        n = len(strains)
        wanted: dict[str, tuple[int, ...]] = {"energy": (n,), "slopes": (n, 5), "good": (n,), "q": (n, vertices, 4)}
    else:
        wanted = {"pair": (2,)} if method in ("bend", "straight") else {"number": ()}
    if {key: array.shape for key, array in stored.items()} != wanted:
        return False
    if any(array.dtype.kind not in "fb" for array in stored.values()):
        return False
    if method == "chain":
        good = stored["good"].astype(bool)
        return all(bool(np.isfinite(stored[key][good]).all()) for key in ("energy", "slopes", "q"))
    if "pair" in stored:
        return bool(np.isfinite(stored["pair"]).all()) or stored["pair"][1] == 0.0
    return bool(np.isfinite(stored["number"]))


def _unwritable(folder: Path, error: OSError) -> PresetError:
    return PresetError(f"{folder}: samples cannot be kept there ({error.strerror}). Choose another folder.")
