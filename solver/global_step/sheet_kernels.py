"""What a sheet's system does to each of its vertices."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
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
    """Adds (n,) [N/m] to the diagonal numbers of the blocks on the diagonal. Written: values (places, 9)."""
    for v in range(len(more)):
        for k in range(3):
            values[diagonal[v], 4 * k] += more[v]


def go(
    groups: Groups, start: Array, more: Array, share: Array, x0: Array, predicted: Array, inertia: Array, move: Array,
    x: Array,
) -> Array:  # fmt: skip
    """move = start + share more, x = x0 + move, all (n, 3) [m], with a share of each group, (groups,); returns the
    potential of inertia of each [J], (groups,)."""
    starts, group, _ = groups.segments
    arrays = (starts, group, start, more, share, x0, predicted, inertia, move, x)
    return groups.sums_of_segments(lambda first, last, sums: go_segments(first, last, *arrays, sums))


@kernel
def go_segments(first, last, starts, group, start, more, share, x0, predicted, inertia, move, x, sums):
    """`go` of the segments first to last. Written: sums, of each segment."""
    for k in range(first, last):
        part = share[group[k]]
        total = 0.0
        for v in range(starts[k], starts[k + 1]):
            square = 0.0
            for i in range(3):
                d = start[v, i]
                if part != 0:  # else what is not finite is not gone
                    d += part * more[v, i]
                move[v, i] = d
                x[v, i] = x0[v, i] + d
                square += (d - predicted[v, i]) ** 2
            total += inertia[v] * square
        sums[k] = 0.5 * total


@kernel
def leave_residual(force, weight, free, goal, move, residual):
    """residual = force + weight (goal - move), zero where not free, (n, 3) [N]."""
    for v in range(len(force)):
        for i in range(3):
            number = force[v, i] + weight[v] * (goal[v, i] - move[v, i])
            residual[v, i] = number if free[v] else 0.0


@kernel
def take_forces(order, free, x, force, own, apart, residual):
    """The forces on the rows that are free, and how they move each by itself: whether there are any.

    order: vertex of each row. x: with h^2 / mass in the last column, (n, 4). force: of all vertices, (n, 3) [N]. Written:
    own, residual (k, 3) [N], apart (k, 3) [m]; zero where not free.
    """
    found = False
    for row in range(len(order)):
        v = order[row]
        for i in range(3):
            number = force[v, i] if free[row] else 0.0
            found = found or number != 0
            own[row, i] = number
            residual[row, i] = number
            apart[row, i] = x[v, 3] * number
    return found
