"""Contact statistics of a frame."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statistics:
    """contacts: that pushed in the last substep. pairs: candidates. deepest: largest shortfall of a kept distance [m].
    clamped: particles that the last substep let go less far; failures: pairs that it could not keep apart even so.
    unresolved: the same of all substeps of the frame, and those of the last one that what no force moves leaves no room for
    the distance that they keep. intersections: edges that passed through triangles when
    they were looked for last."""

    contacts: int
    pairs: int
    deepest: float
    clamped: int
    failures: int
    unresolved: int
    intersections: int
