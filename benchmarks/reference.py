"""Backward Euler of a sheet of springs, converged: a reference for others. `python -m benchmarks.reference --n 16`.

Newton's method with a direct solver (SciPy) and a line search, in double precision, until the residual is a millionth. Slow:
minutes at 32 x 32. It has springs, pins and gravity only.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks import machine
from tests.scenes import materials, without_contact

Array = np.ndarray
MOST_STEPS = 100
#: Where benchmarks keep reference solutions that take minutes.
FOLDER = machine.ROOT / "out" / "reference"


class Springs:
    """edges (e, 2), lengths [m], stiffness [N/m], mass (n,) [kg], free (n,) bool."""

    def __init__(self, arrays: without_contact.SceneArrays, stiffness: float, density: float):
        self.edges = without_contact.edges_of(arrays.elements)
        self.lengths = np.linalg.norm(np.subtract(*arrays.rest[self.edges.T]), axis=1)
        self.stiffness, self.mass = stiffness, without_contact.mass_of(arrays, density)
        self.free = np.ones(len(arrays.rest), bool)
        self.free[arrays.pins] = False

    def _directions(self, x: Array) -> tuple[Array, Array]:
        d = x[self.edges[:, 1]] - x[self.edges[:, 0]]
        length = np.linalg.norm(d, axis=1)
        return d / length[:, None], length

    def potential(self, x: Array, predicted: Array, h: float) -> float:
        _, length = self._directions(x)
        inertia = 0.5 * (self.mass[:, None] * (x - predicted) ** 2).sum() / h**2
        return inertia + 0.5 * self.stiffness * ((length - self.lengths) ** 2).sum()

    def gradient(self, x: Array, predicted: Array, h: float) -> Array:
        n, length = self._directions(x)
        pull = self.stiffness * (length - self.lengths)[:, None] * n
        out = self.mass[:, None] * (x - predicted) / h**2
        np.add.at(out, self.edges[:, 0], -pull)
        np.add.at(out, self.edges[:, 1], pull)
        out[~self.free] = 0.0
        return out

    def hessian(self, x: Array, h: float):
        """Positive definite: compressed springs have no geometric stiffness."""
        import scipy.sparse as sparse

        n, length = self._directions(x)
        side = np.maximum(1.0 - self.lengths / length, 0.0)[:, None, None]
        both = n[:, :, None] * n[:, None, :]
        block = self.stiffness * (both + side * (np.eye(3) - both))
        i, j = self.edges.T
        rows = np.concatenate([i, j, i, j])
        columns = np.concatenate([i, j, j, i])
        data = np.concatenate([block, block, -block, -block])
        at = (3 * rows[:, None, None] + np.arange(3)[:, None] + 0 * data.astype(int)).ravel()
        to = (3 * columns[:, None, None] + np.arange(3)[None, :] + 0 * data.astype(int)).ravel()
        size = 3 * len(x)
        return sparse.csr_matrix((data.ravel(), (at, to)), (size, size)) + sparse.diags(np.repeat(self.mass / h**2, 3))

    def step(self, x: Array, predicted: Array, h: float) -> Array:
        """The minimum of the potential, from x."""
        from scipy.sparse.linalg import spsolve

        moving = np.flatnonzero(np.repeat(self.free, 3))
        first = None
        for _ in range(MOST_STEPS):
            residual = self.gradient(x, predicted, h)
            size = np.linalg.norm(residual)
            first = size if first is None else first
            if size <= 1e-6 * first:
                break
            move = np.zeros(x.size)
            move[moving] = spsolve(self.hessian(x, h)[moving][:, moving].tocsc(), -residual.ravel()[moving])
            before, share = self.potential(x, predicted, h), 1.0
            while self.potential(x + share * move.reshape(-1, 3), predicted, h) > before and share > 1e-6:
                share *= 0.5
            x = x + share * move.reshape(-1, 3)
        return x


def heights(arrays: without_contact.SceneArrays, substeps: int, frames: int) -> Array:
    """Height of the centre of mass after each frame [m], (frames,)."""
    sheet = Springs(arrays, materials.SPRING, materials.FABRIC["density"])
    h = arrays.step / substeps
    x, v, out = arrays.start.copy(), np.zeros_like(arrays.start), []
    for _ in range(frames):
        for _ in range(substeps):
            predicted = x + h * v + np.where(sheet.free[:, None], h * h * np.array([0.0, 0.0, -9.81]), 0.0)
            after = sheet.step(x, predicted, h)
            x, v = after, (after - x) / h
        out.append(sheet.mass @ x[:, 2] / sheet.mass.sum())
    return np.array(out)


def heights_by_newton(arrays: without_contact.SceneArrays, substeps: int, frames: int) -> Array:
    """Return the heights by our own Newton's method in double precision: fifty times as fast, equal to seven digits."""
    import solver

    material = solver.Material("springs", "fabric", materials.FABRIC["density"], {"spring": materials.NET})
    exact = {"method": "newton", "dtype": "float64", "iterations": 30, "tolerance": 1e-6, "threads": 1, "integrator": "bdf1"}
    settings = solver.Settings(fps=1 / arrays.step, substeps=substeps, **exact)
    simulation = solver.Simulation(without_contact.solver_scene(arrays, solver, material), settings)
    mass = without_contact.mass_of(arrays, materials.FABRIC["density"])
    return np.array(
        [simulation.advance_frame().positions["sheet"][:, 2].astype(float) @ mass / mass.sum() for _ in range(frames)]
    )


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="reference", description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=8, help="quads along a side")
    parser.add_argument("--substeps", type=int, default=8)
    parser.add_argument("--frames", type=int, default=6)
    parser.add_argument("--peers", action="store_true", help="ignored")
    options = parser.parse_args(argv)
    z = heights(without_contact.s1(options.n), options.substeps, options.frames)
    print("height of the centre of mass [m] after each frame: " + " ".join(f"{value:.4f}" for value in z))


if __name__ == "__main__":
    main()
