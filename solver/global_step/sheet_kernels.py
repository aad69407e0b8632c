"""Kernels of a sheet's system over its vertices."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.row_kernels import uncounted_row_kernel
from .groups import Groups

Array = np.ndarray


@kernel
def smooth(rows, columns, motion, mean):
    """The mean of each row's neighbours and its own. motion, mean: (n, 3). Written: mean."""
    for v in range(len(rows) - 1):
        for k in range(3):
            total = 0.0
            for p in range(rows[v], rows[v + 1]):
                total += motion[columns[p], k]
            mean[v, k] = total / max(rows[v + 1] - rows[v], 1)


@kernel
def add_to_diagonal(diagonal, more, values):
    """Add (n,) [N/m] to the diagonal numbers of the blocks on the diagonal. Written: values (places, 9)."""
    for v in range(len(more)):
        for k in range(3):
            values[diagonal[v], 4 * k] += more[v]


@kernel
def sum_diagonals(diagonal, values, traces):
    """The trace of each block on the diagonal. values: (places, 9). Written: traces (n,)."""
    for v in range(len(diagonal)):
        at = diagonal[v]
        traces[v] = values[at, 0] + values[at, 4] + values[at, 8]


@uncounted_row_kernel
def gather_start(first, last, order, free, x, x0, v_before, h, start, predicted, inertia, on):
    """Gather the start of a step, of the rows first to last. order: vertex of each row.

    x: predictions, x0: starts, with h^2 / mass in the last column, v_before: velocities before; of all vertices. Written, of
    the rows: start (n, 4) [m], the predicted motion (n, 3) [m], inertia M / h^2 [N/m], zero where not free, and the motion
    at the velocity before, where free, else the predicted one (n, 3) [m].
    """
    for row in range(first, last):
        v = order[row]
        for i in range(3):
            start[row, i] = x0[v, i]
            predicted[row, i] = float(x[v, i]) - float(x0[v, i])
            on[row, i] = h * float(v_before[v, i]) if free[row] else predicted[row, i]
        start[row, 3] = x0[v, 3]
        inertia[row] = 1.0 / float(x0[v, 3]) if free[row] else 0.0


def go(
    groups: Groups, start: Array, more: Array, share: Array, x0: Array, predicted: Array, inertia: Array, move: Array,
    x: Array,
) -> Array:  # fmt: skip
    """move = start + share more, x = x0 + move, all (n, 3) [m], with a share of each group, (groups,); returns the
    potential of inertia of each [J], (groups,)."""
    arrays = (groups.segments[1], start, more, share, x0, predicted, inertia, move, x)
    return groups.sums(groups.added_up(go_segments, 1, *arrays)[:, 0])


@uncounted_row_kernel
def go_segments(first, last, starts, group, start, more, share, x0, predicted, inertia, move, x, sums):
    """`go` of the segments first to last. Written: sums, of each segment."""
    for k in range(first, last):
        part = share[group[k]]
        total = 0.0
        for v in range(starts[k], starts[k + 1]):
            square = 0.0
            for i in range(3):
                d = start[v, i]
                if part != 0:  # else a value that is not finite would stay
                    d += part * more[v, i]
                move[v, i] = d
                x[v, i] = x0[v, i] + d
                square += (d - predicted[v, i]) ** 2
            total += inertia[v] * square
        sums[k, 0] = 0.5 * total


@uncounted_row_kernel
def weigh_solution(first, last, starts, before, after, more, sums):
    """Weigh a solution of the segments first to last: squares of the residual before and after a linear system is solved,
    and the work of the mean of both on its motion."""
    for k in range(first, last):
        old = 0.0
        new = 0.0
        work = 0.0
        for v in range(starts[k], starts[k + 1]):
            for i in range(3):
                a = float(before[v, i])
                b = float(after[v, i])
                old += a * a
                new += b * b
                work += (a + b) * more[v, i]
        sums[k, 0] = old
        sums[k, 1] = new
        sums[k, 2] = 0.5 * work


@uncounted_row_kernel
def leave_residual(first, last, of_row, goes_on, force, weight, free, goal, move, residual):
    """residual = force + weight (goal - move), zero where not free and of groups that do not continue, of the rows first to
    last, (n, 3) [N]. of_row: group of each row."""
    for v in range(first, last):
        is_on = free[v] and goes_on[of_row[v]]
        for i in range(3):
            number = force[v, i] + weight[v] * (goal[v, i] - move[v, i])
            residual[v, i] = number if is_on else 0.0


@uncounted_row_kernel
def shift_rows(first, last, of_row, on, shift, vectors):
    """vectors, (n, 3), += the shift of their group in the rows first to last that are on."""
    for v in range(first, last):
        if on[v]:
            for i in range(3):
                vectors[v, i] += shift[of_row[v], i]


@uncounted_row_kernel
def weigh_arms(first, last, starts, body, mass, x, centre, predicted, move, sums):
    """Sums of the segments first to last: of the arms from the centre of their body to x, times mass, their products xx, xy,
    xz, yy, yz, zz, and their cross product with what the predicted motion is apart from the motion. body: of each segment;
    centre: of each body, (bodies, 3); others (n,), (n, 3). Written: sums (segments, 9)."""
    for k in range(first, last):
        for i in range(9):
            sums[k, i] = 0.0
        b = body[k]
        for v in range(starts[k], starts[k + 1]):
            m = mass[v]
            p, q, r = x[v, 0] - centre[b, 0], x[v, 1] - centre[b, 1], x[v, 2] - centre[b, 2]
            d, e, f = predicted[v, 0] - move[v, 0], predicted[v, 1] - move[v, 1], predicted[v, 2] - move[v, 2]
            sums[k, 0] += m * p * p
            sums[k, 1] += m * p * q
            sums[k, 2] += m * p * r
            sums[k, 3] += m * q * q
            sums[k, 4] += m * q * r
            sums[k, 5] += m * r * r
            sums[k, 6] += m * (q * f - r * e)
            sums[k, 7] += m * (r * d - p * f)
            sums[k, 8] += m * (p * e - q * d)


@uncounted_row_kernel
def turn_rows(first, last, body, on, turn, x, centre, move):
    """move += turn of their body, (bodies, 3) [rad], about its centre at x, in the rows first to last that are on."""
    for v in range(first, last):
        if on[v]:
            t, b = turn[body[v]], centre[body[v]]
            p, q, r = x[v, 0] - b[0], x[v, 1] - b[1], x[v, 2] - b[2]
            move[v, 0] += t[1] * r - t[2] * q
            move[v, 1] += t[2] * p - t[0] * r
            move[v, 2] += t[0] * q - t[1] * p


@kernel
def take_forces(order, free, x, force, on_rows, apart, residual):
    """The forces on the rows that are free, and how they move each by itself: whether there are any.

    order: vertex of each row. x: with h^2 / mass in the last column, (n, 4). force: of all vertices, (n, 3) [N]. Written:
    on_rows, residual (k, 3) [N], apart (k, 3) [m]; zero where not free.
    """
    any_force = False
    for row in range(len(order)):
        v = order[row]
        for i in range(3):
            number = force[v, i] if free[row] else 0.0
            any_force = any_force or number != 0
            on_rows[row, i] = number
            residual[row, i] = number
            apart[row, i] = x[v, 3] * number
    return any_force
