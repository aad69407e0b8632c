"""Goal: springs that pull vertices to the targets of their pins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray

#: Loose enough to swing visibly behind a walk [Hz]; two swings are seen before it is still.
FREQUENCY, DAMPING_RATIO = 2.0, 0.2


@dataclass
class Goal:
    """Springs to the targets of pins, beside the pins themselves. A vertex that its pin fixes has none.

    weight: share of the spring and of its damper at each pin, 0 (none) to 1, a number or (k,). frequency: at which a vertex
    of weight 1 swings about its target [Hz], whatever it weighs. damping_ratio: of that swing, over critical damping [1].
    """

    weight: Array = checks.until_checked(1.0)
    frequency: float = FREQUENCY
    damping_ratio: float = DAMPING_RATIO

    def __post_init__(self) -> None:
        self.frequency = checks.number("Goal", "frequency", self.frequency, "Hz", where="in the goal")
        ratio = checks.number("Goal", "damping_ratio", self.damping_ratio, "", checks.NOT_NEGATIVE, "in the goal")
        self.damping_ratio = ratio

    @property
    def numbers(self) -> tuple[float, float]:
        """Return frequency and damping ratio."""
        return self.frequency, self.damping_ratio

    @property
    def damping(self) -> float:
        """Return the damping time [s]: force of the speed over that of the distance, 2 zeta / (2 pi f)."""
        return self.damping_ratio / (math.pi * self.frequency)

    def of(self, count: int) -> Goal:
        """Return the same goal with a weight for each of `count` pins. Raises: SceneError if one is not from 0 to 1."""
        if isinstance(self.weight, Sequence | np.ndarray) and not isinstance(self.weight, str):
            weight = checks.array("Goal", "weight", self.weight, (count,), rows=("pin",))
        else:
            weight = np.full(count, checks.number("Goal", "weight", self.weight, "", checks.FINITE, "in the goal"))
        bad = np.flatnonzero((weight < 0) | (weight > 1))
        if len(bad):
            raise SceneError(f"Goal: weight {weight[bad[0]]:g} of pin {bad[0]}; wanted 0 to 1. Change it in the goal.")
        return replace(self, weight=weight)
