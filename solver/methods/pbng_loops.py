"""Loops of position-based nonlinear Gauss-Seidel over packs of 16 vertices of one colour, for any energy.

`sums` has nine numbers of each vertex, lanes innermost, (packs, 9 * 16): the gradient and the upper rows of its block.
"""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, element, f32, parallel_kernel, prange
from ..device.lanes import gather
from ..device.per_energy import GIVEN, per_energy
from ..device.tuples import corners_of, first_numbers, numbers, ones_where, put_corners
from ..mathlib import sym3

CORNERS = REST = CONSTANTS = MEMORY = GIVEN
block = gradient = hessian_times = GIVEN

ZERO = f32(0)
ONE = f32(1)
TINY = f32(1e-30)
#: Numbers of a vertex in `sums`.
SUMS = 9


@element
def move(pack, vertices, x_pred, load, inertia, relaxation, sums, x):
    """Moves each vertex of a pack by its Newton step, times the relaxation, and clears its sums."""
    s = sums[pack]
    for lane in range(LANES):
        v = vertices[pack * LANES + lane]
        w = x[v, 3]
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
            scale * (load[v, 0] - s[lane]) - own * (x[v, 0] - x_pred[v, 0]),
            scale * (load[v, 1] - s[LANES + lane]) - own * (x[v, 1] - x_pred[v, 1]),
            scale * (load[v, 2] - s[2 * LANES + lane]) - own * (x[v, 2] - x_pred[v, 2]),
        )
        step = sym3.solve(h, n)
        share = relaxation if held else ZERO
        for i in range(3):
            x[v, i] += share * step[i]
        for i in range(SUMS):
            s[i * LANES + lane] = ZERO


@per_energy(element)
def add_row(lanes, at, corner, r, k, m, s):
    """Adds one row of elements to the sums of their vertices, by the energy's own `block`. at: where its lanes begin."""
    for lane in range(LANES):
        force, own = block(
            corners_of(lanes, at + lane, CORNERS),
            numbers(r, lane, REST),
            k,
            numbers(m, lane, MEMORY),
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
                move(pack, vertices, x_pred, load, inertia, relaxation, sums, x)


@per_energy(parallel_kernel)
def sweep_hessians(
    colours, rows, index, corner, rest, constants, material, memory, remembers, moves,
    vertices, x_pred, load, inertia, relaxation, sums, x,
):  # fmt: skip
    """The same for an energy without `block`, from its gradient and its positive Hessian."""
    exact = x.dtype.type(0)
    for colour in range(len(colours) - 1):
        for pack in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            ones = np.empty(4 * CORNERS * LANES, x.dtype)
            s = sums[pack]
            for row in range(rows[pack], rows[pack + 1]):
                gather(x, index, row, CORNERS, lanes)
                k = first_numbers(constants[material[row]], 0, CONSTANTS)
                r = rest[row]
                m = memory[row * remembers]
                c = corner[row]
                for lane in range(LANES):
                    _, slopes = gradient(
                        corners_of(lanes, lane, CORNERS), numbers(r, lane, REST), k, numbers(m, lane, MEMORY)
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
                            numbers(m, lane, MEMORY),
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
                move(pack, vertices, x_pred, load, inertia, relaxation, sums, x)


@parallel_kernel
def extrapolate(vertices, omega, start, before, x):
    """Chebyshev's step: x = before + omega (x - before); then before becomes `start`, (n, 3), where this sweep began."""
    for i in prange(len(vertices)):
        v = vertices[i]
        if x[v, 3] > ZERO:
            for k in range(3):
                x[v, k] = before[v, k] + omega * (x[v, k] - before[v, k])
                before[v, k] = start[v, k]
