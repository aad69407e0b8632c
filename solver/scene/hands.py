"""Hands in the short steps of a drape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .grab import Grab

#: Share of the remaining distance to a hand that a vertex covers in a step of a drape.
HAND_SHARE = 0.1


class Hands:
    """Hands in the steps of a drape, which are short: they spread a motion over some of them, or damped springs
    would eject the vertices that they pull at."""

    def __init__(self) -> None:
        self._grabs: dict[str, Grab] = {}

    def take(self, grabs: Mapping[str, Grab]) -> None:
        """Spread a new motion over the next steps, beside the rest of the motion before."""
        before, self._grabs = self._grabs, dict(grabs)
        for name, grab in grabs.items():
            if name in before and np.array_equal(before[name].vertices, grab.vertices):
                self._grabs[name] = replace(grab, moved=before[name].moved + grab.moved)

    def step(self) -> dict[str, Grab]:
        """Return the grabs of the next step."""
        now = {name: replace(grab, moved=HAND_SHARE * grab.moved) for name, grab in self._grabs.items()}
        self._grabs = {name: replace(grab, moved=(1.0 - HAND_SHARE) * grab.moved) for name, grab in self._grabs.items()}
        return now
