"""Limits of triangles in the global step's linear system (prototype)."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import first_numbers, numbers
from ..device.threads import run
from ..elements.triangle import deformation, green_strain, metric
from ..mathlib import vec3
from .membrane import MembraneSystem, _corner_gradient, _point, _shape, add_forces

Array = np.ndarray

CONSTANTS = REST = START_STRAINS = GIVEN
linearise = gradient = GIVEN


class LimitSystem(MembraneSystem):
    NUMBERS = 15

    def linearise(self, x, anew, force):
        run(linearise_at(self.energy), len(self.triangles), self.triangles, self.shapes, self.typed, x, self.data)
        run(add_forces, len(force), self.around, self.incident, self.shapes, self.data, force)

    def assemble(self, values):
        ends = (self.lower, self.mirror, self.first, self.sides, self.pairs)
        run(add_blocks, len(self.lower), *ends, self.shapes, self.data, values)

    def store_displacement(self, move, displacement):
        pass

    def potential(self, memory, x):
        return potential(self.energy)(self.triangles, self.shapes, self.constants, x)


@per_energy(kernel)
def linearise_at(first, last, triangles, shapes, constants, x, data):
    k = first_numbers(constants, 0, CONSTANTS)
    for t in range(first, last):
        rest = first_numbers(shapes[t], 0, REST)
        f0, f1 = deformation((_point(x, triangles[t, 0]), _point(x, triangles[t, 1]), _point(x, triangles[t, 2])), rest)
        s, tangent, _ = linearise(green_strain(metric(f0, f1)), rest, k, ())
        for i in range(3):
            data[t, i] = f0[i]
            data[t, 3 + i] = f1[i]
            data[t, 6 + i] = s[i]
        for i in range(6):
            data[t, 9 + i] = tangent[i]


@kernel
def add_blocks(first, last, lower, mirror, ends, sides, pairs, shapes, data, values):
    for entry in range(first, last):
        low = lower[entry]
        high = mirror[entry]
        for side in range(ends[entry], ends[entry + 1]):
            t = sides[side]
            if data[t, 6] + data[t, 7] <= 0:
                continue
            g = _shape(shapes, t)
            c = shapes[t, 4]
            ux, uy = _corner_gradient(g, pairs[side] // 3)
            vx, vy = _corner_gradient(g, pairs[side] % 3)
            f0 = (data[t, 0], data[t, 1], data[t, 2])
            f1 = (data[t, 3], data[t, 4], data[t, 5])
            a00 = data[t, 9]
            a01 = data[t, 10]
            a02 = data[t, 11]
            a11 = data[t, 12]
            a12 = data[t, 13]
            a22 = data[t, 14]
            xx = c * ux * vx
            xy = c * ux * vy
            yx = c * uy * vx
            yy = c * uy * vy
            # B_u = (ux f0, uy f1, uy f0 + ux f1): B_u^T D B_v = sum over f_i f_j^T m_ij
            m00 = a00 * xx + a02 * (xy + yx) + a22 * yy
            m01 = a01 * xy + a02 * xx + a12 * yy + a22 * yx
            m10 = a01 * yx + a02 * xx + a12 * yy + a22 * xy
            m11 = a11 * yy + a12 * (xy + yx) + a22 * xx
            r0 = vec3.combine(m00, f0, m10, f1)
            r1 = vec3.combine(m01, f0, m11, f1)
            geometric = data[t, 6] * xx + data[t, 7] * yy + data[t, 8] * (xy + yx)
            n00 = r0[0] * f0[0] + r1[0] * f1[0] + geometric
            n01 = r0[0] * f0[1] + r1[0] * f1[1]
            n02 = r0[0] * f0[2] + r1[0] * f1[2]
            n10 = r0[1] * f0[0] + r1[1] * f1[0]
            n11 = r0[1] * f0[1] + r1[1] * f1[1] + geometric
            n12 = r0[1] * f0[2] + r1[1] * f1[2]
            n20 = r0[2] * f0[0] + r1[2] * f1[0]
            n21 = r0[2] * f0[1] + r1[2] * f1[1]
            n22 = r0[2] * f0[2] + r1[2] * f1[2] + geometric
            values[low, 0] += n00
            values[low, 1] += n10
            values[low, 2] += n20
            values[low, 3] += n01
            values[low, 4] += n11
            values[low, 5] += n21
            values[low, 6] += n02
            values[low, 7] += n12
            values[low, 8] += n22
            values[high, 0] += n00
            values[high, 1] += n01
            values[high, 2] += n02
            values[high, 3] += n10
            values[high, 4] += n11
            values[high, 5] += n12
            values[high, 6] += n20
            values[high, 7] += n21
            values[high, 8] += n22


@per_energy(kernel)
def potential(triangles, shapes, constants, x):
    k = first_numbers(constants, 0, CONSTANTS)
    total = 0.0
    for t in range(len(triangles)):
        corners = (_point(x, triangles[t, 0]), _point(x, triangles[t, 1]), _point(x, triangles[t, 2]))
        energy, _ = gradient(corners, first_numbers(shapes[t], 0, REST), k, ())
        total += energy
    return total
