"""Distance of a frame's result from the solution of its last substep's equations, by a direct solver in double precision."""

import itertools
from dataclasses import replace

import numpy as np

from solver.device.cpu import LANES
from solver.global_step.membrane import rows_of
from solver.methods.batch import add_hessian_times


def direct_error(model, state, left, pushed):
    """Return the error of every body, by name [m]. left: residual force, (n + 4, 4) [N]. pushed: vertices with contact
    forces, (n,) bool."""
    n = model.n_vertices
    free = np.repeat((state.x[:n, 3] > 0) & ~pushed, 3)
    inverse = np.where(state.x[:n, 3] > 0, state.x[:n, 3], 1.0).astype(float)
    A = second_derivative(model, state) + np.diag(np.repeat(state.inertia / inverse, 3))
    move = np.zeros(3 * n)
    move[free] = np.linalg.solve(A[np.ix_(free, free)], -left[:n, :3].astype(float).ravel()[free])
    length = np.linalg.norm(move.reshape(-1, 3), axis=1)
    return {part.body.name: length[part.start : part.stop].max() for part in model.parts}


def second_derivative(model, state):
    """Return the second derivative of all energies, in their positive form, (3 n, 3 n) [N/m]."""
    n = model.n_vertices
    A = np.zeros((3 * (n + 4), 3 * (n + 4)))
    for number, batch in enumerate(model.batches):
        corners, real = batch.energy.CORNERS, batch.element >= 0
        lanes = np.arange(batch.index.size).reshape(batch.packs, corners, LANES)
        apart = replace(batch, index=np.arange(batch.index.size, dtype=np.int32).reshape(batch.index.shape))
        x = state.x[batch.index.ravel()]
        index = rows_of(batch.index, corners)[real]
        for b, i in itertools.product(range(corners), range(3)):  # one direction of all elements at once
            direction, out = np.zeros_like(x), np.zeros_like(x)
            direction[lanes[:, b], i] = 1
            add_hessian_times(apart, state.strains_at_start[number], x, direction, x.dtype.type(0), out)
            for a, j in itertools.product(range(corners), range(3)):
                column = rows_of(out[:, j].reshape(batch.packs, corners * LANES), corners)[real, a]
                np.add.at(A, (3 * index[:, a] + j, 3 * index[:, b] + i), column)
    return A[: 3 * n, : 3 * n]
