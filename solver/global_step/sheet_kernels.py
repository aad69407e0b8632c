"""What a sheet's system does to each of its vertices."""

from __future__ import annotations

import numpy as np

from ..device.cpu import kernel
from ..device.threads import sum_of_parts

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


def go(start: Array, more: Array, share: float, x0: Array, predicted: Array, inertia: Array, move: Array, x: Array) -> float:
    """move = start + share more, x = x0 + move, all (n, 3) [m]; returns the potential of inertia [J]."""
    arrays = (start, more, share, x0, predicted, inertia, move, x)
    return sum_of_parts(len(move), lambda first, last: go_rows(first, last, *arrays))


@kernel
def go_rows(first, last, start, more, share, x0, predicted, inertia, move, x):
    """`go` of the rows first to last."""
    total = 0.0
    for v in range(first, last):
        square = 0.0
        for i in range(3):
            d = start[v, i] + share * more[v, i]
            move[v, i] = d
            x[v, i] = x0[v, i] + d
            square += (d - predicted[v, i]) ** 2
        total += inertia[v] * square
    return 0.5 * total


@kernel
def leave_residual(force, weight, free, goal, move, residual):
    """residual = force + weight (goal - move), zero where not free, (n, 3) [N]."""
    for v in range(len(force)):
        for i in range(3):
            number = force[v, i] + weight[v] * (goal[v, i] - move[v, i])
            residual[v, i] = number if free[v] else 0.0
