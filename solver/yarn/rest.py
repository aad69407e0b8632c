"""The relaxed fabric: the rest of its yarns and its cell, with the curvature set by finishing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .cylinder import cylinder
from .patch import Patch, with_cell, with_frames, with_set

#: How far points are moved by chance before the yarns first find their rest, in radii: off balances that do not last.
JITTER = 0.02
#: How often curvature is set and the fabric relaxed.
SETTINGS = 3
#: Steps of one relaxation, and the number of restarts.
MOST, ROUNDS = 8000, 4


def relax(patch: Patch, set_share: np.ndarray, free: bool, seed: int = 0) -> tuple[Patch, bool]:
    """Return the relaxed patch, and whether it came to rest.

    set_share: share of its curvature that becomes a yarn's natural one, for each vertex (n,).
    free: whether the cell is relaxed before that, as that of a knit off the machine; a weave's is given by the loom and the
    stenter. After the set, every fabric's cell is relaxed.
    """
    random = np.random.default_rng(seed)
    radius = patch.problem.rods.radius[:, None]
    solution = patch.solve(patch.q + JITTER * radius * random.standard_normal(patch.q.shape), cylinder(0.0, 0.0, 0.0), MOST)
    patch = with_frames(_at(patch, solution.q))
    settled = solution.converged
    if free:
        patch, settled = _free(patch, patch.q + JITTER * radius * random.standard_normal(patch.q.shape))
    for _ in range(SETTINGS if np.any(set_share > 0.0) else 0):
        patch, settled = _free(with_set(patch, set_share), patch.q)
    if not free and not np.any(set_share > 0.0):
        patch, settled = _free(patch, patch.q)
    solution = patch.solve(patch.q, cylinder(0.0, 0.0, 0.0), MOST)
    return replace(_at(patch, solution.q), energy=solution.energy), settled and solution.converged


def _free(patch: Patch, q: np.ndarray) -> tuple[Patch, bool]:
    """Relax in a cell of free size. An edge that turns by half a turn leaves the range of its frame's parametrisation; the
    solve is restarted from frames of the current state."""
    settled = False
    for _ in range(ROUNDS):
        solution, stretch_x, stretch_y = patch.solve_free(q, MOST)
        patch = with_frames(with_cell(patch, solution.q, stretch_x, stretch_y))
        q, settled = patch.q, solution.converged
        if settled:
            break
    return patch, settled


def _at(patch: Patch, q: np.ndarray) -> Patch:
    """Move the patch's mean coordinates to the middle of the cell: translations in the plane are free."""
    moved = q.copy()
    moved[:, :2] -= (patch.problem.rods.weight @ q)[:2] - (patch.problem.rods.weight @ patch.q)[:2]
    return replace(patch, q=moved)
