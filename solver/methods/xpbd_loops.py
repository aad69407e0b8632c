"""Loops of extended position-based dynamics over packs of elements, for any energy that is made of constraints.

An element's CONSTRAINTS equations are solved together. With U = 1/2 sum_i k_i C_i^2, r_i = sqrt(k_i), multipliers
lambda_i = r_i mu_i and displacements w_a sum_i lambda_i grad_a C_i, one Newton step with the gradients held is

    sum_j (delta_ij + (1 + damping) r_i r_j G_ij) step_j = -(r_i (C_i + damping (C_i - start_i)) + mu_i)
    G_ij = sum_a w_a grad_a C_i . grad_a C_j

whose matrix is positive for every stiffness, zero included: LDL^T needs no pivoting, and no pivot is below 1.
"""

from __future__ import annotations

import math

import numpy as np

from ..device.cpu import LANES, element, f32, kernel, parallel_kernel, prange
from ..device.lanes import gather, scatter
from ..device.per_energy import GIVEN, per_energy
from ..device.tuples import corners_of, first_numbers, numbers, put_nested, put_numbers

CORNERS = REST = CONSTANTS = MEMORY = CONSTRAINTS = GIVEN
constraints = GIVEN

ZERO = f32(0)
ONE = f32(1)


@per_energy(element)
def evaluate(pack, rest, constants, material, memory, lanes, values, roots, slopes):
    """C, square roots of the stiffness, and gradients of a pack's elements, at positions that are in the lanes.

    values, roots: (CONSTRAINTS * LANES,). slopes: (CONSTRAINTS * CORNERS * 3 * LANES,).
    """
    r = rest[pack]
    m = memory[pack]
    k = first_numbers(constants[material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners = corners_of(lanes, lane, CORNERS)
        value, stiffness, slope = constraints(corners, numbers(r, lane, REST), k, numbers(m, lane, MEMORY))
        put_numbers(values, lane, value)
        put_numbers(roots, lane, stiffness)
        put_nested(slopes, lane, slope)
    for i in range(CONSTRAINTS * LANES):
        roots[i] = math.sqrt(max(roots[i], ZERO))


@per_energy(element)
def assemble(lanes, damping, start, values, roots, slopes, state, matrix, steps):
    """The matrix (lower half of CONSTRAINTS^2 * LANES) and the right side of each element's equations."""
    for i in range(CONSTRAINTS):
        for lane in range(LANES):
            at = i * LANES + lane
            rate = values[at] - start[at]
            steps[at] = -(roots[at] * (values[at] + damping * rate) + state[at])
        for j in range(i + 1):
            entry = matrix[(i * CONSTRAINTS + j) * LANES : (i * CONSTRAINTS + j + 1) * LANES]
            for lane in range(LANES):
                entry[lane] = ZERO
            for a in range(CORNERS):
                for c in range(3):
                    p = ((i * CORNERS + a) * 3 + c) * LANES
                    q = ((j * CORNERS + a) * 3 + c) * LANES
                    for lane in range(LANES):
                        entry[lane] += lanes[(4 * a + 3) * LANES + lane] * slopes[p + lane] * slopes[q + lane]
            for lane in range(LANES):
                entry[lane] *= (ONE + damping) * roots[i * LANES + lane] * roots[j * LANES + lane]
            if i == j:
                for lane in range(LANES):
                    entry[lane] += ONE


@per_energy(element)
def solve(matrix, steps):
    """Overwrites the right side by the solution, and the matrix by its factors L and D."""
    for i in range(CONSTRAINTS):
        for j in range(i):
            for lane in range(LANES):
                value = matrix[(i * CONSTRAINTS + j) * LANES + lane]  # L_ij D_j
                row = matrix[(j * CONSTRAINTS + j) * LANES + lane]
                factor = value / row
                for n in range(j + 1, i + 1):
                    other = matrix[(n * CONSTRAINTS + j) * LANES + lane]
                    matrix[(i * CONSTRAINTS + n) * LANES + lane] -= factor * (value if n == i else other * row)
                matrix[(i * CONSTRAINTS + j) * LANES + lane] = factor
                steps[i * LANES + lane] -= factor * steps[j * LANES + lane]
        for lane in range(LANES):
            diagonal = (i * CONSTRAINTS + i) * LANES + lane
            matrix[diagonal] = max(matrix[diagonal], ONE)
    for i in range(CONSTRAINTS - 1, -1, -1):
        for lane in range(LANES):
            value = steps[i * LANES + lane] / matrix[(i * CONSTRAINTS + i) * LANES + lane]
            for n in range(i + 1, CONSTRAINTS):
                value -= matrix[(n * CONSTRAINTS + i) * LANES + lane] * steps[n * LANES + lane]
            steps[i * LANES + lane] = value


@per_energy(element)
def move(lanes, roots, slopes, steps, state):
    """Adds the steps to the multipliers, and moves the corners by them."""
    for i in range(CONSTRAINTS):
        for lane in range(LANES):
            at = i * LANES + lane
            state[at] += steps[at]
            steps[at] *= roots[at]
        for a in range(CORNERS):
            for c in range(3):
                slope = ((i * CORNERS + a) * 3 + c) * LANES
                for lane in range(LANES):
                    push = steps[i * LANES + lane] * slopes[slope + lane]
                    lanes[(4 * a + c) * LANES + lane] += lanes[(4 * a + 3) * LANES + lane] * push


@per_energy(parallel_kernel)
def sweep(colours, clusters, index, rest, constants, material, memory, damping, start, state, x):
    """Every element once, colour by colour (Gauss-Seidel).

    damping: of each material, damping time over the substep. start: C of each element at the substep's start. state: the
    multipliers mu. start, state: (packs, CONSTRAINTS * LANES).
    """
    for colour in range(len(colours) - 1):
        for cluster in prange(colours[colour], colours[colour + 1]):
            lanes = np.empty(4 * CORNERS * LANES, x.dtype)
            values = np.empty(CONSTRAINTS * LANES, x.dtype)
            roots = np.empty(CONSTRAINTS * LANES, x.dtype)
            steps = np.empty(CONSTRAINTS * LANES, x.dtype)
            matrix = np.empty(CONSTRAINTS * CONSTRAINTS * LANES, x.dtype)
            slopes = np.empty(CONSTRAINTS * CORNERS * 3 * LANES, x.dtype)
            for pack in range(clusters[cluster], clusters[cluster + 1]):
                gather(x, index, pack, CORNERS, lanes)
                evaluate(pack, rest, constants, material, memory, lanes, values, roots, slopes)
                share = damping[material[pack]]
                assemble(lanes, share, start[pack], values, roots, slopes, state[pack], matrix, steps)
                solve(matrix, steps)
                move(lanes, roots, slopes, steps, state[pack])
                scatter(x, index, pack, CORNERS, lanes)


@per_energy(kernel)
def constraint_values(index, rest, constants, material, memory, x, out):
    """C of every element at x, (packs, CONSTRAINTS * LANES)."""
    lanes = np.empty(4 * CORNERS * LANES, x.dtype)
    roots = np.empty(CONSTRAINTS * LANES, x.dtype)
    slopes = np.empty(CONSTRAINTS * CORNERS * 3 * LANES, x.dtype)
    for pack in range(len(index)):
        gather(x, index, pack, CORNERS, lanes)
        evaluate(pack, rest, constants, material, memory, lanes, out[pack], roots, slopes)
