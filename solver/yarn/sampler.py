"""Sampler of a fabric in a process of its own: chains of samples of one patch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..json_value import JsonValue
from .minimise import NEVER
from .patch import from_arrays
from .plan import PROBE, STRETCH, TENSION, Chain, in_middle
from .samples import Sample, sample

#: Steps from the rest to where the height of tension is measured.
STEPS = 4


class Sampler:
    """Called step by step with plain values (`solver/device/worker.py`). tell: takes the progress."""

    def __init__(self, tell: Callable[[str, JsonValue], None]) -> None:
        self.tell = tell

    def take(self, patch: dict[str, Any]) -> None:
        """The patch at rest, as `patch.as_arrays` gives it."""
        self.patch = from_arrays(patch)

    def reach(self, axis: int) -> float:
        """The stretch at which the sheet bears `TENSION`, or `STRETCH` where it never does."""
        q, factor, last, before = self.patch.q, self.patch.factor(), 0.0, 0.0
        for n in range(1, round(STRETCH / PROBE) + 1):
            values = [0.0] * 5
            values[axis] = n * PROBE
            stretched, q = sample(self.patch, q, (values[0], values[1], values[2], values[3], values[4]), None, factor)
            tension = float(stretched.slopes[axis])
            if not stretched.good:
                return max(last, PROBE)
            if tension > TENSION:
                return last + PROBE * (TENSION - before) / (tension - before)
            last, before = n * PROBE, tension
        return STRETCH

    def height(self, axis: int, stretch: float) -> float:
        """Return the height over the sheet's middle at which the yarns along an axis carry their tension [m]: the moment
        under a stretch over its tension; of the patch's own thickness at most."""
        q, factor, stretched, moment = self.patch.q, self.patch.factor(), None, 0.0
        for n in range(STEPS + 1):
            values = [0.0] * 5
            values[axis] = n / STEPS * stretch
            stretched, q = sample(self.patch, q, (values[0], values[1], values[2], values[3], values[4]), None, factor)
            moment = float(stretched.slopes[3 + axis // 2]) if n == 0 else moment
        most = 0.5 * float(np.ptp(self.patch.q[:, 2]))
        if stretched is None or not stretched.good or not stretched.slopes[axis] > 0.0:
            return 0.0
        return float(np.clip((moment - stretched.slopes[3 + axis // 2]) / stretched.slopes[axis], -most, most))

    def chain(
        self, beside: list[float], axis: int, strains: list[float], heights: tuple[float, float], q: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """Samples of a chain: energy (n,), slopes (n, 5), good (n,), q (n, vertices, 4). q: to begin from; None: the rest.

        After one that is not good the next begins from the last good one."""
        chain = Chain((int(beside[0]), beside[1]) if beside else (), axis, tuple(strains))
        at, factor = self.patch.q if q is None else q, self.patch.factor()
        samples: list[Sample] = []
        places = []
        for strain in strains:
            one, there = sample(self.patch, at, in_middle(chain.state(strain), heights), None, factor)
            if one.good:
                at = there
            else:
                factor.age[0] = NEVER
            samples.append(one)
            places.append(there)
        return {
            "energy": np.array([one.energy for one in samples]),
            "slopes": np.array([one.slopes for one in samples]),
            "good": np.array([one.good for one in samples]),
            "q": np.array(places),
        }

    def bend(self, curvature: float, angle: float, heights: tuple[float, float]) -> tuple[float, bool]:
        """Energy [J/m^2] of a bend along a direction, without stretch at the heights of both axes, from the rest in two
        steps, and whether it is good."""
        c2, s2 = math.cos(angle) ** 2, math.sin(angle) ** 2
        q, factor, bent = self.patch.q, self.patch.factor(), None
        for l in (0.5 * curvature, curvature):
            bent, q = sample(self.patch, q, (heights[0] * l * c2, 0.0, heights[1] * l * s2, l, 0.0), angle, factor)
        return (bent.energy, bent.good) if bent is not None else (0.0, True)

    def straight(self, state: list[float], steps: int) -> tuple[float, bool]:
        """Energy [J/m^2] of a state that is come to in a straight line from rest, and whether it is good."""
        q, factor, end = self.patch.q, self.patch.factor(), None
        for n in range(1, steps + 1):
            s = [n / steps * value for value in state]
            end, q = sample(self.patch, q, (s[0], s[1], s[2], s[3], s[4]), None, factor)
        return (end.energy, end.good) if end is not None else (0.0, True)
