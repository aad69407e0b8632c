"""Extended position-based dynamics: Gauss-Seidel over compliant constraints, each with a Lagrange multiplier.

The energies are those of GPBD, written as U = 1/2 sum_i k_i C_i^2. The multiplier lambda_i = -k_i C_i stands for the force,
which is taken along the gradient that the constraint has at the moment: where directions hold still, that is GPBD without
re-projection, to the last digit in the first iteration (Chaudhary, Pokhariya, Narain, "Towards Generalized Position-Based
Dynamics", appendix A). Multipliers add up over a substep's iterations, so stiffness does not depend on their number.
Damping is that of the constraints: C + damping time * dC/dt in place of C.
Source: Macklin, Müller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics".
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from ..device.cpu import LANES
from ..device.loops_cpu import add_up, sweep_clusters
from ..errors import SceneError
from ..model.model import ElementBatch, Model
from ..model.state import State
from .visits import xpbd as visits

Array = np.ndarray


class Xpbd:
    """Sweeps over the constraints of a model. Raises: SceneError for settings that belong to other methods."""

    needs = ("constraints",)
    takes_changing_elements = False

    def __init__(self, model: Model):
        self.model = model
        if model.settings.warm_start:
            raise SceneError(
                f"Settings: warm_start is {model.settings.warm_start:g} with method {model.settings.method!r}; wanted 0, "
                "because it hands over the displacements of 'gpbd', which this method does not have. Set it to 0 or choose "
                "'gpbd'."
            )
        dtype = np.dtype(model.settings.dtype)
        self._start = [np.zeros((batch.packs, self.state_numbers(batch.energy) * LANES), dtype) for batch in model.batches]

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return energy.CONSTRAINTS

    def begin(self, state: State) -> None:
        """Multipliers start from zero; damped constraints keep their values at the substep's start."""
        for number, batch in enumerate(self.model.batches):
            state.displacements[number].fill(0)
            if batch.damped:
                add_up(
                    visits.constraint_values,
                    batch.energy,
                    batch.colours,
                    batch.clusters,
                    self._arguments(number, batch, state, state.x0),
                )

    def sweep(self, state: State, iteration: int) -> bool:
        """One iteration: every element once, those of soft energies in every second iteration."""
        for number, batch in enumerate(self.model.batches):
            if iteration % batch.period == 0:
                args = self._arguments(number, batch, state, state.x_pred)
                sweep_clusters(visits.sweep, batch.energy, batch.colours, batch.clusters, args)
        return False

    def _arguments(self, number: int, batch: ElementBatch, state: State, x: Array) -> visits.Elements:
        element = (batch.index, batch.rest, batch.constants, batch.material, state.strains_at_start[number])
        numbers = batch.damping, self._start[number], state.displacements[number]
        return visits.Elements(*element, *numbers, x, state.correction)
