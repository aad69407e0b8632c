"""Generalized position-based dynamics: Gauss-Seidel over elements that each solve for their own displacement.

Each element keeps the displacement d = h^2 M^-1 f of its own force; positions are the prediction plus all of them. A
sweep solves every element's small implicit problem with the others held. Source: Chaudhary, Pokhariya, Narain, "Towards
Generalized Position-Based Dynamics". Re-projection, which takes out of d what no longer points along the element's force,
makes the sweeps of solids converge to backward Euler; the published method stops short of it.
A solid with inverted or flat elements is swept by Jacobi: element after element never untangles it, all at once does.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from ..model import Model
from ..state import State
from . import gpbd_loops
from .inversion import count_small, volumes
from .jacobi_shares import jacobi_shares, rest_positions

#: Local solves of each element, at most, while a solid is untangled. With one, nearly incompressible solids stay tangled.
UNTANGLING = 8
#: An element counts as flat or inverted below this share of its rest volume.
FLAT = 0.02
#: A solid is tangled while more than this share of its elements are. With a hundredth allowed, some nearly
#: incompressible cubes of random vertices never came out of it; one element in a large mesh need not slow all others.
TANGLED = 1e-3


class Gpbd:
    """Sweeps over the elements of a model. `methods/__init__.py` says what a method is."""

    needs = ("project", "displacement")

    def __init__(self, model: Model):
        self.model = model
        self._shares: dict[int, np.ndarray] = {}  # of blocks that have been swept by Jacobi
        self._frozen = np.zeros(0)
        self._tangled: list[bool] = []
        self._least = self._least_volumes()

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return energy.STATE

    def begin(self, state: State) -> None:
        """Sets every displacement to its start: none, or a share of the last substep's."""
        share = self.model.settings.warm_start
        for block, displacement in zip(self.model.blocks, state.displacements, strict=True):
            if share == 0:
                displacement[:] = 0
                continue
            share_typed = displacement.dtype.type(share)
            gpbd_loops.warm_start(block.energy)(0, block.packs, block.index, block.rest, displacement, share_typed, state.x)
        # Of the substep's start, not of the prediction: what motion alone has inverted, Gauss-Seidel takes back.
        self._tangled = [self._is_tangled(number, state.x0) for number in range(len(self.model.blocks))]

    def sweep(self, state: State, iteration: int) -> None:
        """One iteration: every element once, those of soft energies in every second iteration."""
        for number, block in enumerate(self.model.blocks):
            if iteration % block.period == 0:
                if self._by_jacobi(number):
                    self._sweep_jacobi(number, state)
                else:
                    self._sweep(number, state)

    def _by_jacobi(self, number: int) -> bool:
        return self._tangled[number]

    def _sweep(self, number: int, state: State) -> None:
        """Element after element, from the positions that the one before has left."""
        block, times = self.model.blocks[number], self.model.settings.local_iterations
        arrays = self._arrays(number, state)
        if times == 1:
            gpbd_loops.sweep(block.energy)(*arrays, state.x)
        else:
            gpbd_loops.sweep_again(block.energy)(*arrays, times, state.x)

    def _sweep_jacobi(self, number: int, state: State) -> None:
        """All elements of a block from the same positions, each moving by its share."""
        block, times = self.model.blocks[number], self.model.settings.local_iterations
        if self._tangled[number]:
            times = max(times, UNTANGLING)
        if number not in self._shares:
            self._shares[number] = jacobi_shares(self.model, block)
        if self._frozen.shape != state.x.shape:
            self._frozen = np.empty_like(state.x)
        self._frozen[:] = state.x
        arrays = self._arrays(number, state)
        gpbd_loops.sweep_jacobi(block.energy)(*arrays, times, self._shares[number], self._frozen, state.x)

    def _arrays(self, number: int, state: State) -> tuple:
        block, reprojection = self.model.blocks[number], state.x.dtype.type(self.model.settings.reprojection)
        topology = (block.colours, block.clusters, block.index)
        element = (block.rest, block.constants, block.material, state.memories[number], state.displacements[number])
        return (*topology, *element, reprojection)

    def _least_volumes(self) -> dict[int, np.ndarray]:
        """Of each block of tetrahedra: six times the volume below which an element is flat, (packs, LANES)."""
        found = {}
        for number, block in enumerate(self.model.blocks):
            if block.energy.ELEMENT == "tetrahedron":
                at_rest = volumes(block.index, rest_positions(self.model))
                found[number] = (FLAT * at_rest).astype(self.model.settings.dtype)
        return found

    def _is_tangled(self, number: int, x: np.ndarray) -> bool:
        if number not in self._least:
            return False
        block = self.model.blocks[number]
        return count_small(block.index, self._least[number], x) > TANGLED * (block.element >= 0).sum()
