"""Generalized position-based dynamics: Gauss-Seidel over elements that each solve for their own displacement.

Each element keeps the displacement d = h^2 M^-1 f of its own force; positions are the prediction plus all of them. A
sweep solves every element's small implicit problem with the others held. Source: Chaudhary, Pokhariya, Narain, "Towards
Generalized Position-Based Dynamics". Re-projection, which removes the part of d that is no longer along the element's force,
makes the sweeps of solids converge to backward Euler; the published method stops short of it.
A solid with inverted or flat elements is swept by Jacobi until none is left (`recovery/inversion_recovery.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType

import numpy as np

from ..device.loops_cpu import add_up, sweep_clusters
from ..model.batches import some_packs
from ..model.model import ElementBatch, Model
from ..model.state import State
from .recovery.inversion_recovery import InversionRecovery
from .visits import gpbd as visits

#: No batch that the global step has solved for.
NOTHING: Mapping[int, np.ndarray] = {}
#: Local solves of each element, at most, in inversion recovery. With one, nearly incompressible solids stay inverted.
RECOVERY_SOLVES = 8
#: Sweeps of a substep, at least, in inversion recovery.
RECOVERY_SWEEPS = 10


class Gpbd:
    """Sweeps over the elements of a model. `methods/__init__.py` defines a method."""

    needs = ("project", "displacement")
    takes_changing_elements = True

    def __init__(self, model: Model):
        self.model = model
        self.recovery = InversionRecovery(model)
        self._frozen = np.zeros(0)

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return energy.STATE

    def begin_limits(self, state: State) -> None:
        """Set limits at the start of a substep, before the prediction, so that they do not return an excess as velocity."""
        for number, batch in enumerate(self.model.batches):
            if hasattr(batch.energy, "excess_at_start"):
                args = self._arguments(number, batch, state, 1)._replace(x=state.x)
                add_up(visits.set_excess, batch.energy, batch.colours, batch.clusters, args)

    def begin(self, state: State) -> None:
        """Set every displacement to its start: none, or of solids a share of the last substep's.

        A sheet rotates and folds within a substep, and its sweeps do not remove the part that is no longer along the force
        (`elements/triangle.py`): with a share of 0.9 that adds up until the sheet bursts.
        """
        for batch, displacement in zip(self.model.batches, state.displacements, strict=True):
            share = self.model.settings.warm_start if batch.energy.ELEMENT == "tetrahedron" else 0.0
            if share == 0:
                displacement.fill(0)
                continue
            kept = displacement, displacement.dtype.type(share)
            args = visits.Starts(batch.index, batch.rest, *kept, state.x, state.correction)
            add_up(visits.warm_start, batch.energy, batch.colours, batch.clusters, args)
            state.place()
        self.recovery.begin(state)

    def sweep(self, state: State, iteration: int, solved: Mapping[int, np.ndarray] = NOTHING) -> bool:
        """One iteration: every element once, those of soft energies in every second iteration.

        solved: numbers of the batches that the global step has solved for, and their packs that are swept all the same.
        """
        for number, batch in enumerate(self.model.batches):
            packs = solved.get(number)
            if iteration % batch.period == 0 and (packs is None or len(packs)):
                if self._by_jacobi(number):
                    self._sweep_jacobi(number, state, packs)
                else:
                    self._sweep(number, state, packs)
        return False

    def _by_jacobi(self, number: int) -> bool:
        return self.recovery.is_recovering(number)

    def _sweep(self, number: int, state: State, packs: np.ndarray | None) -> None:
        """Element after element, from the positions that the one before has left. packs: (k,), None for all."""
        batch, times = self.recovery.batch(number), self.model.settings.local_iterations
        visit = visits.sweep if times == 1 else visits.sweep_again
        batch, args = _only(packs, batch, self._arguments(number, batch, state, times))
        sweep_clusters(visit, batch.energy, batch.colours, batch.clusters, args)
        if packs is not None:
            state.displacements[number][packs] = args.state

    def _sweep_jacobi(self, number: int, state: State, packs: np.ndarray | None) -> None:
        """All elements of a batch from the same positions, each moving by its share. packs: (k,), None for all."""
        settings, sweeps = self.model.settings, 1
        times = settings.local_iterations
        if self.recovery.is_recovering(number):
            times = max(times, RECOVERY_SOLVES)
        if state.inversion_recovery[number, 0]:
            sweeps = math.ceil(RECOVERY_SWEEPS / settings.iterations)
        swept = self.recovery.jacobi_sweep(number)
        batch, elements = _only(packs, swept.batch, self._arguments(number, swept.batch, state, times))
        shares = swept.shares if packs is None else swept.shares[packs]
        if self._frozen.shape != state.x.shape:
            self._frozen = np.empty_like(state.x)
        for _ in range(sweeps):
            self._frozen[...] = state.correction
            args = visits.Shares(elements, shares, self._frozen, batch.rest)
            sweep_clusters(visits.sweep_jacobi, batch.energy, batch.colours, batch.clusters, args)
        if packs is not None:
            state.displacements[number][packs] = elements.state

    def _arguments(self, number: int, batch: ElementBatch, state: State, times: int) -> visits.Elements:
        reprojection = state.x.dtype.type(self.model.settings.reprojection)
        element = (batch.index, batch.rest, batch.constants, batch.material, state.strains_at_start[number])
        numbers = state.displacements[number], reprojection, times
        return visits.Elements(*element, *numbers, state.x_pred, state.correction)


def _only(packs: np.ndarray | None, batch: ElementBatch, args: visits.Elements) -> tuple[ElementBatch, visits.Elements]:
    """Return the batch with some of its packs, (k,), and copies of the arguments of these; of None all as it is."""
    if packs is None:
        return batch, args
    some = some_packs(batch, packs)
    strains, numbers = np.asarray(args.strains)[packs], np.asarray(args.state)[packs]
    return some, args._replace(index=some.index, rest=some.rest, material=some.material, strains=strains, state=numbers)
