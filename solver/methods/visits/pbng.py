"""Visits of position-based nonlinear Gauss-Seidel: packs of 16 vertices of one colour, with the elements at them.

`sums` has numbers of each vertex, lanes innermost, (packs, SUMS.width * 16): the gradient and the upper rows of its block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.lanes import gather, scatter
from ...device.layout import layout
from ...device.per_energy import GIVEN, per_energy, visit_of_pack
from ...device.simd.tuples import corners_of, first_numbers, numbers, ones_where, put_corners, weights_of
from ...device.uncounted import inline
from ...mathlib import sym3, vec3

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
block = gradient = hessian_times = GIVEN

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)
#: Numbers of a vertex in `sums`.
SUMS = layout(gradient=3, block=6)


class Vertices(NamedTuple):
    """Moving vertices: packs of vertices (packs, 16), and their sums. x_pred, load, correction: as in `State`.

    inertia, relaxation: numbers of the type of x (n + 4, 4), which is x_pred + correction all the time.
    """

    packs: Array
    x_pred: Array
    load: Array
    inertia: Array
    relaxation: Array
    sums: Array
    x: Array
    correction: Array


class Incident(NamedTuple):
    """Elements of one batch at the packs' vertices, as in `incident_elements.py`, and the vertices.

    strains: of each row where `own_strains` is 1, one for all rows where it is 0. moves: 1 where the vertices move after
    these elements, 0 where other batches follow.
    """

    rows: Array
    index: Any
    corner: Array
    rest: Array
    constants: Array
    material: Array
    strains: Array
    own_strains: int
    moves: int
    vertices: Vertices


@inline
def move(pack, args, lanes):
    """Move each vertex of a pack by its Newton step, times the relaxation, and clears the sums. lanes: work space."""
    vertices = args.packs
    s = args.sums[pack]
    for lane in range(LANES):
        for i in range(3):
            s[i * LANES + lane] -= args.load[vertices[pack, lane], i]
    size = 4 * LANES
    gather(args.x_pred, vertices, pack, 1, lanes[:size])
    gather(args.correction, vertices, pack, 1, lanes[size:])
    for lane in range(LANES):
        predicted, correction = corners_of(lanes, lane, 2)
        w = weights_of(lanes, lane, 1)[0]
        mass_term = args.inertia / max(w, TINY)
        stiffness = mass_term + s[3 * LANES + lane] + s[6 * LANES + lane] + s[8 * LANES + lane]
        held = stiffness > TINY and w > ZERO  # what nothing holds stays
        scale = ONE / max(stiffness, TINY) if held else ZERO
        mass_term *= scale
        h = (
            scale * s[3 * LANES + lane] + mass_term,
            scale * s[4 * LANES + lane],
            scale * s[5 * LANES + lane],
            scale * s[6 * LANES + lane] + mass_term,
            scale * s[7 * LANES + lane],
            scale * s[8 * LANES + lane] + mass_term,
        )
        n = (
            -mass_term * correction[0] - scale * s[lane],
            -mass_term * correction[1] - scale * s[LANES + lane],
            -mass_term * correction[2] - scale * s[2 * LANES + lane],
        )
        correction = vec3.add_scaled(correction, args.relaxation if held else ZERO, sym3.solve(h, n))
        put_corners(lanes, lane, (vec3.add(predicted, correction), correction))
    scatter(args.x, vertices, pack, 1, lanes[:size])
    scatter(args.correction, vertices, pack, 1, lanes[size:])
    for i in range(SUMS.width * LANES):
        s[i] = ZERO


@per_energy(inline)
def add_row(lanes, at, corner, r, k, m, s):
    """Add one row of elements to the sums of their vertices, by the energy's own `block`. at: where its lanes begin."""
    for lane in range(LANES):
        force, hessian = block(
            corners_of(lanes, at + lane, CORNERS),
            numbers(r, lane, REST),
            k,
            numbers(m, lane, START_STRAINS),
            ones_where(lanes, corner, lane, CORNERS),
        )
        s[lane] += force[0]
        s[LANES + lane] += force[1]
        s[2 * LANES + lane] += force[2]
        s[3 * LANES + lane] += hessian[0]
        s[4 * LANES + lane] += hessian[3]
        s[5 * LANES + lane] += hessian[4]
        s[6 * LANES + lane] += hessian[1]
        s[7 * LANES + lane] += hessian[5]
        s[8 * LANES + lane] += hessian[2]


@visit_of_pack(lambda energy: (8 * energy.CORNERS,))
def sweep_blocks(pack, args, work):
    """Add up one energy's rows with its own `block`; then moves the vertices if `moves` is 1."""
    lanes = work[0]
    rows = args.rows
    s = args.vertices.sums[pack]
    x = args.vertices.x
    size = 4 * CORNERS * LANES
    at = size
    last = rows[pack + 1] - 1
    if rows[pack] <= last:
        gather(x, args.index, rows[pack], CORNERS, lanes[:size])
    for row in range(rows[pack], rows[pack + 1]):
        # One row ahead: a value just stored cannot yet be loaded in wider vectors.
        gather(x, args.index, min(row + 1, last), CORNERS, lanes[at:])
        at = size - at
        k = first_numbers(args.constants[args.material[row]], 0, CONSTANTS)
        add_row(lanes, at, args.corner[row], args.rest[row], k, args.strains[row * args.own_strains], s)
    if args.moves:
        move(pack, args.vertices, lanes)


@visit_of_pack(lambda energy: (8 * energy.CORNERS, 4 * energy.CORNERS))
def sweep_hessians(pack, args, work):
    """The same for an energy without `block`, from its gradient and its positive Hessian."""
    lanes, ones = work
    x = args.vertices.x
    exact = x.dtype.type(0)
    rows = args.rows
    s = args.vertices.sums[pack]
    for row in range(rows[pack], rows[pack + 1]):
        gather(x, args.index, row, CORNERS, lanes[: 4 * CORNERS * LANES])
        k = first_numbers(args.constants[args.material[row]], 0, CONSTANTS)
        r = args.rest[row]
        m = args.strains[row * args.own_strains]
        c = args.corner[row]
        for lane in range(LANES):
            _, slopes = gradient(
                corners_of(lanes, lane, CORNERS), numbers(r, lane, REST), k, numbers(m, lane, START_STRAINS)
            )
            put_corners(ones, lane, slopes)
        for lane in range(LANES):
            if c[lane] < CORNERS:
                for i in range(3):
                    s[i * LANES + lane] += ones[(4 * c[lane] + i) * LANES + lane]
        at = 3
        for i in range(3):
            ones[:] = 0
            for lane in range(LANES):
                if c[lane] < CORNERS:
                    ones[(4 * c[lane] + i) * LANES + lane] = 1
            for lane in range(LANES):
                products = hessian_times(
                    corners_of(lanes, lane, CORNERS),
                    numbers(r, lane, REST),
                    k,
                    numbers(m, lane, START_STRAINS),
                    corners_of(ones, lane, CORNERS),
                    exact,
                )
                put_corners(ones, lane, products)
            for j in range(i, 3):
                for lane in range(LANES):
                    if c[lane] < CORNERS:
                        s[at * LANES + lane] += ones[(4 * c[lane] + j) * LANES + lane]
                at += 1
    if args.moves:
        move(pack, args.vertices, lanes)
