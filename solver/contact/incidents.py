"""What contact reports of a frame: numbers, and where something is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .constraints.tables import Array


@dataclass(frozen=True)
class Statistics:
    """contacts: that pushed in the last substep. pairs: candidates. deepest: largest shortfall of a kept distance [m].
    held_back: particles that the last substep clamped; failures: pairs that it could not keep apart even so. unresolved: the
    same of all substeps of the frame. intersections: edges that passed through triangles when they were looked for last."""

    contacts: int
    pairs: int
    deepest: float
    held_back: int
    failures: int
    unresolved: int
    intersections: int


class Incidents(NamedTuple):
    """Pairs of elements between which something is wrong. one, other: numbers of their objects, (k,). points: where each is
    [m], (k, 3)."""

    one: Array
    other: Array
    points: Array
