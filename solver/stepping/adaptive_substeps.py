"""Substeps of a frame: more than asked for where things move so fast that surfaces jam."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..global_step.global_step import GlobalStep, make_global_step
from ..methods import make_method
from ..model.build import at_substeps
from ..model.model import Model
from ..model.state import State
from .integrate import set_step

#: Median edges that something may move in a substep, beside the bodies, before more substeps can help.
FAST = 0.5
#: Times the substeps asked for, at most.
MOST = 8


class Pace:
    """What steps a frame with one number of substeps."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.method: Any = make_method(model)
        self.global_step: GlobalStep | None = make_global_step(model)


class Paces:
    """The paces of one simulation, each made when it is first needed. times: of the substeps asked for, now."""

    def __init__(self, model: Model) -> None:
        self._made = {1: Pace(model)}
        self.times = 1

    @property
    def now(self) -> Pace:
        return self._made[self.times]

    def go(self, times: int, state: State) -> None:
        """Changes the pace, and what of the state depends on it."""
        if times == self.times:
            return
        if times not in self._made:
            first = self._made[1].model
            self._made[times] = Pace(at_substeps(first, times * first.settings.substeps))
        for displacement in state.displacements:  # h^2 / m times a force
            displacement *= displacement.dtype.type((self.times / times) ** 2)
        self.times = times
        set_step(self.now.model, state)


def fastest_step(driven: np.ndarray, predicted: np.ndarray) -> float:
    """How far anything moves in a substep, at most, beside the mean motion of the bodies [m].

    driven: motion of driven vertices [m], (m, 3). predicted: of the bodies' [m], (n, 3).
    """
    mean = predicted.mean(0, dtype=float)
    return max(_longest(driven - mean), _longest(predicted - mean))


def _longest(vectors: np.ndarray) -> float:
    return float(np.sqrt((vectors**2).sum(1).max(initial=0.0)))
