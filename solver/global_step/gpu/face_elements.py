"""Membranes and limits of triangles and quadrilaterals in the global step: `global_step/membrane.py`, `limits.py`."""

from __future__ import annotations

from typing import NamedTuple

from ...device.cpu import LANES
from ...device.cuda.array import Array
from ...device.cuda.body import body
from ...device.cuda.device import read_by_many
from ...device.cuda.element_tuples import constants_of, rest_of, strains_of, vertices_of
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from ...elements.triangle import deformation, green_strain, metric, stiffness_block, stress_forces
from ...mathlib import sym3, vec3
from .elements import HALF, ONE, ZERO, Elements, apart_of, moved_of, offsets_of, put_vectors

CORNERS = GIVEN
linearise = GIVEN

#: Numbers that a face keeps: both columns of F; over its area too, the stress's positive part (00, 11, 01) and its
#: derivative (00, 01, 02, 11, 12, 22).
KEPT = 15


@read_by_many
class Blocks(NamedTuple):
    """first: of each block that faces add to, where its corners begin in `corner`, (k + 1,); corner: (pack * 16 + lane) * 16
    + 4 a + b of a face's corners a and b; place: the block in values. rest, kept: of the faces."""

    go: Array | None
    first: Array
    corner: Array
    place: Array
    rest: Array
    stored: Array
    values: Array


class Storing(NamedTuple):
    """Arguments of stored displacements. move: the motion at the step's end, (n, 4) [m]. state: displacements, written.
    elements.at: the motion of linearisation."""

    elements: Elements
    move: Array
    state: Array


@per_energy(body)
def linearise_membrane(i, args):
    """Keep a face's numbers and forces at x0 + at. args: `elements.Elements`."""
    if args.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    g = rest_of(args.rest, pack, lane)
    f0, f1 = deformation(apart_of(args.x0, args.at, vertices_of(args.corners, pack, lane)), g)
    k = constants_of(args.constants[args.material[pack]])
    s, D, growth = linearise(green_strain(metric(f0, f1)), g, k, strains_of(args.strains, pack, lane))
    T = vec3.scale(g[4], sym3.positive_part(s))
    c = g[4] * growth
    keep(args.stored, pack, lane, f0 + f1 + T + (c * D[0], c * D[1], ZERO, c * D[2], ZERO, c * D[3]))
    put_vectors(args.forces, args.first + i * CORNERS, stress_forces(f0, f1, s, g))


@per_energy(body)
def linearise_limit(i, args):
    """The same of a limit, whose stress is never negative."""
    if args.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    g = rest_of(args.rest, pack, lane)
    f0, f1 = deformation(apart_of(args.x0, args.at, vertices_of(args.corners, pack, lane)), g)
    k = constants_of(args.constants[args.material[pack]])
    s, D, _ = linearise(green_strain(metric(f0, f1)), g, k, strains_of(args.strains, pack, lane))
    c = g[4]
    of_strain = vec3.scale(c, (D[0], D[1], D[2])) + vec3.scale(c, (D[3], D[4], D[5]))
    keep(args.stored, pack, lane, f0 + f1 + vec3.scale(c, s) + of_strain)
    put_vectors(args.forces, args.first + i * CORNERS, stress_forces(f0, f1, s, g))


@per_energy(body)
def rise_of_limit(i, args):
    """Compute the rise of a limit's energy by each share of a step: as a difference of energies, exact where the limit is
    slack. args: `elements.Rising`."""
    e = args.elements
    if e.go[0] == 0:
        return
    pack = i // LANES
    lane = i % LANES
    at = vertices_of(e.corners, pack, lane)
    g = rest_of(e.rest, pack, lane)
    k = constants_of(e.constants[e.material[pack]])
    old = strains_of(e.strains, pack, lane)
    start = apart_of(e.x0, args.move, at)
    directions = offsets_of(args.more, at)
    before = ZERO
    share = ONE + ONE
    for trial in range(-1, args.trials):
        share *= ONE if trial < 0 else HALF
        f0, f1 = deformation(moved_of(start, ZERO if trial < 0 else share, directions), g)
        _, _, energy = linearise(green_strain(metric(f0, f1)), g, k, old)
        if trial < 0:
            before = energy
        else:
            args.rise[trial, args.slot[pack] * LANES + lane] = g[4] * (energy - before)


@body
def add_blocks(i, args):
    """Add the faces' part to the block of two vertices: c (B^T D B + g^T S+ g)."""
    if args.go[0] == 0:
        return
    total = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    for k in range(args.first[i], args.first[i + 1]):
        code = args.corner[k]
        pack = code // 16 // LANES
        lane = (code // 16) % LANES
        u = shape_gradient(args.rest, pack, lane, (code // 4) % 4)
        v = shape_gradient(args.rest, pack, lane, code % 4)
        d = args.stored
        f0 = (d[pack, lane], d[pack, LANES + lane], d[pack, 2 * LANES + lane])
        f1 = (d[pack, 3 * LANES + lane], d[pack, 4 * LANES + lane], d[pack, 5 * LANES + lane])
        T = (d[pack, 6 * LANES + lane], d[pack, 7 * LANES + lane], d[pack, 8 * LANES + lane])
        D = (
            d[pack, 9 * LANES + lane],
            d[pack, 10 * LANES + lane],
            d[pack, 11 * LANES + lane],
            d[pack, 12 * LANES + lane],
            d[pack, 13 * LANES + lane],
            d[pack, 14 * LANES + lane],
        )
        b = stiffness_block(u, v, f0, f1, T, D)
        total = (
            total[0] + b[0], total[1] + b[1], total[2] + b[2], total[3] + b[3], total[4] + b[4], total[5] + b[5],
            total[6] + b[6], total[7] + b[7], total[8] + b[8],
        )  # fmt: skip
    add_to_block(args.values, args.place[i], total)


@per_energy(body)
def store_displacement(i, args):
    """Store the displacement of a limit's force after a further motion, in the linear model: P = -(F S + dF S + F D dE) over
    c. The part in excess of the limit at substep start is left out."""
    e = args.elements
    pack = i // LANES
    lane = i % LANES
    at = vertices_of(e.corners, pack, lane)
    g = rest_of(e.rest, pack, lane)
    k = constants_of(e.constants[e.material[pack]])
    f0, f1 = deformation(apart_of(e.x0, e.at, at), g)
    s, D, _ = linearise(green_strain(metric(f0, f1)), g, k, strains_of(e.strains, pack, lane))
    ends = offsets_of(args.move, at)
    begins = offsets_of(e.at, at)
    d0, d1 = deformation(moved_of(ends, -ONE, begins), g)
    more = sym3.times(D, (vec3.dot(f0, d0), vec3.dot(f1, d1), vec3.dot(f0, d1) + vec3.dot(f1, d0)))
    u0 = s[0] + more[0]
    u1 = s[1] + more[1]
    u2 = s[2] + more[2]
    p0 = vec3.add(vec3.combine(u0, f0, u2, f1), vec3.combine(s[0], d0, s[2], d1))
    p1 = vec3.add(vec3.combine(u2, f0, u1, f1), vec3.combine(s[2], d0, s[1], d1))
    for axis in range(3):
        args.state[pack, axis * LANES + lane] = -p0[axis]
        args.state[pack, (3 + axis) * LANES + lane] = -p1[axis]


@inline
def keep(stored, pack, lane, numbers):
    """Keep fifteen numbers."""
    stored[pack, lane] = numbers[0]
    stored[pack, LANES + lane] = numbers[1]
    stored[pack, 2 * LANES + lane] = numbers[2]
    stored[pack, 3 * LANES + lane] = numbers[3]
    stored[pack, 4 * LANES + lane] = numbers[4]
    stored[pack, 5 * LANES + lane] = numbers[5]
    stored[pack, 6 * LANES + lane] = numbers[6]
    stored[pack, 7 * LANES + lane] = numbers[7]
    stored[pack, 8 * LANES + lane] = numbers[8]
    stored[pack, 9 * LANES + lane] = numbers[9]
    stored[pack, 10 * LANES + lane] = numbers[10]
    stored[pack, 11 * LANES + lane] = numbers[11]
    stored[pack, 12 * LANES + lane] = numbers[12]
    stored[pack, 13 * LANES + lane] = numbers[13]
    stored[pack, 14 * LANES + lane] = numbers[14]


@inline
def shape_gradient(rest, pack, lane, corner):
    """Return the gradient of a corner's shape function [1/m]; `triangle.shape` has those of the second to the fourth."""
    if corner == 0:
        x = rest[pack, lane] + rest[pack, 2 * LANES + lane] + rest[pack, 5 * LANES + lane]
        y = rest[pack, LANES + lane] + rest[pack, 3 * LANES + lane] + rest[pack, 6 * LANES + lane]
        return -x, -y
    at = 2 * corner - 2 if corner < 3 else 5
    return rest[pack, at * LANES + lane], rest[pack, (at + 1) * LANES + lane]


@inline
def add_to_block(values, place, block):
    """Add nine numbers, column by column."""
    slot = place // LANES
    lane = place % LANES
    values[slot, lane] += block[0]
    values[slot, LANES + lane] += block[1]
    values[slot, 2 * LANES + lane] += block[2]
    values[slot, 3 * LANES + lane] += block[3]
    values[slot, 4 * LANES + lane] += block[4]
    values[slot, 5 * LANES + lane] += block[5]
    values[slot, 6 * LANES + lane] += block[6]
    values[slot, 7 * LANES + lane] += block[7]
    values[slot, 8 * LANES + lane] += block[8]
