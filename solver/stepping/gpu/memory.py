"""Device memory of a simulation's frames [B]."""

from __future__ import annotations

from collections.abc import Sequence

from ...contact.contact import Contact
from ...contact.gpu import pair_stages
from ...global_step.gpu import device_global_step as keep_length
from ...global_step.sheet_part import SheetPart
from ...model.gpu.state_arrays import VERTEX
from ...model.state import State
from ...report.gpu import intersection_count
from ...report.intersections import IntersectionSearch
from ..adaptive_substeps import Substeps

#: Memory of a corner in Jacobi sweeps: its displacement, and its row in the list of its vertex.
CORNER_BYTES = 4 * 4 + 4
#: Memory of a vertex in a report: five forces, masses, diagonal blocks.
REPORT_BYTES = 5 * 16 + 2 * 8 + 6 * 4


def needed(
    now: Substeps, state: State, contact: Contact | None, search: IntersectionSearch, swept: Sequence[SheetPart]
) -> int:
    """Return the memory of all arrays; contact: None without contact. swept: bodies that have a matrix for their error
    alone."""
    total = of_state(now, state) + pair_stages.needed_memory(contact) + keep_length.needed_memory(now.global_step, contact)
    return total + keep_length.of_parts(swept) + intersection_count.needed_memory(search)


def of_state(now: Substeps, state: State) -> int:
    """Return the memory of a model and a state: their arrays, and the corners of sweeps; of `pbng` a copy of each element at
    each of its vertices. Changing arrays are there twice, the second as at a frame's start."""
    batches = [(batch.index, batch.rest, batch.constants, batch.material) for batch in now.model.batches]
    arrays = [array for one in batches for array in one]
    arrays += 2 * [*state.displacements, *state.strains_at_start, *(getattr(state, name) for name in VERTEX)]
    incident = getattr(now.method, "incident", [])
    arrays += [array for one in incident for array in (one.index, one.corner, one.rest, one.source)]
    arrays += getattr(now.method, "strains", [])
    corners = sum(batch.index.size for batch in now.model.batches)
    return sum(array.nbytes for array in arrays) + corners * CORNER_BYTES + len(state.x) * REPORT_BYTES
