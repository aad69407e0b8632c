"""Plan of the sampled states of a fabric, in chains: each sample begins at its neighbour's state.

A chain depends only on the rest, or on the state of an axis at its start. Any number of processes can compute chains in any
order, with the same samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .samples import State

#: Pairs of axes that have a patch in the table; two curvatures have none.
PAIRS = ("01", "02", "12", "03", "13", "23", "04", "14", "24")
#: Intervals of a curve and of a patch on one side of 0: stretch, shear, curvature.
CURVE_INTERVALS = {0: 18, 1: 6, 2: 18, 3: 6, 4: 6}
PATCH_INTERVALS = {0: 6, 1: 3, 2: 6, 3: 2, 4: 2}
#: Intervals of a patch under compression: if the other axis is a stretch too, so that the sheet contracts, as long as those
#: above; else one, half as long.
CONTRACTED = 3
#: Largest shear, as the sine of its angle.
SHEAR = 0.6
#: Largest curvature times the yarn's radius.
CURVATURE = 0.04
#: Largest tension of the table [N/m], and largest stretch.
TENSION, STRETCH = 3000.0, 0.6
#: Step of the search for the reach of a stretch.
PROBE = 0.01


@dataclass(frozen=True)
class Plan:
    """Sampled range. reach: largest strain of each axis, (5,). both_sides: whether shear to both sides is sampled and
    averaged. heights: of the tension of the yarns along x and along y over the sheet's middle [m]; the plan's stretches are
    measured there.
    """

    reach: tuple[float, ...]
    both_sides: bool
    heights: tuple[float, float] = (0.0, 0.0)

    def curve_knots(self, k: int) -> np.ndarray:
        """Knots of a curve, for the table: of a stretch one below 0."""
        above = self.reach[k] * np.arange(CURVE_INTERVALS[k] + 1) / CURVE_INTERVALS[k]
        if k in (0, 2):
            return np.concatenate([[-above[1]], above])
        return np.concatenate([-above[:0:-1], above])

    def patch_knots(self, k: int, pair: str) -> np.ndarray:
        """Knots of axis k of a pair."""
        above = self.reach[k] * np.arange(PATCH_INTERVALS[k] + 1) / PATCH_INTERVALS[k]
        if k not in (0, 2):
            return np.concatenate([-above[:0:-1], above])
        below = np.arange(-CONTRACTED, 0) * above[1] if pair == "02" else np.array([-0.5 * above[1]])
        return np.concatenate([below, above])

    def axis_states(self, k: int, side: int) -> list[float]:
        """Return the sampled states of an axis on one side of 0, outwards: all its knots, of the curve and of patches."""
        knots = [self.curve_knots(k)] if k not in (0, 2) or side > 0 else []
        knots += [self.patch_knots(k, pair) for pair in PAIRS if str(k) in pair and (side > 0 or pair != "02")]
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
        chains = [Chain((), k, tuple(self.axis_states(k, side))) for k in range(5) for side in (1, -1)]
        return [chain for chain in chains if chain.strains]

    def pair_chains(self) -> list[Chain]:
        """Return chains from the states of the first axis along the second; of both stretches, contraction from stretched
        states."""
        chains = []
        for pair in PAIRS:
            k, l = int(pair[0]), int(pair[1])
            first, second = self.sampled(pair)
            for u in first:
                if pair != "02" or u > 0.0:
                    chains += [_chain(k, u, l, [t for t in second if t * side > 0]) for side in (1, -1)]
            if pair == "02":
                chains += [_chain(l, v, k, [t for t in first if t < 0]) for v in second if v > 0.0]
        return [chain for chain in chains if chain.strains]


@dataclass(frozen=True)
class Chain:
    """Strains of an axis, one after another, beside a kept strain of another axis (axis, strain) or of none, ()."""

    beside: tuple[()] | tuple[int, float]
    axis: int
    strains: tuple[float, ...]

    def state(self, strain: float) -> State:
        values = [0.0] * 5
        values[self.axis] = strain
        if self.beside:
            values[self.beside[0]] = self.beside[1]
        return values[0], values[1], values[2], values[3], values[4]


def in_middle(state: State, heights: tuple[float, float]) -> State:
    """A state of a plan with its stretches in the sheet's middle, as `samples.sample` takes it."""
    return state[0] + heights[0] * state[3], state[1], state[2] + heights[1] * state[4], state[3], state[4]


def _chain(beside: int, strain: float, axis: int, strains: list[float]) -> Chain:
    return Chain((beside, strain), axis, tuple(sorted(strains, key=abs)))
