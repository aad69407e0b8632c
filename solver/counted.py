"""Counts of things in sentences."""

from __future__ import annotations


def counted(count: int, one: str, many: str) -> str:
    """Return a count and the words after it: "1 frame", "2 frames". one, many: these words for 1, and for all else."""
    return f"{count} {one if count == 1 else many}"
