"""Membranes in the global step's linear system, and the displacements of their forces.

Faces of one body, triangles first, each kind in the order of the matrix's rows, in packs of 16 lanes: a pack that is not
full is filled with its last face, which counts nothing there. A face's corners go from its last row of the matrix to its
first, a triangle's last corner is its first again. Positions are doubles; each face computes with what its corners are
apart from the first one. Any energy of triangles with `linearise` will do. Parts of the packs (`parts.py`) are evaluated at
once, and so are their blocks of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from ..device.cpu import LANES, element, f32, kernel
from ..device.lanes import gather_apart, scatter_onto
from ..device.per_energy import GIVEN, per_energy
from ..device.row_kernels import row_kernel
from ..device.simd.blocks import BLOCK
from ..device.simd.rows import add_lanes_at
from ..device.simd.tuples import corners_of, first_numbers, numbers, put_corners, put_nested, put_numbers
from ..elements import triangle
from ..elements.triangle import deformation, green_strain, metric, stiffness_block
from ..linalg.block_matrix import Pattern
from ..mathlib import sym3, vec3
from ..model.model import ElementBatch
from .parts import Parts, begin_slot
from .row_order import pairs_of_corners

Array = np.ndarray

#: Of a face.
CORNERS = 4
#: Pairs of a face's corners, those of a triangle first; how many a triangle has, and a quadrilateral.
PAIRS = ((0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3))
PAIRS_OF = 3, 6
#: Numbers that a face keeps: F, the stress, its positive part, the derivative (00, 01, 02, 11, 12, 22); and its shape
#: gradients with its stiffness.
KEPT, GRADIENTS = 18, 9
#: Numbers of a shape (`triangle.shape`).
SHAPE = 7
ZERO, HALF, ONE = f32(0), f32(0.5), f32(1)
CONSTANTS = REST = START_STRAINS = GIVEN
linearise = gradient = strain_at_start = GIVEN


class MembraneSystem:
    """The membrane of one body, or of several, one after the other (`side_by_side`). constants: of their materials, (m,
    numbers); material, body: of each pack, (packs,). at: where each face stands, pack * 16 + lane. data, trial: of each face
    both columns of F, the stress, its positive part and its derivative by the Green strain, where the matrix is made, and
    where the potential was taken last."""

    def __init__(self, batch: ElementBatch, number: int, corners: Array, places: Array, dtype: np.dtype):
        """number: the body's material in the batch. corners: (t, 4) rows. places: (t,), pack * 16 + lane in the batch."""
        self.energy, self.constants = batch.energy, batch.constants[number : number + 1].astype(float)
        triangles, permuted = corners[:, 3] == corners[:, 0], corners.copy()
        permuted[triangles, 3] = -1
        permutation = np.argsort(-permuted, axis=1, kind="stable")
        permuted = np.take_along_axis(permuted, permutation, 1)
        permuted[triangles, 3] = permuted[triangles, 0]
        order = np.lexsort((permuted[:, 0], ~triangles))
        self.faces, self.places, self.triangles = permuted[order], places[order], int(triangles.sum())
        shapes = rows_of(batch.rest, batch.energy.REST)[places]
        gradients = triangle.shape_gradients(shapes)
        gradients = np.take_along_axis(gradients, permutation[:, :, None], 1)
        shapes = triangle.with_gradients(shapes, gradients)[order]
        self.lanes = _lanes_of(self.triangles, len(order))
        filling = np.zeros(len(self.lanes), bool)
        filling[1:] = self.lanes[1:] == self.lanes[:-1]
        shapes, gradients = shapes[self.lanes], gradients[order][self.lanes].reshape(-1, 2 * CORNERS)
        shapes[filling, 4] = 0.0
        self.rest = in_lanes(shapes.astype(dtype))
        self.gradients = in_lanes(np.column_stack([gradients, shapes[:, 4]]).astype(dtype))
        self.index = in_lanes(self.faces[self.lanes].astype(np.int32))
        self.at, self.turn = _place_of(self.triangles, len(self.faces)), -(-self.triangles // LANES)
        self.material, self.body = np.zeros((2, len(self.index)), np.int32)
        self._make_room()

    def _make_room(self) -> None:
        """Allocate the work space of an evaluation."""
        packs, dtype = len(self.index), self.rest.dtype
        self.old = np.zeros((packs, self.energy.START_STRAINS * LANES))
        self.data, self.trial = np.zeros((2, packs, KEPT * LANES), dtype)
        self._energies = np.zeros(packs)
        self._moved = ZERO
        n = int(self.index.max(initial=-1)) + 1
        self.parts, self._x = Parts(self.index, [self.turn, packs - self.turn], n), np.zeros((n, 4))

    @classmethod
    def side_by_side(cls, systems: list[Self], bodies: list[int], rows: list[int]) -> Self:
        """The membranes of several bodies as one; `fit` comes next. bodies: number of each, rows: first row of each;
        ascending."""
        made = cls.__new__(cls)
        turns, counts = [system.turn for system in systems], [len(system.index) - system.turn for system in systems]
        faces = np.cumsum([0, *(len(system.faces) for system in systems)])
        first, second = np.cumsum([0, *turns]), np.cumsum([sum(turns), *counts])
        made.energy, made.triangles, made.turn = systems[0].energy, sum(s.triangles for s in systems), sum(turns)
        made.constants = np.concatenate([system.constants for system in systems])
        arrays_by_name: dict[str, list[Array]] = {}
        for k, (system, body, row) in enumerate(zip(systems, bodies, rows, strict=True)):
            packs, is_first = len(system.index), system.at < LANES * system.turn
            of_packs = {
                "index": system.index + np.int32(row),
                "rest": system.rest,
                "gradients": system.gradients,
                "lanes": (system.lanes + faces[k]).reshape(-1, LANES),
                "material": np.full(packs, k, np.int32),
                "body": np.full(packs, body, np.int32),
            }
            for name, array in of_packs.items():
                arrays_by_name.setdefault(name, []).insert(k, array[: system.turn])  # packs of triangles go first
                arrays_by_name[name].append(array[system.turn :])
            face = np.where(is_first, first[k], second[k] - system.turn)
            of_faces = {"faces": system.faces + row, "places": system.places, "at": system.at + LANES * face}
            for name, array in of_faces.items():
                arrays_by_name.setdefault(name, []).append(array)
        for name, arrays in arrays_by_name.items():
            setattr(made, name, np.concatenate(arrays))
        made.lanes = made.lanes.ravel()
        made._make_room()
        return made

    def edges(self) -> Array:
        return pairs_of_corners(self.faces)

    def fit(self, pattern: Pattern) -> None:
        """Find its places in the matrix."""
        corners = self.faces[self.lanes]
        slots = np.stack([pattern.places(corners[:, a], corners[:, b]) for a, b in PAIRS], 1)
        self._slots = in_lanes(slots.astype(np.int32))

    def start(self, x: Array, memory: Array) -> None:
        """A step and its damping start at x, (n, 4). memory: strains of the batch at the start, read where they flow; others
        are its own, in double precision."""
        self._moved = ZERO
        if hasattr(self.energy, "flow_at_start"):
            self.old[:] = in_lanes(rows_of(memory, self.energy.START_STRAINS)[self.places][self.lanes])
        else:
            start_at(self.energy)(self.index, self.rest, x.astype(float), self.old)

    def potential(self, x: Array) -> Array:
        """The energy of each body with its damping [J], up to the last one that has any. x: (n, 3) double [m]."""
        return self._evaluate(evaluate(self.energy), x)

    def _evaluate(self, kernel: Callable, x: Array) -> Array:
        self._x[:, :3] = x[: len(self._x)]
        faces = self.index, self.rest, self.constants, self.material, self._x, self.old
        arrays = (*faces, self.data, self._moved, self.trial)
        self.parts.evaluate(kernel, len(self.faces), *arrays, self._energies)
        return np.bincount(self.body, self._energies)

    def linearise(self, force: Array) -> None:
        """Linearise where the potential was taken last: the matrix is made there, and force loses the gradient [N],
        (n, 3)."""
        self.data, self.trial, self._moved = self.trial, self.data, ONE
        self.parts.subtract(force)

    def assemble(self, values: Array) -> None:
        """Add the second derivatives there to the lower one of the two blocks of each pair of different vertices."""
        arrays = (self.turn, self._slots, self.gradients, self.data, values.reshape(-1))
        self.parts.each(add_pairs, len(self.faces), *arrays)

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Write what the elements keep, at a further motion (n, 3) [m], as `triangle.displacement` reads it."""
        arrays = (self.faces, self.at, self.places, self.rest, self.data)
        store_displacement(*arrays, move, displacement)


def _lanes_of(triangles: int, faces: int) -> Array:
    """The face of each lane: triangles in packs of their own, the last face again where a pack is not full."""
    first, second = (-(-count // LANES) * LANES for count in (triangles, faces - triangles))
    lanes = np.minimum(np.arange(first), triangles - 1), np.minimum(triangles + np.arange(second), faces - 1)
    return np.concatenate(lanes)


def _place_of(triangles: int, faces: int) -> Array:
    """pack * 16 + lane of each face."""
    gap = -triangles % LANES
    return np.where(np.arange(faces) < triangles, np.arange(faces), np.arange(faces) + gap)


def rows_of(lanes: Array, numbers: int) -> Array:
    """(packs, numbers * 16) -> (packs * 16, numbers)."""
    return lanes.reshape(-1, numbers, LANES).transpose(0, 2, 1).reshape(-1, numbers)


def in_lanes(rows: Array) -> Array:
    """(packs * 16, numbers) -> (packs, numbers * 16), contiguous."""
    return np.ascontiguousarray(rows.reshape(-1, LANES, rows.shape[1]).transpose(0, 2, 1)).reshape(-1, rows.shape[1] * LANES)


@element
def point(x, v):
    return (x[v, 0], x[v, 1], x[v, 2])


@per_energy(kernel)
def start_at(index, rest, x, old):
    """old: the strains at x, (n, 4) double."""
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    for pack in range(len(index)):
        gather_apart(x, index, pack, CORNERS, lanes)
        r = rest[pack]
        o = old[pack]
        for lane in range(LANES):
            put_numbers(o, lane, strain_at_start(corners_of(lanes, lane, CORNERS), numbers(r, lane, REST)))


@per_energy(row_kernel)
def evaluate(first, last, index, rest, constants, material, x, old, before, moved, data, of_packs, slots, forces):
    """Energies [J] of the packs first to last at x, (n, 4) double; their data, and the gradient [N] in the forces
    of their slot (`parts.py`).

    before: data where they were linearised last. moved: 1 where they have been in this step, 0 before.
    """
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
            corners = corners_of(lanes, lane, CORNERS)
            g = numbers(r, lane, REST)
            start = numbers(o, lane, START_STRAINS)
            energy, slopes = gradient(corners, g, k, start)
            f0, f1 = deformation(corners, g)
            s, D, growth = linearise(green_strain(metric(f0, f1)), g, k, start)
            zero = s[0] - s[0]
            tangent = (growth * D[0], growth * D[1], zero, growth * D[2], zero, growth * D[3])
            from_last = _kept(before[pack], lane)
            put_nested(d, lane, (f0, f1, s, side_stiffness(s, D, f0, f1, from_last[0], from_last[1], moved), tangent))
            put_corners(lanes, lane, slopes)
            energies[lane] = energy
        total = 0.0
        for lane in range(LANES):
            total += energies[lane]
        of_packs[pack] = total
        scatter_onto(forces[slot], index, pack, CORNERS, lanes)


@element
def side_stiffness(s, D, f0, f1, l0, l1, moved):
    """|S| + D e, with e the strain (E00, E11, 2 E01) of the change of F since the last linearisation: the stiffness of a
    face against motion at right angles to it. s, D: stress, and its derivative by the strain."""
    positive = sym3.positive_part(s)
    d0 = vec3.sub(f0, l0)
    d1 = vec3.sub(f1, l1)
    half = HALF * moved
    e0 = half * vec3.dot(d0, d0)
    e1 = half * vec3.dot(d1, d1)
    e2 = moved * vec3.dot(d0, d1)
    return (
        positive[0] + positive[0] - s[0] + D[0] * e0 + D[1] * e1,
        positive[1] + positive[1] - s[1] + D[1] * e0 + D[2] * e1,
        positive[2] + positive[2] - s[2] + D[3] * e2,
    )


@row_kernel
def add_pairs(first, last, turn, slots, gradients, data, values):
    """values += c (B^T D B + g^T S+ g) for the pairs of corners of the packs first to last: the Hessian with the stress's
    positive part S+, which keeps it positive. D: derivative of the stress by the strain, with the damping's. values: the
    matrix's blocks as one long row. turn: packs before it are of triangles."""
    block = np.empty(9 * LANES, data.dtype)
    for pack in range(first, last):
        g = gradients[pack]
        d = data[pack]
        for pair in range(PAIRS_OF[0] if pack < turn else PAIRS_OF[1]):
            a = 2 * LANES * PAIRS[pair][0]
            b = 2 * LANES * PAIRS[pair][1]
            for lane in range(LANES):
                c = g[8 * LANES + lane]
                u = c * g[a + lane], c * g[a + LANES + lane]
                v = g[b + lane], g[b + LANES + lane]
                f0, f1, _, T, D = _kept(d, lane)
                put_numbers(block, lane, stiffness_block(u, v, f0, f1, T, D))
            for four in range(0, LANES, 4):
                at = pair * LANES + four
                e0 = BLOCK * slots[pack, at]
                e1 = BLOCK * slots[pack, at + 1]
                e2 = BLOCK * slots[pack, at + 2]
                e3 = BLOCK * slots[pack, at + 3]
                add_lanes_at(values, block, e0, e1, e2, e3, four)
                add_lanes_at(values, block, e0 + 4, e1 + 4, e2 + 4, e3 + 4, 4 * LANES + four)
                last_of = 8 * LANES + four
                values[e0 + 8] += block[last_of]
                values[e1 + 8] += block[last_of + 1]
                values[e2 + 8] += block[last_of + 2]
                values[e3 + 8] += block[last_of + 3]


@element
def _kept(d, lane):
    """Both columns of F, the stress, its positive part, and its derivative."""
    return (
        (d[lane], d[LANES + lane], d[2 * LANES + lane]),
        (d[3 * LANES + lane], d[4 * LANES + lane], d[5 * LANES + lane]),
        (d[6 * LANES + lane], d[7 * LANES + lane], d[8 * LANES + lane]),
        (d[9 * LANES + lane], d[10 * LANES + lane], d[11 * LANES + lane]),
        (
            d[12 * LANES + lane],
            d[13 * LANES + lane],
            d[14 * LANES + lane],
            d[15 * LANES + lane],
            d[16 * LANES + lane],
            d[17 * LANES + lane],
        ),
    )


@kernel
def store_displacement(faces, slots, places, rest, data, move, displacement):
    """P = -(F S + dF S+ + F D dE): the displacement of each face's force after a further motion, in the linear model.

    slots: where each face stands in rest and data, pack * 16 + lane. move: (n, 3) [m]. displacement: the batch's P, (packs,
    96).
    """
    for t in range(len(faces)):
        row = slots[t] // LANES
        at = slots[t] % LANES
        r = rest[row]
        corners = (point(move, faces[t, 0]), point(move, faces[t, 1]), point(move, faces[t, 2]), point(move, faces[t, 3]))
        f0, f1, s, T, D = _kept(data[row], at)
        d0, d1 = deformation(corners, numbers(r, at, SHAPE))
        more = sym3.times(D, (vec3.dot(f0, d0), vec3.dot(f1, d1), vec3.dot(f0, d1) + vec3.dot(f1, d0)))
        u0 = s[0] + more[0]
        u1 = s[1] + more[1]
        u2 = s[2] + more[2]
        p0 = vec3.add(vec3.combine(u0, f0, u2, f1), vec3.combine(T[0], d0, T[2], d1))
        p1 = vec3.add(vec3.combine(u2, f0, u1, f1), vec3.combine(T[2], d0, T[1], d1))
        pack = places[t] // LANES
        lane = places[t] % LANES
        for i in range(3):
            displacement[pack, i * LANES + lane] = -p0[i]
            displacement[pack, (3 + i) * LANES + lane] = -p1[i]
