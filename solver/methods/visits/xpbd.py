"""Visits of extended position-based dynamics, for any energy that is made of constraints.

An element's CONSTRAINTS equations are solved together. With U = 1/2 sum_i k_i C_i^2, multipliers lambda_i and displacements
w_a sum_i lambda_i grad_a C_i, one Newton step with the gradients held is

    sum_j (delta_ij + (1 + damping) k_i G_ij) step_j = -(k_i (C_i + damping (C_i - start_i)) + lambda_i)
    G_ij = sum_a w_a grad_a C_i . grad_a C_j

Every leading minor of the matrix is 1 at least, and so is every pivot, for any stiffness, zero included: no pivoting.

A limit (ONE_SIDED) has U = 1/2 k max(C, 0)^2: its multiplier may pull but never push, lambda_i <= 0. C keeps its sign, so
that a multiplier goes at once when its limit is no longer reached. With C cut off at 0 only a share of it would go in each
sweep, by the compliance: nearly none of it where the limit is hard.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

from ...device.cpu import LANES, f32
from ...device.cuda.array import Array
from ...device.lanes import gather, gather_sums, scatter_moves
from ...device.per_energy import GIVEN, per_energy, visit_of_pack
from ...device.simd.tuples import corners_of, first_numbers, numbers, put_nested, put_numbers
from ...device.uncounted import inline

CORNERS = REST = CONSTANTS = START_STRAINS = CONSTRAINTS = ONE_SIDED = GIVEN
constraints = GIVEN

ZERO = f32(0)
ONE = f32(1)
#: Rounds over the limits of one element, which share corners; further sweeps of all elements continue where these end.
ROUNDS = 4


class Elements(NamedTuple):
    """Arrays of a batch as in `visits/__init__.py`; state: the multipliers, (packs, CONSTRAINTS * 16).

    damping: of each material, damping time over the substep. start: C of each element at the substep's start, as state.
    """

    index: Any
    rest: Array
    constants: Array
    material: Array
    strains: Array
    damping: Array
    start: Array
    state: Array
    x: Array
    correction: Array


def _slope_numbers(energy: ModuleType) -> tuple[int, ...]:
    """Return the number of floats of corners, values, stiffnesses and gradients."""
    return 4 * energy.CORNERS, energy.CONSTRAINTS, energy.CONSTRAINTS, 3 * energy.CORNERS * energy.CONSTRAINTS


@visit_of_pack(lambda energy: (*_slope_numbers(energy), energy.CONSTRAINTS**2, energy.CONSTRAINTS))
def sweep(pack, args, work):
    """Every element once (Gauss-Seidel)."""
    lanes, values, stiffness, slopes, matrix, steps = work
    gather_sums(args.x, args.correction, args.index, pack, CORNERS, lanes)
    evaluate(pack, args, lanes, values, stiffness, slopes)
    share = args.damping[args.material[pack]]
    state = args.state[pack]
    assemble(lanes, share, args.start[pack], values, stiffness, slopes, state, matrix, steps)
    if ONE_SIDED:
        limit(matrix, state, values, steps)
    else:
        solve(matrix, steps)
    move(slopes, steps, state, lanes)
    scatter_moves(args.correction, args.index, pack, CORNERS, lanes)


@visit_of_pack(_slope_numbers)
def constraint_values(pack, args, work, total):
    """Set `start` to C at x."""
    lanes, _, stiffness, slopes = work
    gather(args.x, args.index, pack, CORNERS, lanes)
    evaluate(pack, args, lanes, args.start[pack], stiffness, slopes)
    return total


@per_energy(inline)
def evaluate(pack, args, lanes, values, stiffness, slopes):
    """C, k and gradients of a pack's elements, at positions that are in the lanes.

    values, stiffness: (CONSTRAINTS * LANES,). slopes: (CONSTRAINTS * CORNERS * 3 * LANES,).
    """
    r = args.rest[pack]
    m = args.strains[pack]
    numbers_of_material = first_numbers(args.constants[args.material[pack]], 0, CONSTANTS)
    for lane in range(LANES):
        corners = corners_of(lanes, lane, CORNERS)
        C, k, gradients = constraints(corners, numbers(r, lane, REST), numbers_of_material, numbers(m, lane, START_STRAINS))
        put_numbers(values, lane, C)
        put_numbers(stiffness, lane, k)
        put_nested(slopes, lane, gradients)


@per_energy(inline)
def assemble(lanes, damping, start, values, stiffness, slopes, state, matrix, steps):
    """The matrix, (CONSTRAINTS^2 * LANES,) by rows, and the right side of each element's equations."""
    grow = ONE + damping
    for i in range(CONSTRAINTS):
        for lane in range(LANES):
            at = i * LANES + lane
            rate = values[at] - start[at]
            steps[at] = -(stiffness[at] * (values[at] + damping * rate) + state[at])
        for j in range(i + 1):
            one = ONE if i == j else ZERO
            for lane in range(LANES):
                total = ZERO
                for a in range(CORNERS):
                    p = (i * CORNERS + a) * 3 * LANES + lane
                    q = (j * CORNERS + a) * 3 * LANES + lane
                    dot = slopes[p] * slopes[q]
                    dot += slopes[p + LANES] * slopes[q + LANES]
                    dot += slopes[p + 2 * LANES] * slopes[q + 2 * LANES]
                    total += lanes[(4 * a + 3) * LANES + lane] * dot
                matrix[(i * CONSTRAINTS + j) * LANES + lane] = one + grow * stiffness[i * LANES + lane] * total
                matrix[(j * CONSTRAINTS + i) * LANES + lane] = one + grow * stiffness[j * LANES + lane] * total


@per_energy(inline)
def solve(matrix, steps):
    """Gaussian elimination; the right side becomes the solution."""
    for j in range(CONSTRAINTS):
        for i in range(j + 1, CONSTRAINTS):
            for lane in range(LANES):
                factor = matrix[(i * CONSTRAINTS + j) * LANES + lane] / matrix[(j * CONSTRAINTS + j) * LANES + lane]
                for n in range(j + 1, CONSTRAINTS):
                    matrix[(i * CONSTRAINTS + n) * LANES + lane] -= factor * matrix[(j * CONSTRAINTS + n) * LANES + lane]
                steps[i * LANES + lane] -= factor * steps[j * LANES + lane]
            if i == j + 1:
                for lane in range(LANES):
                    at = (i * CONSTRAINTS + i) * LANES + lane
                    matrix[at] = max(matrix[at], ONE)  # it is, but for rounding
    for j in range(CONSTRAINTS):
        i = CONSTRAINTS - 1 - j
        for lane in range(LANES):
            value = steps[i * LANES + lane]
            for n in range(i + 1, CONSTRAINTS):
                value -= matrix[(i * CONSTRAINTS + n) * LANES + lane] * steps[n * LANES + lane]
            steps[i * LANES + lane] = value / matrix[(i * CONSTRAINTS + i) * LANES + lane]


@per_energy(inline)
def limit(matrix, state, right, steps):
    """The same, but no multiplier gets above zero: projected Gauss-Seidel. right: room for CONSTRAINTS * LANES."""
    for i in range(CONSTRAINTS * LANES):
        right[i] = steps[i]
        steps[i] = ZERO
    for _ in range(ROUNDS if CONSTRAINTS > 1 else 1):
        for i in range(CONSTRAINTS):
            for lane in range(LANES):
                at = i * LANES + lane
                value = right[at] + matrix[(i * CONSTRAINTS + i) * LANES + lane] * steps[at]
                for n in range(CONSTRAINTS):
                    value -= matrix[(i * CONSTRAINTS + n) * LANES + lane] * steps[n * LANES + lane]
                steps[at] = min(value / matrix[(i * CONSTRAINTS + i) * LANES + lane], -state[at])


@per_energy(inline)
def move(slopes, steps, state, lanes):
    """Add the steps to the multipliers; positions in the lanes become moves."""
    for i in range(CONSTRAINTS * LANES):
        state[i] += steps[i]
    for a in range(CORNERS):
        for c in range(3):
            for lane in range(LANES):
                push = ZERO
                for i in range(CONSTRAINTS):
                    push += steps[i * LANES + lane] * slopes[((i * CORNERS + a) * 3 + c) * LANES + lane]
                lanes[(4 * a + c) * LANES + lane] = lanes[(4 * a + 3) * LANES + lane] * push
