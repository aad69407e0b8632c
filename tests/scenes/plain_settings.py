"""Settings for tests of one part of the solver alone."""

from __future__ import annotations

from typing import Any

import solver

#: Settings with the fewest side effects: sweeps alone, of first order.
PLAIN: dict[str, Any] = {"substeps": 8, "iterations": 10, "global_iterations": 0, "integrator": "bdf1"}


def plain_settings(**settings: Any) -> solver.Settings:
    """Return settings with 8 substeps of 10 sweeps by backward Euler, without the global step, and the given fields."""
    return solver.Settings(**PLAIN | settings)
