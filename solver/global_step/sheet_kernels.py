"""What a sheet's system does to each of its vertices."""

from __future__ import annotations

from ..device.cpu import kernel


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


@kernel
def go(start, more, share, x0, predicted, inertia, move, x):
    """move = start + share more, x = x0 + move, all (n, 3) [m]; returns the potential of inertia [J]."""
    total = 0.0
    for v in range(len(move)):
        square = 0.0
        for i in range(3):
            d = start[v, i] + share * more[v, i]
            move[v, i] = d
            x[v, i] = x0[v, i] + d
            square += (d - predicted[v, i]) ** 2
        total += inertia[v] * square
    return 0.5 * total


@kernel
def leave_residual(force, inertia, free, product, predicted, apart, move, residual):
    """residual = force + inertia (predicted - at) - product, zero where not free; at: what the force is of, move - apart."""
    for v in range(len(move)):
        for i in range(3):
            number = force[v, i] + inertia[v] * (predicted[v, i] - move[v, i] + apart[v, i]) - product[v, i]
            residual[v, i] = number if free[v] else 0.0
