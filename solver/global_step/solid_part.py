"""Part of one soft body in the global step's linear system, and its remainder for the sweeps."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from ..device.cpu import LANES
from ..linalg.block_matrix import close
from ..model.model import Model
from ..model.state import State
from ..steering import GOES_ON, REACH
from .batch_parts import batch_parts
from .contact_springs import ContactSprings
from .sheet_part import SheetPart
from .solid_reach import stiffness_a_sweep
from .volume import VolumeSystem

Array = np.ndarray


class SolidPart(SheetPart):
    """Solid counterpart of a sheet; its systems are volumes. goes_on: whether sweeps can take up other pushes (`GOES_ON`).
    is_pulled: whether energies that the step does not know act on it, such as of ties, soft pins and springs."""

    def __init__(self, model: Model, body: int, systems: list[tuple], stiffness: float, dtype: np.dtype):
        """body: its number. systems: see `SheetPart`. stiffness: of its stiffest material, see `stiffness_a_sweep`."""
        self.goes_on = stiffness <= GOES_ON
        super().__init__(model, model.parts[body], systems, [], [], dtype)
        known = {number for number, _ in self.systems}
        others = [batch.index for number, batch in enumerate(model.batches) if number not in known]
        start, stop = self.part.start, self.part.stop
        self.is_pulled = any(((index >= start) & (index < stop)).any() for index in others)

    def take_strains(self, state: State) -> None:
        """Take the strains before a step: damping compares with the strains at the substep's start."""
        for number, system in self.systems:
            system.begin(state.strains_at_start[number])

    def force(self) -> Array:
        """Minus the gradient of the energies at the last evaluation of the potential [N], (n, 3)."""
        return -sum(system.gradient[: len(self.free), :3] for _, system in self.systems)

    def assemble(  # type: ignore[override]
        self, inertia: Array, values: Array, exact: Array
    ) -> None:
        """Fill the blocks of the matrix at the last evaluation of the potential. exact: of each body whether with the true
        second derivatives, else with positive ones, (bodies,) bool. inertia: M / h^2 [N/m], (n,)."""
        values[:] = 0
        for _, system in self.systems:
            system.assemble(values, exact)
        close(self.pattern, self.free, inertia, values)

    def go_on(self, state: State) -> None:
        """Give the elements the displacements of their own forces at the step's end, from which their sweeps continue."""
        for number, system in self.systems:
            system.store_displacement(state.displacements[number])

    def is_recovering(self, state: State) -> bool:
        """Return whether inverted elements are being recovered: then all is left to the sweeps."""
        return any(state.inversion_recovery[number, 0] > 0 for number, _ in self.systems)


def pushed_beside(contact, springs: ContactSprings | None) -> Array:
    """Vertices of pairs' contacts that a system of soft bodies does not know, (k,). springs: those that it knows."""
    if contact is None or contact.idle:
        return np.zeros(0, np.int64)
    corners, weights = contact.forces.pair_contacts().joined()
    is_left = weights != 0
    if springs is not None:
        is_left[springs.of_stage(contact.forces.pair_contacts())] = False
    return corners[is_left]


def is_of_solids(energy: ModuleType) -> bool:
    """Return whether an energy of tetrahedra is one that the step can solve for."""
    return energy.ELEMENT == "tetrahedron" and hasattr(energy, "hessian_times") and hasattr(energy, "equilibrium_state")


def solid_parts(model: Model) -> list[SolidPart]:
    """One for each soft body with a material that sweeps leave short (`solid_reach`), unless these continue to a
    tolerance, or something pulls it that only they know and they cannot continue from the step, or its visible mesh is
    what touches."""
    if model.settings.tolerance is not None or model.settings.error_tolerance is not None:
        return []
    parts = all_solid_parts(model, REACH)
    return [part for part in parts if part.part.surface_rows is None and (part.goes_on or not part.is_pulled)]


def all_solid_parts(model: Model, least: float = -1.0) -> list[SolidPart]:
    """One for each soft body with a material stiffer than `least`, see `stiffness_a_sweep`."""
    dtype = np.dtype(model.settings.dtype)
    systems_of: dict[int, list] = {}
    stiffness: dict[int, float] = {}
    for number, batch in enumerate(model.batches):
        if not is_of_solids(batch.energy):
            continue
        for material, body, corners, places in batch_parts(model, batch):
            systems_of.setdefault(body, []).append((number, VolumeSystem, batch, material, corners, places))
            own_stiffness = stiffness_a_sweep(model, batch, np.unique(places // LANES))
            stiffness[body] = max(stiffness.get(body, 0.0), own_stiffness)
    stiff = [body for body in sorted(systems_of) if stiffness[body] > least]
    return [SolidPart(model, body, systems_of[body], stiffness[body], dtype) for body in stiff]
