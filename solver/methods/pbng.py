"""Position-based nonlinear Gauss-Seidel: each vertex in turn minimises the potential of its own elements.

A step is one Newton step of three unknowns, with the vertex's own 3x3 block, made positive; vertices that share no element
(one colour) move at once. It converges for any time step, and without inertia. Over-relaxation is inside the sweep: the
published form, which mixes whole iterates, diverges with exact blocks. Contact comes after each sweep, as for all methods.
Source: Chen, Han, Chen, Teran 2023, "Position-Based Nonlinear Gauss-Seidel for Quasistatic Hyperelasticity"; Chebyshev's
extrapolation: Wang 2015, "A Chebyshev semi-iterative approach for accelerating projective and position-based dynamics".
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np

from ..model.model import ElementBatch, Model
from ..model.state import State
from . import pbng_loops
from .pbng_visits import copy_numbers, make_packs, make_visits


class Pbng:
    """Sweeps over the vertices of a model. `methods/__init__.py` says what a method is."""

    needs = ("gradient", "hessian_times")

    def __init__(self, model: Model):
        self.model = model
        dtype = np.dtype(model.settings.dtype)
        self.packs = make_packs(model)
        self.visits = [make_visits(model, batch, self.packs) for batch in model.batches]
        self.loops = [_loop(batch) for batch in model.batches]
        self.remembers = [batch.damped or not hasattr(batch.energy, "strain_at_start") for batch in model.batches]
        self.memories = [
            np.zeros((len(visits.source) if remembers else 1, batch.energy.START_STRAINS * visits.corner.shape[1]), dtype)
            for visits, batch, remembers in zip(self.visits, model.batches, self.remembers, strict=True)
        ]
        self.sums = np.zeros((len(self.packs.vertices), pbng_loops.SUMS.width * 16), dtype)
        self.start, self.before = np.zeros((2, model.n_vertices + 4, 3), dtype)
        self.omega = 1.0
        self.sweeps = 0

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return 0

    def begin(self, state: State) -> None:
        """Takes over what the elements remember of the substep's start."""
        for visits, remembers, mine, memory in zip(
            self.visits, self.remembers, self.memories, state.strains_at_start, strict=True
        ):
            if remembers:
                copy_numbers(memory, visits.source, mine)
        self.omega, self.sweeps = 1.0, 0
        if self.model.settings.chebyshev > 0:
            self.before[:] = state.x[:, :3]

    def sweep(self, state: State, iteration: int) -> bool:
        """One step of every vertex, colour by colour."""
        x, settings, dtype = state.x, self.model.settings, state.x.dtype.type
        inertia, relaxation = dtype(state.inertia), dtype(settings.relaxation)
        if settings.chebyshev > 0:
            self.start[:] = x[:, :3]
        last = len(self.loops) - 1
        # With one energy a single call does all colours.
        colours = self.packs.colours
        parts = [colours] if last == 0 else [colours[k : k + 2] for k in range(len(colours) - 1)]
        for part in parts:
            for number, (batch, loop, visits) in enumerate(zip(self.model.batches, self.loops, self.visits, strict=True)):
                arrays = (visits.rows, visits.index, visits.corner, visits.rest, batch.constants, visits.material)
                memory = self.memories[number], int(self.remembers[number])
                vertices = (self.packs.vertices, state.x_pred, state.load, inertia, relaxation, self.sums, x)
                loop(part, *arrays, *memory, int(number == last), *vertices)
        if settings.chebyshev > 0:
            self._extrapolate(x)
        return False

    def _extrapolate(self, x: np.ndarray) -> None:
        """Chebyshev's step; its weight grows from sweep to sweep."""
        rho = self.model.settings.chebyshev
        self.sweeps += 1
        if self.sweeps == 2:
            self.omega = 2 / (2 - rho * rho)
        elif self.sweeps > 2:
            self.omega = 4 / (4 - rho * rho * self.omega)
        pbng_loops.extrapolate(self.packs.vertices, x.dtype.type(self.omega), self.start, self.before, x)


def _loop(batch: ElementBatch) -> Callable[..., None]:
    """What adds up a batch's elements at their vertices."""
    energy = batch.energy
    if not batch.damped and hasattr(energy, "undamped_block"):
        return pbng_loops.sweep_blocks(energy, block="undamped_block")
    return pbng_loops.sweep_blocks(energy) if hasattr(energy, "block") else pbng_loops.sweep_hessians(energy)
