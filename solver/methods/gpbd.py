"""Generalized position-based dynamics: Gauss-Seidel over elements that each solve for their own displacement.

Each element keeps the displacement d = h^2 M^-1 f of its own force; positions are the prediction plus all of them. A
sweep solves every element's small implicit problem with the others held. Source: Chaudhary, Pokhariya, Narain, "Towards
Generalized Position-Based Dynamics". Re-projection, which takes out of d what no longer points along the element's force,
makes the sweeps of solids converge to backward Euler; the published method stops short of it.
"""

from __future__ import annotations

from ..model import Model
from ..state import State


def begin(model: Model, state: State, solved: int | None = None) -> None:
    """Sets every displacement to its start: none, or a share of the last substep's.

    solved: the block that starts from none, because the global stage solves for it (`methods/global_stage.py`).
    """
    share = model.settings.warm_start
    for number, (block, displacement) in enumerate(zip(model.blocks, state.displacements, strict=True)):
        if share == 0 or number == solved:
            displacement[:] = 0
            continue
        share_typed = displacement.dtype.type(share)
        block.energy.warm_start(
            0, block.packs, block.index, block.rest, block.constants, block.material, displacement, share_typed, state.x
        )


def sweep(model: Model, state: State, iteration: int) -> None:
    """One iteration: every element once, those of soft energies in every second iteration."""
    reprojection = state.x.dtype.type(model.settings.reprojection)
    for block, memory, displacement in zip(model.blocks, state.memories, state.displacements, strict=True):
        if iteration % block.period:
            continue
        arrays = (block.index, block.rest, block.constants, block.material, memory, displacement)
        block.energy.sweep(block.colours, block.clusters, *arrays, reprojection, state.x)
