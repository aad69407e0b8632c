"""Work of a frame, in counts that do not depend on the machine or its clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """Work of the CPU in one frame; the same for any number of threads. If a GPU has computed the frame, these count the
    rest on the CPU, and `Report.launches` the GPU's.

    substeps: including those that were repeated in shorter ones. linear_systems: solved by conjugate gradients, including
    those of the error estimate and of Newton's method. cg_iterations: of all of them. matrix_products: of matrices of linear
    systems with vectors, in iterations and for residuals. searches: for all candidate pairs of contact. partial_searches:
    for those of particles that have left their predicted paths. candidate_pairs: tested by the selection of contacts, of all
    substeps. measured_pairs: with computed distance, in searches and by that selection. contacts: selected, of all substeps.
    kernel_calls: of kernels that threads may share (`device/threads.py`): one for each range of rows, however many threads
    have parts of it, and one for each task.
    """

    substeps: int = 0
    linear_systems: int = 0
    cg_iterations: int = 0
    matrix_products: int = 0
    searches: int = 0
    partial_searches: int = 0
    candidate_pairs: int = 0
    measured_pairs: int = 0
    contacts: int = 0
    kernel_calls: int = 0
