"""Energy of the sheet at one state, with its slopes: that of a patch of relaxed yarns under that state."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .cylinder import SIDE, cylinder
from .minimise import Factor, energy_of
from .patch import Patch

#: Half a difference quotient's step: of strains; of curvature, divided by the patch's size.
STEP = 1e-6
#: Nearest that points of two yarns may come, over their radii together: below it they are about to pass through each other.
NEAREST = 0.25

#: A state: stretch x, shear, stretch y, curvature x, curvature y [1/m]; one of the curvatures is zero.
State = tuple[float, float, float, float, float]


class Sample(NamedTuple):
    """A sample. energy: over that of the flat rest, per area at rest [J/m^2]. slopes: by the five strains of the state,
    (5,); by a curvature zero if the other one is not. good: whether the yarns came to rest, without passing through each
    other.
    """

    energy: float
    slopes: np.ndarray
    good: bool


def shape_of(state: State, angle: float | None = None) -> np.ndarray:
    """The cylinder of a state; of its first curvature along `angle` [rad] if one is given."""
    if angle is None:
        along_y = state[4] != 0.0
        return cylinder(*state[:3], state[4] if along_y else state[3], 0.5 * math.pi if along_y else 0.0)
    return cylinder(*state[:3], state[3], angle)


def sample(
    patch: Patch, q: np.ndarray, state: State, angle: float | None = None, factor: Factor | None = None
) -> tuple[Sample, np.ndarray]:
    """Return the patch's sample at a state, and its coordinates there, solved from q. factor: as in `Patch.solve`."""
    shape = shape_of(state, angle)
    relaxed = patch.solve(q, shape, factor=factor)
    energy = (relaxed.energy - patch.energy) / patch.area
    slopes, nearest = _slopes(patch, relaxed.q, state) if angle is None else (np.zeros(5), 1.0)
    good = relaxed.converged and nearest > NEAREST and bool(np.isfinite(slopes).all()) and math.isfinite(energy)
    return Sample(energy, slopes, good), relaxed.q


def _slopes(patch: Patch, q: np.ndarray, state: State) -> tuple[np.ndarray, float]:
    """Return the slopes of the energy by the strains, by the envelope theorem at constant material coordinates, over which
    the rest is stationary. Also the least distance of points, over their radii."""
    rest_input, n = patch.problem, len(q)
    pairs, count = patch.pairs_at(q, shape_of(state))
    motions, x = np.empty((SIDE * SIDE, 5)), np.empty((n, 3))
    work = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((SIDE * SIDE, 2)), np.empty(4 * n)
    z = q.ravel()

    def energy(k: int, step: float) -> float:
        moved = list(state)
        moved[k] += step
        shape = shape_of((moved[0], moved[1], moved[2], moved[3], moved[4]))
        return float(energy_of(z, rest_input, pairs, count, shape, motions, x, *work))

    slopes = np.zeros(5)
    for k in range(5):
        if k < 3 or state[7 - k] == 0.0:
            step = STEP if k < 3 else STEP / rest_input.scale
            slopes[k] = (energy(k, step) - energy(k, -step)) / (2.0 * step * patch.area)
    energy(0, 0.0)
    a, b, m = pairs[0, :count], pairs[1, :count], motions[pairs[2, :count]]
    turned = np.stack([x[b, 0] * m[:, 0] - x[b, 2] * m[:, 1], x[b, 1], x[b, 2] * m[:, 0] + x[b, 0] * m[:, 1]], 1)
    far = np.linalg.norm(turned + m[:, 2:] - x[a], axis=1) / (rest_input.rods.radius[a] + rest_input.rods.radius[b])
    return slopes, float(far.min(initial=1.0))
