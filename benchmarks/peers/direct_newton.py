"""Newton's method with a direct solver (Intel's PARDISO through pypardiso), in double precision: the cost of exactness.

Stable neo-Hookean tetrahedra. The matrix's pattern and its symbolic factors are made once. Each step ends at a residual of
1e-3; the Hessian is the true one, without its geometric part if that makes the matrix indefinite.
"""

import json
import sys
import time

import numpy as np
import pypardiso
import scipy.sparse as sparse

GRAVITY = np.array([0.0, 0.0, -9.81])
SOLVED = 1e-3
MOST_STEPS = 20


class Energy:
    """psi = mu/2 |F|^2 + (lam + mu)/2 (J - 1)^2 - mu (J - 1)."""

    def __init__(self, scene):
        self.tetrahedra, rest = scene["tetrahedra"], scene["rest"]
        young, nu = float(scene["young"]), float(scene["poisson"])
        self.mu, self.lam = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))
        corners = rest[self.tetrahedra]
        edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
        self.volume = np.linalg.det(edges) / 6
        shape = np.linalg.inv(edges)
        self.shape = np.concatenate([-shape.sum(1, keepdims=True), shape], 1)  # (t, corner, 3)

    def _parts(self, x):
        F = np.swapaxes(x[self.tetrahedra], 1, 2) @ self.shape
        cofactor = np.stack([np.cross(F[:, :, (k + 1) % 3], F[:, :, (k + 2) % 3]) for k in range(3)], 2)
        J = np.einsum("ek,ek->e", F[:, :, 0], cofactor[:, :, 0])
        return F, cofactor, J

    def value_and_gradient(self, x):
        F, cofactor, J = self._parts(x)
        slope = (self.lam + self.mu) * (J - 1) - self.mu
        stress = self.mu * F + slope[:, None, None] * cofactor
        density = 0.5 * self.mu * ((F**2).sum((1, 2)) - 3) + 0.5 * (self.lam + self.mu) * (J - 1) ** 2 - self.mu * (J - 1)
        pulls = self.volume[:, None, None] * (self.shape @ np.swapaxes(stress, 1, 2))
        at = self.tetrahedra.ravel()
        gradient = np.stack([np.bincount(at, pulls[:, :, k].ravel(), len(x)) for k in range(3)], 1)
        return float(self.volume @ density), gradient

    def hessian(self, x, geometric):
        """(t, 12, 12), corner by corner."""
        F, cofactor, J = self._parts(x)
        slope = geometric * ((self.lam + self.mu) * (J - 1) - self.mu)
        g = self.shape @ np.swapaxes(cofactor, 1, 2)  # dJ / dx
        dots = self.mu * self.shape @ np.swapaxes(self.shape, 1, 2)
        out = (self.lam + self.mu) * np.einsum("eai,ebj->eaibj", g, g)
        for i in range(3):
            out[:, :, i, :, i] += dots
            j, k = (i + 1) % 3, (i + 2) % 3
            # d2J: the row k of F crossed with the gradients of the corners.
            crossed = np.cross(self.shape[:, :, None, :], self.shape[:, None, :, :])
            turned = slope[:, None, None] * np.einsum("eabc,ec->eab", crossed, F[:, k])
            out[:, :, i, :, j] += turned
            out[:, :, j, :, i] -= turned
        return (self.volume[:, None, None, None, None] * out).reshape(-1, 12, 12)


class Matrix:
    """The upper half of the free unknowns' matrix, with a fixed pattern."""

    def __init__(self, tetrahedra, free):
        number = np.full(3 * len(free), -1)
        moving = np.flatnonzero(np.repeat(free, 3))
        number[moving] = np.arange(len(moving))
        dofs = number[(3 * tetrahedra[:, :, None] + np.arange(3)).reshape(-1, 12)]
        row, column = np.repeat(dofs, 12, 1).ravel(), np.tile(dofs, (1, 12)).ravel()
        self.kept = np.flatnonzero((row >= 0) & (column >= row))
        self.size, self.moving = len(moving), moving
        keys = row[self.kept].astype(np.int64) * self.size + column[self.kept]
        unique_keys, self.place = np.unique(keys, return_inverse=True)
        self.columns = (unique_keys % self.size).astype(np.int32)
        self.rows = np.searchsorted(unique_keys // self.size, np.arange(self.size + 1)).astype(np.int32)
        self.diagonal = np.searchsorted(unique_keys, np.arange(self.size, dtype=np.int64) * (self.size + 1))

    def assemble(self, blocks, inertia):
        values = np.bincount(self.place, blocks.ravel()[self.kept], len(self.columns))
        values[self.diagonal] += inertia
        return sparse.csr_matrix((values, self.columns, self.rows), (self.size, self.size))


class Solver:
    def __init__(self):
        self.pardiso, self.analysed = pypardiso.PyPardisoSolver(mtype=2), False

    def __call__(self, matrix, right):
        self.pardiso.set_phase(22 if self.analysed else 12)
        self.pardiso._call_pardiso(matrix, np.zeros((len(right), 1)))
        self.analysed = True
        self.pardiso.set_phase(33)
        return self.pardiso._call_pardiso(matrix, right[:, None].copy()).ravel()


def solve_step(energy, matrix, solver, mass, free, x, predicted, h):
    """The minimum of the potential."""

    def potential(y):
        value, gradient = energy.value_and_gradient(y)
        away = mass[:, None] * (y - predicted) / h**2
        return value + 0.5 * float((away * (y - predicted)).sum()), (gradient + away)[free].ravel()

    first = np.linalg.norm(energy.value_and_gradient(predicted)[1][free])
    value, slope = potential(x)
    inertia = np.repeat(mass / h**2, 3)[matrix.moving]
    for _ in range(MOST_STEPS):
        if np.linalg.norm(slope) <= SOLVED * first:
            break
        try:
            move = solver(matrix.assemble(energy.hessian(x, 1.0), inertia), -slope)
        except pypardiso.pardiso_wrapper.PyPardisoError:  # a pivot is not positive
            solver.analysed = False
            move = solver(matrix.assemble(energy.hessian(x, 0.0), inertia), -slope)
        share, promised = 1.0, float(slope @ move)
        while True:
            trial = x.copy()
            trial[free] += share * move.reshape(-1, 3)
            trial_value, after = potential(trial)
            if trial_value <= value + 1e-4 * share * promised or share < 1e-4:
                break
            share *= 0.5
        x, value, slope = trial, trial_value, after
    return x


def main(source, out, settings):
    scene = np.load(source)
    energy, mass, pins = Energy(scene), scene["mass"], scene["pins"]
    free = np.ones(len(mass), bool)
    free[pins] = False
    matrix, solver = Matrix(scene["tetrahedra"], free), Solver()
    h = float(scene["step"]) / settings["substeps"]
    x, v = scene["start"].copy(), np.zeros_like(scene["start"])
    positions, milliseconds, cpu = [], [], []
    for frame in range(int(scene["frames"])):
        began, began_cpu = time.perf_counter(), time.process_time()
        for _ in range(settings["substeps"]):
            predicted = np.where(free[:, None], x + h * v + h * h * GRAVITY, x)
            if "targets" in scene:
                predicted[pins] = scene["targets"][frame]
            after = solve_step(energy, matrix, solver, mass, free, predicted, predicted, h)
            x, v = after, np.where(free[:, None], (after - x) / h, 0.0)
        milliseconds.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - began_cpu))
        positions.append(x)
    np.savez(out, positions=positions, milliseconds=milliseconds, cpu=cpu)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
