"""Results of the variants: a table, and a hash that compares two bakes."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path
from typing import Any

from ....solver.errors import CacheError
from .grid import Variant
from .job import Result

#: Numbers of the bake's last line.
NUMBERS = (
    "frames", "wanted", "seconds_per_frame", "error", "max_stretch", "volume_change", "above_error", "intersections",
    "unresolved_frames",
)  # fmt: skip


def row(variant: Variant, result: Result, folder: Path) -> dict[str, Any]:
    """By column. Raises: CacheError if a cache cannot be read."""
    state = "done" if result.code == 0 else "failed"
    numbers = {name: result.done.get(name, "") for name in NUMBERS}
    made: dict[str, Any] = {"variant": variant.name, **variant.varied, "state": state, "exit_code": result.code}
    made |= {"attempts": result.attempts, "seconds": round(result.seconds, 3), **numbers}
    return {**made, "sha256": _sha256(result), "folder": str(folder), "message": result.error}


def _sha256(result: Result) -> str:
    """Return the hash of all caches, concatenated in the order of their bodies' names; empty without a cache."""
    caches = result.done.get("caches", {})
    digest = hashlib.sha256()
    for name in sorted(caches):
        try:
            with open(caches[name], "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        except OSError as error:
            raise CacheError(
                f"Cache {caches[name]}: cannot be read ({error.strerror}). Choose a folder that all machines see."
            ) from error
    return digest.hexdigest() if caches else ""


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Raises: CacheError."""
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    except OSError as error:
        raise CacheError(f"Table {path}: cannot be written ({error.strerror}). Choose a writable folder.") from error
