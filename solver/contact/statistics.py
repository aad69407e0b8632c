"""Contact statistics of a frame."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statistics:
    """contacts: number that pushed in the last substep. pairs: candidates. deepest: largest deficit of a kept distance [m].
    clamped: particles with a shortened motion in the last substep; failures: pairs that it could not separate. unresolved:
    failures of all substeps of the frame, and pairs of the last one that immovable objects leave no room for their distance.
    intersections: edges through triangles in the last search."""

    contacts: int
    pairs: int
    deepest: float
    clamped: int
    failures: int
    unresolved: int
    intersections: int
