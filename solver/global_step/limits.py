"""Limits of triangles in the global step's linear system, and the displacements of their forces.

A limit pulls beyond some stretch and never pushes, so its stress is never negative and stays whole in the matrix. Any energy
of triangles that is ONE_SIDED and has `linearise` will do.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from ..device.cpu import LANES
from ..device.lanes import gather_apart, scatter_onto
from ..device.per_energy import GIVEN, per_energy
from ..device.row_kernels import row_kernel
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_nested
from ..elements.triangle import deformation, green_strain, metric, stress_forces
from ..model.model import ElementBatch
from .membrane import CORNERS, MembraneSystem, in_lanes, rows_of
from .parts import begin_slot

Array = np.ndarray

CONSTANTS = REST = START_STRAINS = GIVEN
linearise = GIVEN


class LimitSystem(MembraneSystem):
    """The limit of one body's triangles."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        super().__init__(batch, number, corners, places, dtype)
        self._own = self.constants

    @classmethod
    def side_by_side(cls, systems: list[Self], bodies: list[int], rows: list[int]) -> Self:
        """See `MembraneSystem.side_by_side`."""
        made = super().side_by_side(systems, bodies, rows)
        made._own = made.constants = np.concatenate([system._own for system in systems])
        return made

    def stiffen(self, is_pushed: bool) -> None:
        """Stiffen the limits before a step. is_pushed: whether rigid bodies push the sheet, which may want a stiffer
        limit."""
        if hasattr(self.energy, "solved_constants"):
            self.constants = np.array([self.energy.solved_constants(material, is_pushed) for material in self._own])

    def start(self, x: Array, memory: Array) -> None:
        """A step starts at x. memory: the batch's numbers of the start."""
        self.old[:] = in_lanes(rows_of(memory, self.energy.START_STRAINS)[self.places][self.lanes])

    def potential(self, x: Array) -> Array:
        """The limit's energy of each body [J], up to the last one that has any. x: (n, 3) double [m]."""
        return self._evaluate(evaluate(self.energy), x)


@per_energy(row_kernel)
def evaluate(first, last, index, rest, constants, material, x, old, before, moved, data, of_packs, slots, forces):
    """As `membrane.evaluate`."""
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    energies = np.empty(LANES, x.dtype)
    slot = begin_slot(first, slots, forces)
    for pack in range(first, last):
        k = first_numbers(constants[material[pack]], 0, CONSTANTS)
        gather_apart(x, index, pack, CORNERS, lanes)
        r = rest[pack]
        o = old[pack]
        d = data[pack]
        for lane in range(LANES):
            g = numbers(r, lane, REST)
            f0, f1 = deformation(corners_of(lanes, lane, CORNERS), g)
            s, tangent, energy = linearise(green_strain(metric(f0, f1)), g, k, numbers(o, lane, START_STRAINS))
            put_nested(d, lane, (f0, f1, s, s, tangent))
            put_corners(lanes, lane, stress_forces(f0, f1, s, g))
            energies[lane] = g[4] * energy
        total = 0.0
        for lane in range(LANES):
            total += energies[lane]
        of_packs[pack] = total
        scatter_onto(forces[slot], index, pack, CORNERS, lanes)
