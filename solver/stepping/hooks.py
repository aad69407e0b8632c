"""Hooks that let go at the end of a substep: the pull on each against its strength.

    R = sum over its vertices of (grad U - m g), of pins that give their springs' force  [N]

A hook is a connected patch of pinned vertices, held as one body: the sum of the forces, not the largest of them, decides.
At the end of a pinned row the force on single vertices grows without bound as a mesh gets finer; the sum does not. Forces
inside of a patch, which its animation may stretch, have no part in it. Forces of the air and of contact on pinned vertices
themselves, and their own inertia, are left out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..energies import attachment
from ..methods import potential
from ..methods.batch import add_gradient
from ..model.hooks import Hooks, hooks, pins_that_let_go
from ..model.model import ElementBatch, Model
from ..model.state import State
from .surroundings import Loads

Array = np.ndarray


class HookLoads:
    """Loads on the hooks of a model."""

    def __init__(self, model: Model, hooks: Hooks) -> None:
        self._model, self._hooks = model, hooks
        self._hook_of_row = np.full(model.n_vertices, -1)
        self._hook_of_row[hooks.rows] = hooks.number
        exact = [part.pinned[part.pinned_rows < part.pins] for part in model.parts]
        rows = np.unique(model.rows(np.concatenate(exact)))
        self._exact = rows[self._hook_of_row[rows] >= 0]
        self._springs = _springs(model)

    def failing(self, state: State, loads: Loads) -> Array:
        """Return the rows of the vertices of hooks that let go now, (k,). loads: of the substep."""
        pull = np.linalg.norm(self.pulls(state, loads), axis=1)
        fails = (pull > 0) & (pull >= self._hooks.strength)
        return self._hooks.rows[fails[self._hooks.number]]

    def pulls(self, state: State, loads: Loads) -> Array:
        """Return the force that holds each hook [N], (m, 3)."""
        model, pull = self._model, np.zeros((len(self._hooks), 3))
        if len(self._exact):
            slope = np.empty_like(state.x)
            potential.elastic(model, state, state.x, slope)
            share = np.array([response.gravity for response in loads.responses])[model.body_of_vertex[self._exact]]
            weight = (model.mass[self._exact] * share)[:, None] * loads.gravity
            self._add(pull, self._exact, slope[self._exact, :3] - weight)
        for k, batch, lanes, rows in self._springs:
            slope = np.zeros((batch.index.size, 4), state.x.dtype)
            add_gradient(batch, state.strains_at_start[k], state.x[model.batches[k].index.ravel()], slope)
            self._add(pull, rows, -slope[lanes, :3])
        return pull

    def _add(self, pull: Array, rows: Array, force: Array) -> None:
        hook = self._hook_of_row[rows]
        for axis in range(3):
            pull[:, axis] += np.bincount(hook[hook >= 0], force[hook >= 0, axis].astype(float), len(pull))


def make_hook_loads(model: Model) -> HookLoads | None:
    """None where no pins let go."""
    if all(pins_that_let_go(part) is None for part in model.parts):
        return None
    return HookLoads(model, hooks(model))


def _springs(model: Model) -> list[tuple[int, ElementBatch, Array, Array]]:
    """Return the batch of pins that give, with a row for each, the lanes of these, and the rows of their vertices."""
    counts = [len(part.attached) for part in model.parts]
    first = np.cumsum([0, *counts])
    row_of = np.full(first[-1] + 1, -1)
    for part, start in zip(model.parts, first[:-1], strict=True):
        soft = len(part.attached_weights)
        row_of[start : start + soft] = part.attached[:soft]
    springs = []
    for k, batch in enumerate(model.batches):
        if batch.energy is attachment:
            lanes = np.flatnonzero(row_of[batch.element] >= 0)
            apart = replace(batch, index=np.arange(batch.index.size, dtype=np.int32).reshape(batch.index.shape))
            springs.append((k, apart, lanes, row_of[batch.element[lanes]]))
    return springs
