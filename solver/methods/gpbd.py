"""Generalized position-based dynamics: Gauss-Seidel over elements that each solve for their own displacement.

Each element keeps the displacement d = h^2 M^-1 f of its own force; positions are the prediction plus all of them. A
sweep solves every element's small implicit problem with the others held. Source: Chaudhary, Pokhariya, Narain, "Towards
Generalized Position-Based Dynamics". Re-projection, which takes out of d what no longer points along the element's force,
makes the sweeps of solids converge to backward Euler; the published method stops short of it.
A solid with inverted or flat elements is swept by Jacobi until it is whole (`untangling.py`).
"""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from ..model.model import ElementBatch, Model
from ..model.state import State
from . import gpbd_loops
from .recovery.inversion_recovery import Untangling

#: Local solves of each element, at most, while a solid is untangled. With one, nearly incompressible solids stay tangled.
UNTANGLING = 8
#: Sweeps of a substep, at least, while a solid gets untangled. Forty left folds in a small one.
SWEEPS = 10


class Gpbd:
    """Sweeps over the elements of a model. `methods/__init__.py` says what a method is."""

    needs = ("project", "displacement")

    def __init__(self, model: Model):
        self.model = model
        self.untangling = Untangling(model)
        self._frozen = np.zeros(0)

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return energy.STATE

    def begin(self, state: State) -> None:
        """Sets every displacement to its start: none, or a share of the last substep's."""
        share = self.model.settings.warm_start
        for batch, displacement in zip(self.model.batches, state.displacements, strict=True):
            if share == 0:
                displacement[:] = 0
                continue
            share_typed = displacement.dtype.type(share)
            gpbd_loops.warm_start(batch.energy)(0, batch.packs, batch.index, batch.rest, displacement, share_typed, state.x)
        self.untangling.begin(state)

    def sweep(self, state: State, iteration: int, solved: frozenset[int] = frozenset()) -> None:
        """One iteration: every element once, those of soft energies in every second iteration.

        solved: numbers of the batches that the global step has solved for; they are left out.
        """
        for number, batch in enumerate(self.model.batches):
            if iteration % batch.period == 0 and number not in solved:
                if self._by_jacobi(number):
                    self._sweep_jacobi(number, state)
                else:
                    self._sweep(number, state)

    def _by_jacobi(self, number: int) -> bool:
        return self.untangling.tangled(number)

    def _sweep(self, number: int, state: State) -> None:
        """Element after element, from the positions that the one before has left."""
        batch, times = self.untangling.batch(number), self.model.settings.local_iterations
        arrays = self._arrays(number, batch, state)
        if times == 1:
            gpbd_loops.sweep(batch.energy)(*arrays, state.x)
        else:
            gpbd_loops.sweep_again(batch.energy)(*arrays, times, state.x)

    def _sweep_jacobi(self, number: int, state: State) -> None:
        """All elements of a batch from the same positions, each moving by its share."""
        settings, sweeps = self.model.settings, 1
        times = settings.local_iterations
        if self.untangling.tangled(number):
            times = max(times, UNTANGLING)
        if state.untangling[number, 0]:
            sweeps = math.ceil(SWEEPS / settings.iterations)
        swept = self.untangling.swept(number)
        arrays = self._arrays(number, swept.batch, state)
        if self._frozen.shape != state.x.shape:
            self._frozen = np.empty_like(state.x)
        for _ in range(sweeps):
            self._frozen[:] = state.x
            gpbd_loops.sweep_jacobi(swept.batch.energy)(*arrays, times, swept.shares, self._frozen, state.x)

    def _arrays(self, number: int, batch: ElementBatch, state: State) -> tuple:
        reprojection = state.x.dtype.type(self.model.settings.reprojection)
        topology = (batch.colours, batch.clusters, batch.index)
        element = (batch.rest, batch.constants, batch.material, state.strains_at_start[number], state.displacements[number])
        return (*topology, *element, reprojection)
