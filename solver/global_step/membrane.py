"""Membranes in the global step's linear system, and the displacements of their forces.

Faces of one body: faces (t, 4) rows of the system, of a triangle's last corner that of the first; shapes (t, numbers), the
energy's `rest`, which begins as `elements/triangle.py` has it; places (t,): pack * 16 + lane in the batch; constants, of the
body's material. data (t, 16): both columns of F, the stress, its positive part, its derivative by the Green strain. old
(t, 3): Green strain at the substep's start. Positions are (n, 4) with h^2 / mass [s^2/kg] last. Any energy of triangles with
`linearise` will do.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..device.cpu import LANES, element, kernel
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import first_numbers, numbers
from ..device.threads import run
from ..elements import triangle
from ..elements.triangle import deformation, green_strain, metric
from ..linalg.block_matrix import Pattern
from ..mathlib import sym3, vec3
from ..model.model import ElementBatch
from .row_order import pairs_of_corners

Array = np.ndarray

#: Of a face, and numbers of `triangle.shape`.
CORNERS, SHAPE = 4, 7
CONSTANTS = REST = START_STRAINS = GIVEN
linearise = gradient = GIVEN


class MembraneSystem:
    """The membrane of one body. NUMBERS: of a face in data."""

    NUMBERS = 16

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (t, 4) rows. places: (t,)."""
        self.energy, self.faces, self.places = batch.energy, corners, places
        self.shapes = rows_of(batch.rest, batch.energy.REST)[places].astype(dtype)
        self.constants = batch.constants[number].astype(float)
        self.typed = self.constants.astype(dtype)
        self.data, self.old = np.zeros((len(corners), self.NUMBERS), dtype), np.zeros((len(corners), 3), dtype)

    def edges(self) -> Array:
        return pairs_of_corners(self.faces)

    def fit(self, pattern: Pattern, lower: Array) -> None:
        """Finds its places in the matrix. lower: the places of the blocks below the diagonal, (k,)."""
        self.lower, self.mirror = lower, pattern.mirror[lower]
        a, b = np.array(list(combinations(range(CORNERS), 2))).T
        face, pair = np.nonzero(self.faces[:, a] != self.faces[:, b])
        a, b = a[pair], b[pair]
        u, v = self.faces[face, a], self.faces[face, b]
        at = np.searchsorted(lower, pattern.places(np.maximum(u, v), np.minimum(u, v)))
        order = np.argsort(at, kind="stable")
        self.pairs = np.where(u > v, CORNERS * a + b, CORNERS * b + a)[order].astype(np.int32)
        self.sides = face[order].astype(np.int32)
        self.first = np.searchsorted(at[order], np.arange(len(lower) + 1)).astype(np.int32)
        ends = self.faces.ravel()
        order = np.argsort(ends, kind="stable")
        self.incident = order.astype(np.int32)  # CORNERS face + corner
        self.around = np.searchsorted(ends[order], np.arange(pattern.vertices + 1)).astype(np.int32)

    def linearise(self, x: Array, memory: Array, anew: bool, force: Array) -> None:
        """At x, (n, 4); force loses the gradient there [N], (n, 3). memory: without effect, the strains at the start
        are its own. anew: damping starts there."""
        arrays = (self.faces, self.shapes, self.typed, x, anew, self.old, self.data)
        run(linearise_at(self.energy), len(self.faces), *arrays)
        run(add_forces, len(force), self.around, self.incident, self.shapes, self.data, force)

    def assemble(self, values: Array) -> None:
        """Adds the second derivatives there to the blocks of pairs of different vertices."""
        ends = (self.lower, self.mirror, self.first, self.sides, self.pairs)
        run(add_blocks, len(self.lower), *ends, self.shapes, self.data, values)

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Writes what the elements keep, at a further motion (n, 3) [m], as `triangle.displacement` reads it."""
        arrays = (self.faces, self.shapes, self.places, self.typed, self.old, self.data)
        store_displacement(self.energy)(*arrays, move, displacement)

    def potential(self, memory: Array, x: Array) -> float:
        """The membrane's energy with its damping [J]. x: (n, 3) double [m]."""
        return potential(self.energy)(self.faces, self.shapes, self.places, self.constants, memory, x)


def rows_of(lanes: Array, numbers: int) -> Array:
    """(packs, numbers * 16) -> (packs * 16, numbers)."""
    return lanes.reshape(-1, numbers, LANES).transpose(0, 2, 1).reshape(-1, numbers)


@element
def point(x, v):
    return (x[v, 0], x[v, 1], x[v, 2])


@element
def shape(shapes, t):
    return first_numbers(shapes[t], 0, SHAPE)


@element
def corners_at(x, faces, t):
    return (point(x, faces[t, 0]), point(x, faces[t, 1]), point(x, faces[t, 2]), point(x, faces[t, 3]))


@per_energy(kernel)
def linearise_at(first, last, faces, shapes, constants, x, anew, old, data):
    """data of the faces first to last at x; anew: and old."""
    k = first_numbers(constants, 0, CONSTANTS)
    for t in range(first, last):
        rest = first_numbers(shapes[t], 0, REST)
        f0, f1 = deformation(corners_at(x, faces, t), rest)
        strain = green_strain(metric(f0, f1))
        if anew:
            for i in range(3):
                old[t, i] = strain[i]
        s, tangent, growth = linearise(strain, rest, k, (old[t, 0], old[t, 1], old[t, 2]))
        tension = sym3.positive_part(s)
        for i in range(3):
            data[t, i] = f0[i]
            data[t, 3 + i] = f1[i]
            data[t, 6 + i] = s[i]
            data[t, 9 + i] = tension[i]
        for i in range(4):
            data[t, 12 + i] = growth * tangent[i]


@element
def corner_gradient(g, corner):
    if corner == 0:
        return -(g[0] + g[2] + g[5]), -(g[1] + g[3] + g[6])
    if corner == 1:
        return g[0], g[1]
    if corner == 2:
        return g[2], g[3]
    return g[5], g[6]


@element
def add_block(values, low, high, m0, m1, f0, f1, geometric):
    """values += m0 f0^T + m1 f1^T + geometric, at low as columns and at high as rows: a pair's two blocks."""
    n00 = m0[0] * f0[0] + m1[0] * f1[0] + geometric
    n01 = m0[0] * f0[1] + m1[0] * f1[1]
    n02 = m0[0] * f0[2] + m1[0] * f1[2]
    n10 = m0[1] * f0[0] + m1[1] * f1[0]
    n11 = m0[1] * f0[1] + m1[1] * f1[1] + geometric
    n12 = m0[1] * f0[2] + m1[1] * f1[2]
    n20 = m0[2] * f0[0] + m1[2] * f1[0]
    n21 = m0[2] * f0[1] + m1[2] * f1[1]
    n22 = m0[2] * f0[2] + m1[2] * f1[2] + geometric
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


@kernel
def add_blocks(first, last, lower, mirror, ends, sides, pairs, shapes, data, values):
    """values += c (B^T D B + g^T S+ g) for pairs of different corners: the Hessian with the stress's positive part, which
    keeps it positive. D: derivative of the stress by the strain, with the damping's."""
    for entry in range(first, last):
        low = lower[entry]
        high = mirror[entry]
        for side in range(ends[entry], ends[entry + 1]):
            t = sides[side]
            g = shape(shapes, t)
            c = shapes[t, 4]
            k0 = data[t, 12]
            k1 = data[t, 13]
            k2 = data[t, 14]
            k3 = data[t, 15]
            ux, uy = corner_gradient(g, pairs[side] // CORNERS)
            vx, vy = corner_gradient(g, pairs[side] % CORNERS)
            f0 = (data[t, 0], data[t, 1], data[t, 2])
            f1 = (data[t, 3], data[t, 4], data[t, 5])
            xx = c * ux * vx
            xy = c * ux * vy
            yx = c * uy * vx
            yy = c * uy * vy
            m0 = vec3.combine(k0 * xx + k3 * yy, f0, k1 * yx + k3 * xy, f1)
            m1 = vec3.combine(k1 * xy + k3 * yx, f0, k2 * yy + k3 * xx, f1)
            geometric = data[t, 9] * xx + data[t, 10] * yy + data[t, 11] * (xy + yx)
            add_block(values, low, high, m0, m1, f0, f1, geometric)


@kernel
def add_forces(first, last, around, incident, shapes, data, force):
    """force -= gradient [N] at the substep's start, (n, 3)."""
    for v in range(first, last):
        a = 0.0
        b = 0.0
        e = 0.0
        for j in range(around[v], around[v + 1]):
            t = incident[j] // CORNERS
            gx, gy = corner_gradient(shape(shapes, t), incident[j] % CORNERS)
            c = shapes[t, 4]
            s0 = c * (data[t, 6] * gx + data[t, 8] * gy)
            s1 = c * (data[t, 8] * gx + data[t, 7] * gy)
            a += s0 * data[t, 0] + s1 * data[t, 3]
            b += s0 * data[t, 1] + s1 * data[t, 4]
            e += s0 * data[t, 2] + s1 * data[t, 5]
        force[v, 0] -= a
        force[v, 1] -= b
        force[v, 2] -= e


@per_energy(kernel)
def store_displacement(faces, shapes, places, constants, old, data, move, displacement):
    """P = -(F S + dF S+ + F D dE): the displacement of each face's force after a further motion, in the linear model.

    move: (n, 3) [m]. displacement: the batch's P, (packs, 96).
    """
    k = first_numbers(constants, 0, CONSTANTS)
    for t in range(len(faces)):
        g = first_numbers(shapes[t], 0, REST)
        f0 = (data[t, 0], data[t, 1], data[t, 2])
        f1 = (data[t, 3], data[t, 4], data[t, 5])
        d0, d1 = deformation(corners_at(move, faces, t), g)
        _, D, growth = linearise(green_strain(metric(f0, f1)), g, k, (old[t, 0], old[t, 1], old[t, 2]))
        more = triangle.times(D, (vec3.dot(f0, d0), vec3.dot(f1, d1), vec3.dot(f0, d1) + vec3.dot(f1, d0)))
        u0 = data[t, 6] + growth * more[0]
        u1 = data[t, 7] + growth * more[1]
        u2 = data[t, 8] + growth * more[2]
        p0 = vec3.add(vec3.combine(u0, f0, u2, f1), vec3.combine(data[t, 9], d0, data[t, 11], d1))
        p1 = vec3.add(vec3.combine(u2, f0, u1, f1), vec3.combine(data[t, 11], d0, data[t, 10], d1))
        pack = places[t] // LANES
        lane = places[t] % LANES
        for i in range(3):
            displacement[pack, i * LANES + lane] = -p0[i]
            displacement[pack, (3 + i) * LANES + lane] = -p1[i]


@per_energy(kernel)
def potential(faces, shapes, places, constants, memory, x):
    """The membrane's energy with its damping [J]. x: (n, 3) double [m]."""
    k = first_numbers(constants, 0, CONSTANTS)
    total = 0.0
    for t in range(len(faces)):
        old = numbers(memory[places[t] // LANES], places[t] % LANES, START_STRAINS)
        energy, _ = gradient(corners_at(x, faces, t), first_numbers(shapes[t], 0, REST), k, old)
        total += energy
    return total
