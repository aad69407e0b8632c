"""What a simulation's frames take on a device [B]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..global_step.sheet_part import SheetPart
from ..model.state import State
from ..report.intersections import IntersectionSearch
from ..stepping.adaptive_substeps import Substeps
from .arrays import VERTEX
from .contact import pair_stages
from .global_step import step as keep_length
from .report import intersections

#: What a sweep by Jacobi keeps of a corner: its move, and its row in the list of its vertex.
CORNER_BYTES = 4 * 4 + 4
#: What a report takes of a vertex: five forces, masses, own blocks.
REPORT_BYTES = 5 * 16 + 2 * 8 + 6 * 4


def needed(now: Substeps, state: State, contact: Any, search: IntersectionSearch, swept: Sequence[SheetPart]) -> int:
    """Of all; contact: None where there is none. swept: bodies that have a matrix for their error alone."""
    found = of_state(now, state) + pair_stages.needed_memory(contact) + keep_length.needed_memory(now.global_step, contact)
    return found + keep_length.of_parts(swept) + intersections.needed_memory(search)


def of_state(now: Substeps, state: State) -> int:
    """Of a model and a state: their arrays, and what sweeps keep of each corner; of `pbng` a copy of each element at each of
    its vertices. What changes is there twice, as it is and as it was at a frame's start."""
    batches = [(batch.index, batch.rest, batch.constants, batch.material) for batch in now.model.batches]
    arrays = [array for one in batches for array in one]
    arrays += 2 * [*state.displacements, *state.strains_at_start, *(getattr(state, name) for name in VERTEX)]
    incident = getattr(now.method, "incident", [])
    arrays += [array for one in incident for array in (one.index, one.corner, one.rest, one.source)]
    arrays += getattr(now.method, "strains", [])
    corners = sum(batch.index.size for batch in now.model.batches)
    return sum(array.nbytes for array in arrays) + corners * CORNER_BYTES + len(state.x) * REPORT_BYTES
