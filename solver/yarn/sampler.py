"""What a process of its own does for a fabric: chains of samples of one patch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .patch import from_arrays
from .plan import PROBE, STRETCH, TENSION, Chain
from .samples import Sample, sample


class Sampler:
    """Asked step by step with plain values (`solver/device/worker.py`). tell: takes what is said beside answers."""

    def __init__(self, tell: Callable[[str, Any], None]) -> None:
        self.tell = tell

    def take(self, patch: dict[str, Any]) -> None:
        """The patch at rest, as `patch.as_arrays` gives it."""
        self.patch = from_arrays(patch)

    def reach(self, axis: int) -> float:
        """The stretch at which the sheet bears `TENSION`, or `STRETCH` where it never does."""
        q, last, before = self.patch.q, 0.0, 0.0
        for n in range(1, round(STRETCH / PROBE) + 1):
            values = [0.0] * 5
            values[axis] = n * PROBE
            found, q = sample(self.patch, q, (values[0], values[1], values[2], values[3], values[4]))
            tension = float(found.slopes[axis])
            if not found.good:
                return max(last, PROBE)
            if tension > TENSION:
                return last + PROBE * (TENSION - before) / (tension - before)
            last, before = n * PROBE, tension
        return STRETCH

    def chain(self, beside: list[float], axis: int, strains: list[float], q: np.ndarray | None) -> dict[str, np.ndarray]:
        """Samples of a chain: energy (n,), slopes (n, 5), good (n,), q (n, vertices, 3). q: to begin from; None: the rest.

        After one that is not good the next begins from the last good one."""
        chain = Chain((int(beside[0]), beside[1]) if beside else (), axis, tuple(strains))
        at = self.patch.q if q is None else q
        found: list[Sample] = []
        places = []
        for strain in strains:
            one, there = sample(self.patch, at, chain.state(strain))
            at = there if one.good else at
            found.append(one)
            places.append(there)
        return {
            "energy": np.array([one.energy for one in found]),
            "slopes": np.array([one.slopes for one in found]),
            "good": np.array([one.good for one in found]),
            "q": np.array(places),
        }

    def bend(self, curvature: float, angle: float) -> tuple[float, bool]:
        """Energy [J/m^2] of a bend about any direction, from the rest in two steps, and whether it is good."""
        _, q = sample(self.patch, self.patch.q, (0.0, 0.0, 0.0, 0.5 * curvature, 0.0), angle)
        found, _ = sample(self.patch, q, (0.0, 0.0, 0.0, curvature, 0.0), angle)
        return found.energy, found.good

    def straight(self, state: list[float], steps: int) -> tuple[float, bool]:
        """Energy [J/m^2] of a state that is come to in a straight line from rest, and whether it is good."""
        q, found = self.patch.q, None
        for n in range(1, steps + 1):
            s = [n / steps * value for value in state]
            found, q = sample(self.patch, q, (s[0], s[1], s[2], s[3], s[4]))
        return (found.energy, found.good) if found is not None else (0.0, True)
