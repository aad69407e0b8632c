"""Position-based dynamics: the projection of XPBD with multipliers that are forgotten after each iteration.

Every iteration pulls each constraint towards zero again, by the share k G / (1 + k G) of its value, whatever has been done
before. So a material is the stiffer the more iterations and substeps there are, and in the limit it does not give at all;
its numbers mean nothing by themselves. It is here to compare with, and for constraints that are meant to be rigid.
Source: Müller, Heidelberger, Hennix, Ratcliff 2007, "Position based dynamics", with the share taken from the stiffness.
"""

from __future__ import annotations

from ..model.state import State
from .xpbd import Xpbd


class Pbd(Xpbd):
    """Sweeps that know nothing of the ones before."""

    def sweep(self, state: State, iteration: int) -> bool:
        for multipliers in state.displacements:
            multipliers.fill(0)
        return super().sweep(state, iteration)
