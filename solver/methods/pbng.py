"""Position-based nonlinear Gauss-Seidel: each vertex in turn minimises the potential of its own elements.

A step is one Newton step of three unknowns, with the vertex's own 3x3 block, made positive; vertices that share no element
(one colour) move at once. It converges for any time step, and without inertia. Over-relaxation is inside the sweep: the
published form, which mixes whole iterates, diverges with exact blocks. Contact comes after each sweep, as for all methods.
Source: Chen, Han, Chen, Teran 2023, "Position-Based Nonlinear Gauss-Seidel for Quasistatic Hyperelasticity"; Chebyshev's
extrapolation: Wang 2015, "A Chebyshev semi-iterative approach for accelerating projective and position-based dynamics".
"""

from __future__ import annotations

from types import ModuleType

import numpy as np

from ..device.cpu import LANES, f32, kernel
from ..device.loops_cpu import sweep_packs
from ..device.per_energy import Visit
from ..model.model import ElementBatch, Model
from ..model.state import State
from .incident_elements import copy_numbers, make_incident_elements, make_packs
from .visits import pbng as visits

ZERO = f32(0)


class Pbng:
    """Sweeps over the vertices of a model. `methods/__init__.py` defines a method."""

    needs = ("gradient", "hessian_times")
    takes_changing_elements = False

    def __init__(self, model: Model):
        self.model = model
        dtype = np.dtype(model.settings.dtype)
        self.packs = make_packs(model)
        self.incident = [make_incident_elements(model, batch, self.packs) for batch in model.batches]
        self.visits = [_visit(batch) for batch in model.batches]
        # Where no damping compares with them, strains at the start are read by no one, and one row serves for all.
        self.own_strains = [
            batch.damped or hasattr(batch.energy, "flow_at_start") or not hasattr(batch.energy, "strain_at_start")
            for batch in model.batches
        ]
        self.strains = [
            np.zeros((len(incident.source) if has_own else 1, batch.energy.START_STRAINS * LANES), dtype)
            for incident, batch, has_own in zip(self.incident, model.batches, self.own_strains, strict=True)
        ]
        self.sums = np.zeros((len(self.packs.vertices), visits.SUMS.width * LANES), dtype)
        self.start, self.before = np.zeros((2, model.n_vertices + 4, 3), dtype)
        self.omega = 1.0
        self.sweeps = 0

    @staticmethod
    def state_numbers(energy: ModuleType) -> int:
        return 0

    def begin(self, state: State) -> None:
        """Take over the strains at the substep's start."""
        for incident, has_own, mine, strains in zip(
            self.incident, self.own_strains, self.strains, state.strains_at_start, strict=True
        ):
            if has_own:
                copy_numbers(strains, incident.source, mine)
        self.omega, self.sweeps = 1.0, 0
        if self.model.settings.chebyshev > 0:
            self.before[...] = state.correction[:, :3]

    def sweep(self, state: State, iteration: int) -> bool:
        """One step of every vertex, colour by colour."""
        x, settings, dtype = state.x, self.model.settings, state.x.dtype.type
        numbers = dtype(state.inertia), dtype(settings.relaxation)
        vertices = visits.Vertices(self.packs.vertices, state.x_pred, state.load, *numbers, self.sums, x, state.correction)
        if settings.chebyshev > 0:
            self.start[...] = state.correction[:, :3]
        # With one energy a single call does all colours.
        colours = self.packs.colours
        parts = [colours] if len(self.visits) == 1 else [colours[k : k + 2] for k in range(len(colours) - 1)]
        args = [self._arguments(number, batch, vertices) for number, batch in enumerate(self.model.batches)]
        for part in parts:
            for batch, visit, instead, elements in zip(
                self.model.batches, *zip(*self.visits, strict=True), args, strict=True
            ):
                sweep_packs(visit, batch.energy, part, elements, **instead)
        if settings.chebyshev > 0:
            self._extrapolate(state)
        return False

    def _arguments(self, number: int, batch: ElementBatch, vertices: visits.Vertices) -> visits.Incident:
        incident, last = self.incident[number], number == len(self.visits) - 1
        arrays_of_rows = (incident.rows, incident.index, incident.corner, incident.rest, batch.constants, incident.material)
        strains = self.strains[number], int(self.own_strains[number])
        return visits.Incident(*arrays_of_rows, *strains, int(last), vertices)

    def _extrapolate(self, state: State) -> None:
        """Chebyshev's step; its weight grows from sweep to sweep."""
        self.sweeps += 1
        self.omega = chebyshev_weight(self.omega, self.sweeps, self.model.settings.chebyshev)
        omega = state.x.dtype.type(self.omega)
        extrapolate(self.packs.vertices, omega, self.start, self.before, state.x_pred, state.correction, state.x)


def chebyshev_weight(omega: float, sweeps: int, rho: float) -> float:
    """The weight of Chebyshev's step after so many sweeps, 1 for the first. omega: of the sweep before."""
    return 1.0 if sweeps < 2 else 2 / (2 - rho * rho) if sweeps == 2 else 4 / (4 - rho * rho * omega)


def _visit(batch: ElementBatch) -> tuple[Visit, dict[str, str]]:
    """Return the visit that adds up a batch's elements at their vertices, and substitutes for functions of the energy."""
    energy = batch.energy
    if not batch.damped and hasattr(energy, "undamped_block"):
        return visits.sweep_blocks, {"block": "undamped_block"}
    return (visits.sweep_blocks if hasattr(energy, "block") else visits.sweep_hessians), {}


@kernel
def extrapolate(vertices, omega, start, before, x_pred, correction, x):
    """Chebyshev's step: correction = before + omega (correction - before), and x with it; then before becomes `start`,
    (n, 3), where this sweep began."""
    for i in range(vertices.size):
        v = vertices[i // LANES, i % LANES]
        if x[v, 3] > ZERO:
            for k in range(3):
                correction[v, k] = before[v, k] + omega * (correction[v, k] - before[v, k])
                x[v, k] = x_pred[v, k] + correction[v, k]
                before[v, k] = start[v, k]
