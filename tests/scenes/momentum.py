"""Momentum of a paused simulation."""

from __future__ import annotations

from typing import Any

import numpy as np


def conserved(simulation: Any) -> np.ndarray:
    """Return the sum of m (3 v - v_before) / 2, which BDF2 conserves, and of the rigid bodies' momenta [kg m/s], (3,)."""
    state, mass = simulation.state, simulation.model.mass.copy()
    n, rigid = len(mass), state.rigid
    if rigid is not None:
        mass[rigid.rows] = 0
    total = mass @ (1.5 * state.v[:n] - 0.5 * state.v_before[:n])
    return total if rigid is None else total + rigid.mass @ rigid.velocity
