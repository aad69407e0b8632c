"""Counters of the solver's work, incremented in place: `counters.linear_systems += 1`.

Each thread counts for itself, and a simulation runs in one. Work handed to other threads is counted by the thread that hands
it out, never by the task: so counts are the same for any number of threads. `report.work.Work` says what each counts.
"""

from __future__ import annotations

import threading


class Counters(threading.local):
    """Since they were last cleared, by the calling thread."""

    substeps = 0
    linear_systems = 0
    cg_iterations = 0
    matrix_products = 0
    searches = 0
    partial_searches = 0
    candidate_pairs = 0
    measured_pairs = 0
    contacts = 0
    kernel_calls = 0

    def clear(self) -> None:
        """All are 0."""
        self.__dict__.clear()

    def counts(self) -> dict[str, int]:
        """Counts by name; those that are 0 are left out."""
        return dict(self.__dict__)


counters = Counters()
