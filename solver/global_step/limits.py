"""Limits of triangles in the global step's linear system, and the displacements of their forces.

A limit pulls beyond some stretch and never pushes, so its stress is never negative and stays whole in the matrix. Arrays are
those of a membrane (`membrane.py`), but data (t, 15): both columns of F, the stress, six numbers of its derivative by the
Green strain. Positions are doubles, (n, 3): beside a limit's stiffness rounded ones are a force. Any energy of triangles
that is ONE_SIDED and has `linearise` will do.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import first_numbers, numbers
from ..device.threads import run
from ..elements.triangle import deformation, green_strain, metric
from ..mathlib import sym3, vec3
from ..model.model import ElementBatch
from .membrane import CORNERS, MembraneSystem, add_block, add_forces, corner_gradient, corners_at, shape

Array = np.ndarray

CONSTANTS = REST = START_STRAINS = GIVEN
linearise = GIVEN


class LimitSystem(MembraneSystem):
    """The limit of one body's triangles."""

    NUMBERS = 15

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        super().__init__(batch, number, corners, places, dtype)
        self._own = self.constants

    def begin(self, is_pushed: bool) -> None:
        """Before a step. is_pushed: whether rigid bodies push the sheet, which may want a stiffer limit."""
        if hasattr(self.energy, "solved_constants"):
            self.constants = self.energy.solved_constants(self._own, is_pushed)
        self.typed = self.constants.astype(self.typed.dtype)

    def linearise(self, x: Array, memory: Array, anew: bool, force: Array) -> None:
        """At x, (n, 3) double; force loses the gradient there [N], (n, 3). memory: the batch's numbers of the start. anew:
        without effect, it has no damping."""
        arrays = (self.faces, self.shapes, self.places, self.typed, memory, x, self.data)
        run(linearise_at(self.energy), len(self.faces), *arrays)
        run(add_forces, len(force), self.around, self.incident, self.shapes, self.data, force)

    def assemble(self, values: Array) -> None:
        """Adds the second derivatives there to the blocks of pairs of different vertices."""
        ends = (self.lower, self.mirror, self.first, self.sides, self.pairs)
        run(add_blocks, len(self.lower), *ends, self.shapes, self.data, values)

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Writes what the elements keep, at a further motion (n, 3) [m], as `triangle.displacement` reads it."""
        store_displacement(self.faces, self.shapes, self.places, self.data, move, displacement)

    def potential(self, memory: Array, x: Array) -> float:
        """The limit's energy [J]. x: (n, 3) double [m]."""
        return potential(self.energy)(self.faces, self.shapes, self.places, self.constants, memory, x)


@per_energy(kernel)
def linearise_at(first, last, faces, shapes, places, constants, memory, x, data):
    """data of the faces first to last at x."""
    k = first_numbers(constants, 0, CONSTANTS)
    for t in range(first, last):
        rest = first_numbers(shapes[t], 0, REST)
        f0, f1 = deformation(corners_at(x, faces, t), rest)
        old = numbers(memory[places[t] // LANES], places[t] % LANES, START_STRAINS)
        s, tangent, _ = linearise(green_strain(metric(f0, f1)), rest, k, old)
        for i in range(3):
            data[t, i] = f0[i]
            data[t, 3 + i] = f1[i]
            data[t, 6 + i] = s[i]
        for i in range(6):
            data[t, 9 + i] = tangent[i]


@kernel
def add_blocks(first, last, lower, mirror, ends, sides, pairs, shapes, data, values):
    """values += c (B^T D B + g^T S g) for pairs of different corners of what is taut. D: derivative of the stress S."""
    for entry in range(first, last):
        low = lower[entry]
        high = mirror[entry]
        for side in range(ends[entry], ends[entry + 1]):
            t = sides[side]
            if data[t, 9] + data[t, 12] <= 0:
                continue
            g = shape(shapes, t)
            c = shapes[t, 4]
            ux, uy = corner_gradient(g, pairs[side] // CORNERS)
            vx, vy = corner_gradient(g, pairs[side] % CORNERS)
            f0 = (data[t, 0], data[t, 1], data[t, 2])
            f1 = (data[t, 3], data[t, 4], data[t, 5])
            xx = c * ux * vx
            xy = c * ux * vy
            yx = c * uy * vx
            yy = c * uy * vy
            both = xy + yx
            m00 = data[t, 9] * xx + data[t, 11] * both + data[t, 14] * yy
            m01 = data[t, 10] * xy + data[t, 11] * xx + data[t, 13] * yy + data[t, 14] * yx
            m10 = data[t, 10] * yx + data[t, 11] * xx + data[t, 13] * yy + data[t, 14] * xy
            m11 = data[t, 12] * yy + data[t, 13] * both + data[t, 14] * xx
            r0 = vec3.combine(m00, f0, m10, f1)
            r1 = vec3.combine(m01, f0, m11, f1)
            geometric = data[t, 6] * xx + data[t, 7] * yy + data[t, 8] * both
            add_block(values, low, high, r0, r1, f0, f1, geometric)


@kernel
def store_displacement(faces, shapes, places, data, move, displacement):
    """P = -(F (S + D dE) + dF S): the displacement of each face's force after a further motion, in the linear model.

    move: (n, 3) [m]. displacement: the batch's P, (packs, 96).
    """
    for t in range(len(faces)):
        f0 = (data[t, 0], data[t, 1], data[t, 2])
        f1 = (data[t, 3], data[t, 4], data[t, 5])
        d0, d1 = deformation(corners_at(move, faces, t), shape(shapes, t))
        D = (data[t, 9], data[t, 10], data[t, 11], data[t, 12], data[t, 13], data[t, 14])
        more = sym3.times(D, (vec3.dot(f0, d0), vec3.dot(f1, d1), vec3.dot(f0, d1) + vec3.dot(f1, d0)))
        u0 = data[t, 6] + more[0]
        u1 = data[t, 7] + more[1]
        u2 = data[t, 8] + more[2]
        p0 = vec3.add(vec3.combine(u0, f0, u2, f1), vec3.combine(data[t, 6], d0, data[t, 8], d1))
        p1 = vec3.add(vec3.combine(u2, f0, u1, f1), vec3.combine(data[t, 8], d0, data[t, 7], d1))
        pack = places[t] // LANES
        lane = places[t] % LANES
        for i in range(3):
            displacement[pack, i * LANES + lane] = -p0[i]
            displacement[pack, (3 + i) * LANES + lane] = -p1[i]


@per_energy(kernel)
def potential(faces, shapes, places, constants, memory, x):
    """The limit's energy [J]. x: (n, 3) double [m]."""
    k = first_numbers(constants, 0, CONSTANTS)
    total = 0.0
    for t in range(len(faces)):
        rest = first_numbers(shapes[t], 0, REST)
        f0, f1 = deformation(corners_at(x, faces, t), rest)
        old = numbers(memory[places[t] // LANES], places[t] % LANES, START_STRAINS)
        _, _, energy = linearise(green_strain(metric(f0, f1)), rest, k, old)
        total += rest[4] * energy
    return total
