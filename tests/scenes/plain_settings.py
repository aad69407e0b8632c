"""Settings of tests that ask for one part of the solver alone."""

from __future__ import annotations

from typing import Any

import solver

#: Little that can hide what is asked for: sweeps alone, of first order.
PLAIN: dict[str, Any] = {"substeps": 8, "iterations": 10, "global_iterations": 0, "integrator": "bdf1"}


def plain_settings(**settings: Any) -> solver.Settings:
    """8 substeps of 10 sweeps by backward Euler, without the global step, but for what is given."""
    return solver.Settings(**PLAIN | settings)
