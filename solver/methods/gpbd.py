"""Generalized position-based dynamics: Gauss-Seidel over elements that each solve for their own displacement.

Each element keeps the displacement d = h^2 M^-1 f of its own force; positions are the prediction plus all of them. A
sweep solves every element's small implicit problem with the others held. Source: Chaudhary, Pokhariya, Narain, "Towards
Generalized Position-Based Dynamics". Re-projection, which takes out of d what no longer points along the element's force,
makes the sweeps of solids converge to backward Euler; the published method stops short of it.
"""

from __future__ import annotations

from types import ModuleType

from ..model import Model
from ..state import State
from . import gpbd_loops


class Gpbd:
    """Sweeps over the elements of a model. `methods/__init__.py` says what a method is."""

    def __init__(self, model: Model):
        self.model = model

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return energy.STATE

    def begin(self, state: State, solved: int | None = None) -> None:
        """Sets every displacement to its start: none, or a share of the last substep's.

        solved: the block that starts from none, because the global stage solves for it (`methods/global_stage.py`).
        """
        share = self.model.settings.warm_start
        for number, (block, displacement) in enumerate(zip(self.model.blocks, state.displacements, strict=True)):
            if share == 0 or number == solved:
                displacement[:] = 0
                continue
            share_typed = displacement.dtype.type(share)
            gpbd_loops.warm_start(block.energy)(0, block.packs, block.index, block.rest, displacement, share_typed, state.x)

    def sweep(self, state: State, iteration: int) -> None:
        """One iteration: every element once, those of soft energies in every second iteration."""
        reprojection = state.x.dtype.type(self.model.settings.reprojection)
        for block, memory, displacement in zip(self.model.blocks, state.memories, state.displacements, strict=True):
            if iteration % block.period:
                continue
            arrays = (block.index, block.rest, block.constants, block.material, memory, displacement)
            gpbd_loops.sweep(block.energy)(block.colours, block.clusters, *arrays, reprojection, state.x)
