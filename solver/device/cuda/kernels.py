"""Kernels for GPUs that earlier runs have compiled, beside those for the CPU: most take a second to ten, yarns a minute."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ..jit import PACKAGE, cache_folder, import_hash
from . import compiled
from .array import Arguments
from .body import Body
from .device import types_of
from .pinned import pinned
from .turns import Turns

#: Bytes before a kept kernel: the SHA-256 of the rest, which detects truncated files.
CHECK = hashlib.sha256().digest_size


def cubin(body: Body | Turns, args: Arguments, capability: tuple[int, int]) -> bytes:
    """The machine code of a body's kernel, whose name is `compiled.ENTRY`.

    args: as it is launched with. Raises: ImportError where it has to be compiled and the packages are missing.
    """
    path = _path(body, args, capability)
    code = _read(path)
    if code is None:
        code = compiled.assembled(compiled.ptx(body, args, capability), capability, body)[0]
        _keep(path, code)
    return code


def is_missing(body: Body | Turns, args: Arguments, capability: tuple[int, int]) -> bool:
    """Return whether kernels are kept, and this one is missing."""
    path = _path(body, args, capability)
    return path is not None and not path.is_file()


def _path(body: Body | Turns, args: Arguments, capability: tuple[int, int]) -> Path | None:
    base = cache_folder()
    if base is None:
        return None
    source_hash = import_hash(body.modules | {compiled.__name__, __name__})
    made_of = body.name, types_of(args), capability, pinned().version
    name = f"{body.name}-{hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]}.cubin"
    return base / PACKAGE.replace(".", "_") / source_hash / name


def _read(path: Path | None) -> bytes | None:
    if path is None or not path.is_file():
        return None
    content = path.read_bytes()
    return content[CHECK:] if hashlib.sha256(content[CHECK:]).digest() == content[:CHECK] else None


def _keep(path: Path | None, code: bytes) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_suffix(f".{os.getpid()}")
    whole.write_bytes(hashlib.sha256(code).digest() + code)
    os.replace(whole, path)  # other processes see all of it or nothing
