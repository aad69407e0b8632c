"""Computes the reference poses of tests/data by Newton's method in NumPy and SciPy: `python -m tools.reference_data`.

It imports nothing of the solver: energies, assembly and line search are implemented a second time, in float64 and without
regard to speed, so that both cannot share an error. Two to three minutes; needs SciPy. `--check` compares with the files
instead of writing them.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

Array = np.ndarray
FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data"
CELLS = 8  # along a side of the block, which is 1 m long
YOUNG, DENSITY = 1e5, 1000.0  # [Pa], [kg/m^3]
MOST = 60  # Newton iterations of a step
LEVI_CIVITA = np.array([[[(i - j) * (j - k) * (k - i) / 2 for k in range(3)] for j in range(3)] for i in range(3)])
UNIT = np.einsum("ik,jl->ijkl", np.eye(3), np.eye(3))

#: Poses of backward Euler: motion, Poisson's ratio, step [s], ramp [s], steps. All of the stable neo-Hookean energy.
BACKWARD_EULER = {
    "stretch_nu0.45_dt0.01": ("stretch", 0.45, 0.01, 0.4, 40),
    "twist_nu0.45_dt0.01": ("twist", 0.45, 0.01, 0.4, 40),
    "twist_nu0.45_dt0.001": ("twist", 0.45, 0.001, 0.24, 60),
    "twist_nu0.4995_dt0.001": ("twist", 0.4995, 0.001, 0.24, 60),
}
#: Poses at rest: motion and share of it.
AT_REST = {"stretch": 1.0, "twist": 0.5}
POISSON_AT_REST = 0.3


def block(n: int = CELLS) -> tuple[Array, Array]:
    """A 1 m cube of n^3 cells with six tetrahedra each: vertices (v, 3) and tetrahedra (t, 4) of positive volume."""
    axis = np.linspace(0.0, 1.0, n + 1)
    vertices = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    number = np.arange((n + 1) ** 3).reshape(n + 1, n + 1, n + 1)
    ends = (slice(None, -1), slice(1, None))
    cells = np.stack([number[ends[i], ends[j], ends[k]].ravel() for i, j, k in itertools.product((0, 1), repeat=3)], 1)
    paths = [[0, p, p + q, 7] for p, q, _ in itertools.permutations((4, 2, 1))]
    tetrahedra = np.stack([cells[:, path] for path in paths], 1).reshape(-1, 4)
    turned = np.linalg.det(vertices[tetrahedra[:, 1:]] - vertices[tetrahedra[:, :1]]) < 0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 2, 1, 3]]
    return vertices, tetrahedra.astype(np.int32)


def moved(motion: str, x: Array, share: float | Array) -> Array:
    """Points of the block after a share of the motion: drawn to twice its length, or turned by pi about its middle line."""
    if motion == "stretch":
        return np.stack([x[:, 0] * (1 + share), x[:, 1], x[:, 2]], 1)
    angle = np.pi * share * x[:, 0]
    y, z = x[:, 1] - 0.5, x[:, 2] - 0.5
    return np.stack([x[:, 0], 0.5 + np.cos(angle) * y - np.sin(angle) * z, 0.5 + np.sin(angle) * y + np.cos(angle) * z], 1)


def cofactor(F: Array) -> Array:
    return np.stack([np.cross(F[:, (k + 1) % 3], F[:, (k + 2) % 3]) for k in range(3)], 1)


def of_volume(F: Array, slope: Array, curvature: Array) -> tuple[Array, Array]:
    """Stress and stiffness of a density f(J) whose first and second derivative are given, (t,)."""
    C = cofactor(F)
    bent = np.einsum("ikm,jln,emn->eijkl", LEVI_CIVITA, LEVI_CIVITA, F)
    stiffness = curvature[:, None, None, None, None] * np.einsum("eij,ekl->eijkl", C, C)
    return slope[:, None, None] * C, stiffness + slope[:, None, None, None, None] * bent


def stable_neo_hookean(F: Array, mu: float, lam: float) -> tuple[Array, Array, Array]:
    """Density (t,), stress (t, 3, 3) and stiffness (t, 3, 3, 3, 3) of deformation gradients (t, 3, 3).

    Source: Smith et al. 2018, "Stable Neo-Hookean Flesh Simulation", without the origin barrier, lam + mu for lam.
    """
    J = np.linalg.det(F)
    slope = (lam + mu) * (J - 1) - mu
    stress, stiffness = of_volume(F, slope, np.full_like(J, lam + mu))
    density = 0.5 * mu * ((F * F).sum((1, 2)) - 3) - mu * (J - 1) + 0.5 * (lam + mu) * (J - 1) ** 2
    return density, mu * F + stress, mu * UNIT + stiffness


def neo_hookean(F: Array, mu: float, lam: float) -> tuple[Array, Array, Array]:
    """Return energy and derivatives, as above; infinite for J <= 0. Source: Bonet and Wood 2008, "Nonlinear Continuum
    Mechanics", eq. 6.27."""
    J = np.linalg.det(F)
    logarithm = np.log(np.where(J > 0, J, 1.0))
    stress, stiffness = of_volume(F, (lam * logarithm - mu) / J, (mu + lam - lam * logarithm) / J**2)
    density = 0.5 * mu * ((F * F).sum((1, 2)) - 3) - mu * logarithm + 0.5 * lam * logarithm**2
    return np.where(J > 0, density, np.inf), mu * F + stress, mu * UNIT + stiffness


def fixed_corotated(F: Array, mu: float, lam: float) -> tuple[Array, Array, Array]:
    """Return energy and derivatives, as above. Source: Stomakhin et al. 2012, "Energetically consistent invertible
    elasticity"."""
    U, s, V = np.linalg.svd(F)
    turn = np.linalg.det(U @ V)
    U[:, :, 2] *= turn[:, None]
    s[:, 2] *= turn
    J = s.prod(1)
    stress, stiffness = of_volume(F, lam * (J - 1), np.full_like(J, lam))
    stiffness += 2 * mu * UNIT
    for i, j in ((0, 1), (0, 2), (1, 2)):
        twist = np.zeros((3, 3))
        twist[i, j], twist[j, i] = -np.sqrt(0.5), np.sqrt(0.5)
        mode = U @ twist @ V
        stiffness -= (4 * mu / (s[:, i] + s[:, j]))[:, None, None, None, None] * np.einsum("eij,ekl->eijkl", mode, mode)
    return mu * ((s - 1) ** 2).sum(1) + 0.5 * lam * (J - 1) ** 2, 2 * mu * (F - U @ V) + stress, stiffness


ENERGIES: dict[str, Callable[..., tuple[Array, Array, Array]]] = {
    function.__name__: function for function in (stable_neo_hookean, neo_hookean, fixed_corotated)
}


class Block:
    """The block of one energy: its potential, gradient and Hessian, and Newton's method on them."""

    def __init__(self, energy: str, poisson: float) -> None:
        self.rest, self.tetrahedra = block()
        self.energy = ENERGIES[energy]
        self.mu, self.lam = YOUNG / (2 * (1 + poisson)), YOUNG * poisson / ((1 + poisson) * (1 - 2 * poisson))
        edges = np.swapaxes(self.rest[self.tetrahedra[:, 1:]] - self.rest[self.tetrahedra[:, :1]], 1, 2)
        inverse, self.volume = np.linalg.inv(edges), np.linalg.det(edges) / 6
        self.shape = np.concatenate([-inverse.sum(1)[:, None], inverse], 1)  # gradients of the corners' shape functions
        self.mass = np.bincount(self.tetrahedra.ravel(), np.repeat(DENSITY * self.volume / 4, 4))
        self.fixed = (self.rest[:, 0] == 0.0) | (self.rest[:, 0] == 1.0)
        self.rows = (3 * self.tetrahedra[:, :, None] + np.arange(3)).reshape(-1, 12)

    def derivatives(self, x: Array) -> tuple[float, Array, Array]:
        """Potential [J], its gradient (v, 3), and the elements' stiffness (t, 9, 9)."""
        F = np.einsum("eai,eaj->eij", x[self.tetrahedra], self.shape)
        density, stress, stiffness = self.energy(F, self.mu, self.lam)
        corners = self.volume[:, None, None] * np.einsum("eij,eaj->eai", stress, self.shape)
        gradient = np.stack([np.bincount(self.tetrahedra.ravel(), corners[..., k].ravel()) for k in range(3)], 1)
        return float(self.volume @ density), gradient, stiffness.reshape(-1, 9, 9)

    def hessian(self, stiffness: Array, definite: bool) -> Any:
        """Sparse (3 v, 3 v); definite: negative eigenvalues of each element are set to zero."""
        if definite:
            values, vectors = np.linalg.eigh(stiffness)
            stiffness = (vectors * np.maximum(values, 0)[:, None]) @ np.swapaxes(vectors, 1, 2)
        of_corners = np.einsum("eaj,ik->eijak", self.shape, np.eye(3)).reshape(-1, 9, 12)
        local = self.volume[:, None, None] * (np.swapaxes(of_corners, 1, 2) @ stiffness @ of_corners)
        at, to = np.repeat(self.rows, 12, 1).ravel(), np.tile(self.rows, 12).ravel()
        return sparse.csc_matrix((local.ravel(), (at, to)), (self.rest.size, self.rest.size))

    def minimum(self, x: Array, predicted: Array, step: float, tolerance: float) -> tuple[Array, float]:
        """Positions where the potential, with inertia for a finite step [s], is least, from x on; and the residual left,
        over that at x. Fixed vertices stay where x has them."""
        inertia = np.zeros(len(x)) if np.isinf(step) else self.mass / step**2
        free = np.repeat(~self.fixed, 3)

        def objective(y: Array) -> float:
            return self.derivatives(y)[0] + 0.5 * (inertia[:, None] * (y - predicted) ** 2)[~self.fixed].sum()

        value, first, remaining = objective(x), 0.0, np.inf
        for _ in range(MOST):
            _, gradient, stiffness = self.derivatives(x)
            residual = (gradient + inertia[:, None] * (x - predicted)).ravel()[free]
            first = first or np.linalg.norm(residual)
            remaining = np.linalg.norm(residual) / first
            if remaining < tolerance:
                break
            direction = np.zeros(x.size)
            for definite in (remaining > 1e-2, True):  # near the end the exact Hessian, as long as it leads down
                matrix = self.hessian(stiffness, definite) + sparse.diags(np.repeat(inertia, 3))
                direction[free] = splu(matrix.tocsc()[free][:, free].tocsc(), permc_spec="MMD_AT_PLUS_A").solve(-residual)
                if direction[free] @ residual < 0:
                    break
            share, slope, direction = 1.0, direction[free] @ residual, direction.reshape(-1, 3)
            while objective(x + share * direction) > value + 1e-4 * share * slope + 1e-13 * abs(value) and share > 1e-8:
                share *= 0.5
            x = x + share * direction
            value = objective(x)
        return x, float(remaining)


def backward_euler(motion: str, poisson: float, step: float, ramp: float, steps: int) -> tuple[dict[str, Any], float]:
    """Return the content of a file, and the largest residual of a step: one end is driven through the motion in
    `ramp` seconds."""
    body = Block("stable_neo_hookean", poisson)
    x, v, worst = body.rest.copy(), np.zeros_like(body.rest), 0.0
    for k in range(steps):
        predicted = x + step * v
        ends = moved(motion, body.rest, min((k + 1) * step / ramp, 1.0))
        start = np.where(body.fixed[:, None], ends, x)
        after, remaining = body.minimum(start, predicted, step, 1e-9)
        x, v, worst = after, (after - x) / step, max(worst, remaining)
    return {**_common(body, poisson), "x": x, "step": step, "ramp": ramp, "steps": steps}, worst


def at_rest(motion: str, energy: str) -> tuple[dict[str, Any], float]:
    """Return the content of a file, and the residual: the block after the share of its motion, then relaxed."""
    body = Block(energy, POISSON_AT_REST)
    start = moved(motion, body.rest, AT_REST[motion])
    x, remaining = body.minimum(start, start, np.inf, 1e-11)
    return {**_common(body, POISSON_AT_REST), "start": start, "x": x}, remaining


def _common(body: Block, poisson: float) -> dict[str, Any]:
    arrays = {"rest": body.rest, "tetrahedra": body.tetrahedra, "fixed": body.fixed}
    return {**arrays, "young": YOUNG, "poisson": poisson, "density": DENSITY}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="reference_data", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="files to compute, by parts of their names; default: all")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    options = parser.parse_args(argv)
    computations: dict[str, Callable[[], tuple[dict[str, Any], float]]] = {
        f"backward_euler/{name}": lambda values=values: backward_euler(*values) for name, values in BACKWARD_EULER.items()
    }
    for motion, energy in itertools.product(AT_REST, ENERGIES):
        computations[f"at_rest/{motion}_{energy}"] = lambda motion=motion, energy=energy: at_rest(motion, energy)
    for name, compute in computations.items():
        if options.names and not any(part in name for part in options.names):
            continue
        data, residual = compute()
        path = FOLDER / f"{name}.npz"
        said = f"{name}: largest residual {residual:.1e}"
        if options.check:
            said += f", off from the file by {np.abs(np.load(path)['x'] - data['x']).max():.1e} m"
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(path, **data)
            said += f", {path.stat().st_size / 1024:.0f} KiB"
        print(said, flush=True)


if __name__ == "__main__":
    main()
