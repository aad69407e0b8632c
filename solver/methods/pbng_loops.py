"""Loops of position-based nonlinear Gauss-Seidel over packs of 16 vertices of one colour, for any energy.

`sums` has nine numbers of each vertex, lanes innermost, (packs, 9 * 16): the gradient and the upper rows of its block.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, element, f32, parallel_kernel, prange
from ..device.lanes import gather, scatter
from ..device.layout import layout
from ..device.per_energy import GIVEN, per_energy
from ..device.simd.tuples import corners_of, first_numbers, numbers, ones_where, put_corners, weights_of
from ..mathlib import sym3, vec3

CORNERS = REST = CONSTANTS = START_STRAINS = GIVEN
block = gradient = hessian_times = GIVEN

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)
#: Numbers of a vertex in `sums`.
SUMS = layout(gradient=3, block=6)


@element
def move(pack, vertices, x_pred, load, inertia, relaxation, lanes, sums, x):
    """Moves each vertex of a pack by its Newton step, times the relaxation, and clears the sums. lanes: work space."""
    s = sums[pack]
    for lane in range(LANES):
        for i in range(3):
            s[i * LANES + lane] -= load[vertices[pack, lane], i]
    size = 4 * LANES
    gather(x, vertices, pack, 1, lanes[:size])
    gather(x_pred, vertices, pack, 1, lanes[size:])
    for lane in range(LANES):
        position, target = corners_of(lanes, lane, 2)
        w = weights_of(lanes, lane, 1)[0]
        own = inertia / max(w, TINY)
        stiffness = own + s[3 * LANES + lane] + s[6 * LANES + lane] + s[8 * LANES + lane]
        held = stiffness > TINY and w > ZERO  # what nothing holds stays
        scale = ONE / max(stiffness, TINY) if held else ZERO
        own *= scale
        h = (
            scale * s[3 * LANES + lane] + own,
            scale * s[4 * LANES + lane],
            scale * s[5 * LANES + lane],
            scale * s[6 * LANES + lane] + own,
            scale * s[7 * LANES + lane],
            scale * s[8 * LANES + lane] + own,
        )
        n = (
            own * (target[0] - position[0]) - scale * s[lane],
            own * (target[1] - position[1]) - scale * s[LANES + lane],
            own * (target[2] - position[2]) - scale * s[2 * LANES + lane],
        )
        put_corners(lanes, lane, (vec3.add(position, vec3.scale(relaxation if held else ZERO, sym3.solve(h, n))),))
    scatter(x, vertices, pack, 1, lanes)
    for i in range(SUMS.width * LANES):
        s[i] = ZERO


@per_energy(element)
def add_row(lanes, at, corner, r, k, m, s):
    """Adds one row of elements to the sums of their vertices, by the energy's own `block`. at: where its lanes begin."""
    for lane in range(LANES):
        force, own = block(
            corners_of(lanes, at + lane, CORNERS),
            numbers(r, lane, REST),
            k,
            numbers(m, lane, START_STRAINS),
            ones_where(lanes, corner, lane, CORNERS),
        )
        s[lane] += force[0]
        s[LANES + lane] += force[1]
        s[2 * LANES + lane] += force[2]
        s[3 * LANES + lane] += own[0]
        s[4 * LANES + lane] += own[3]
        s[5 * LANES + lane] += own[4]
        s[6 * LANES + lane] += own[1]
        s[7 * LANES + lane] += own[5]
        s[8 * LANES + lane] += own[2]


@per_energy(parallel_kernel)
def sweep_blocks(
    colours, rows, index, corner, rest, constants, material, memory, remembers, moves,
    vertices, x_pred, load, inertia, relaxation, sums, x,
):  # fmt: skip
    """Adds up one energy's rows, colour by colour, with the energy's own `block`; then moves the vertices if `moves` is 1.

    colours: first pack of each and the end. memory: of each row where `remembers` is 1, one for all rows where it is 0.
    """
    for colour in range(len(colours) - 1):
        for pack in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(8 * CORNERS * LANES, x.dtype)
            s = sums[pack]
            size = 4 * CORNERS * LANES
            at = size
            last = rows[pack + 1] - 1
            if rows[pack] <= last:
                gather(x, index, rows[pack], CORNERS, lanes[:size])
            for row in range(rows[pack], rows[pack + 1]):
                # One row ahead: what has just been stored cannot yet be loaded in wider vectors.
                gather(x, index, min(row + 1, last), CORNERS, lanes[at:])
                at = size - at
                k = first_numbers(constants[material[row]], 0, CONSTANTS)
                add_row(lanes, at, corner[row], rest[row], k, memory[row * remembers], s)
            if moves:
                move(pack, vertices, x_pred, load, inertia, relaxation, lanes, sums, x)


@per_energy(parallel_kernel)
def sweep_hessians(
    colours, rows, index, corner, rest, constants, material, memory, remembers, moves,
    vertices, x_pred, load, inertia, relaxation, sums, x,
):  # fmt: skip
    """The same for an energy without `block`, from its gradient and its positive Hessian."""
    exact = x.dtype.type(0)
    for colour in range(len(colours) - 1):
        for pack in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(8 * CORNERS * LANES, x.dtype)
            ones = np.empty(4 * CORNERS * LANES, x.dtype)
            s = sums[pack]
            for row in range(rows[pack], rows[pack + 1]):
                gather(x, index, row, CORNERS, lanes[: 4 * CORNERS * LANES])
                k = first_numbers(constants[material[row]], 0, CONSTANTS)
                r = rest[row]
                m = memory[row * remembers]
                c = corner[row]
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
            if moves:
                move(pack, vertices, x_pred, load, inertia, relaxation, lanes, sums, x)


@parallel_kernel
def extrapolate(vertices, omega, start, before, x):
    """Chebyshev's step: x = before + omega (x - before); then before becomes `start`, (n, 3), where this sweep began."""
    for i in prange(vertices.size):
        v = vertices[i // LANES, i % LANES]
        if x[v, 3] > ZERO:
            for k in range(3):
                x[v, k] = before[v, k] + omega * (x[v, k] - before[v, k])
                before[v, k] = start[v, k]
