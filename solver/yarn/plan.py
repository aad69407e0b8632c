"""Which states of a fabric are sampled, in which chains: each sample begins where its neighbour ended.

A chain depends on the rest, or on the state of an axis that it begins from, and on nothing else; so any number of processes
can take them in any order and the samples are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: Pairs of axes that have a patch in the table; two curvatures have none.
PAIRS = ("01", "02", "12", "03", "13", "23", "04", "14", "24")
#: Intervals of a curve and of a patch on one side of 0: stretch, shear, curvature.
CURVE_INTERVALS = {0: 18, 1: 6, 2: 18, 3: 6, 4: 6}
PATCH_INTERVALS = {0: 6, 1: 3, 2: 6, 3: 2, 4: 2}
#: Intervals of a patch below no stretch, of both stretches and of one of them; their length over that above.
BELOW, BELOW_PART = 2, 0.5
#: Largest shear, as the sine of its angle.
SHEAR = 0.6
#: Largest curvature times the yarn's radius.
CURVATURE = 0.04
#: Tension up to which the table goes [N/m], and the most stretch.
TENSION, STRETCH = 3000.0, 0.6
#: Length of the steps in which the reach of a stretch is looked for.
PROBE = 0.01


@dataclass(frozen=True)
class Plan:
    """reach: largest strain of each axis, (5,). both_sides: whether shear to both sides is sampled, and averaged."""

    reach: tuple[float, ...]
    both_sides: bool

    def curve_knots(self, k: int) -> np.ndarray:
        """Knots of a curve, for the table: of a stretch below 0 down to as much as above it, at most by a half."""
        above = self.reach[k] * np.arange(CURVE_INTERVALS[k] + 1) / CURVE_INTERVALS[k]
        if k in (0, 2):
            least = min(0.5, self.reach[k])
            return np.concatenate([-least * np.array([1.0, 0.5]), above])
        return np.concatenate([-above[:0:-1], above])

    def patch_knots(self, k: int, pair: str) -> np.ndarray:
        """Knots of axis k of a pair."""
        above = self.reach[k] * np.arange(PATCH_INTERVALS[k] + 1) / PATCH_INTERVALS[k]
        if k not in (0, 2):
            return np.concatenate([-above[:0:-1], above])
        below = -BELOW_PART * above[1] * np.arange(BELOW if pair == "02" else 1, 0, -1)
        return np.concatenate([below, above])

    def axis_states(self, k: int, side: int) -> list[float]:
        """What is sampled of an axis on one side of 0, outwards: all its knots, of the curve and of patches."""
        knots = [self.curve_knots(k)] if k not in (0, 2) or side > 0 else []
        knots += [self.patch_knots(k, pair) for pair in PAIRS if str(k) in pair]
        wanted = {round(float(t), 12) for t in np.concatenate(knots) if t * side > 0}
        if k == 1 and side < 0 and not self.both_sides:
            return []
        return sorted(wanted, key=abs)

    def sampled(self, pair: str) -> tuple[list[float], list[float]]:
        """Strains of both axes of a pair that are sampled, 0 left out."""
        axes = []
        for k in map(int, pair):
            knots = [round(float(t), 12) for t in self.patch_knots(k, pair) if t != 0.0]
            axes.append([t for t in knots if k != 1 or t > 0.0 or self.both_sides])
        return axes[0], axes[1]

    def axis_chains(self) -> list[Chain]:
        found = [Chain((), k, tuple(self.axis_states(k, side))) for k in range(5) for side in (1, -1)]
        return [chain for chain in found if chain.strains]

    def pair_chains(self) -> list[Chain]:
        chains = []
        for pair in PAIRS:
            first, second = self.sampled(pair)
            for u in first:
                for side in (1, -1):
                    strains = tuple(sorted((t for t in second if t * side > 0), key=abs))
                    if strains:
                        chains.append(Chain((int(pair[0]), u), int(pair[1]), strains))
        return chains


@dataclass(frozen=True)
class Chain:
    """Strains of an axis, one after another, beside a kept strain of another axis (axis, strain) or of none, ()."""

    beside: tuple[()] | tuple[int, float]
    axis: int
    strains: tuple[float, ...]

    def state(self, strain: float) -> tuple[float, float, float, float, float]:
        values = [0.0] * 5
        values[self.axis] = strain
        if self.beside:
            values[self.beside[0]] = self.beside[1]
        return values[0], values[1], values[2], values[3], values[4]
