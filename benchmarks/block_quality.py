"""Quality of a rubber block's state, from its positions alone, in plain NumPy: the same measure for every solver.

The energy is stable neo-Hookean, as `solver/energies/stable_neo_hookean.py` documents it. This prints the figures of a block
at rest, which are all zero, and of one squashed to half its height: `python -m benchmarks.block_quality`.
"""

from __future__ import annotations

import numpy as np

from benchmarks import machine
from tests.scenes import materials, without_contact

Array = np.ndarray
GRAVITY = np.array([0.0, 0.0, -9.81])


class Block:
    """Rest data of the tetrahedra. mass: (n,) [kg], free: (n,) bool."""

    def __init__(self, arrays: without_contact.SceneArrays):
        self.arrays = arrays
        corners = arrays.rest[arrays.elements]
        edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)  # columns
        self.inverse, self.volume = np.linalg.inv(edges), np.linalg.det(edges) / 6
        weight = np.repeat(materials.SOLID["density"] * self.volume / 4, 4)
        self.mass = np.bincount(arrays.elements.ravel(), weight, len(arrays.rest))
        self.free = np.ones(len(arrays.rest), bool)
        self.free[arrays.pins] = False
        young, nu = materials.SOLID["young"], materials.SOLID["poisson"]
        self.mu, self.lam = young / (2 * (1 + nu)), young * nu / ((1 + nu) * (1 - 2 * nu))

    def deformation(self, x: Array) -> Array:
        corners = x[self.arrays.elements]
        return np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2) @ self.inverse

    def force(self, x: Array) -> Array:
        """Elastic force [N], (n, 3)."""
        F = self.deformation(x)
        cofactor = np.stack([np.cross(F[:, :, (k + 1) % 3], F[:, :, (k + 2) % 3]) for k in range(3)], 2)
        J = np.einsum("ek,ek->e", F[:, :, 0], cofactor[:, :, 0])
        slope = (self.lam + self.mu) * (J - 1) - self.mu
        stress = self.volume[:, None, None] * (self.mu * F + slope[:, None, None] * cofactor)
        at = -stress @ np.swapaxes(self.inverse, 1, 2)  # columns: corners 1 to 3
        out = np.zeros_like(x)
        for axis in range(3):
            for corner in range(3):
                pull = at[:, axis, corner]
                out[:, axis] += np.bincount(self.arrays.elements[:, corner + 1], pull, len(x))
                out[:, axis] -= np.bincount(self.arrays.elements[:, 0], pull, len(x))
        return out

    def residual(self, x: Array, predicted: Array, h: float) -> float:
        """Return the residual of backward Euler at x, over that at the prediction."""
        imbalance = self.mass[:, None] * (x - predicted) / h**2 - self.force(x)
        return float(np.linalg.norm(imbalance[self.free]) / np.linalg.norm(self.force(predicted)[self.free]))

    def predicted(self, before: Array, now: Array, after: Array, h: float) -> Array:
        """Return the motion under inertia and gravity alone from `now`; pins are those of `after`."""
        ahead = now + (now - before) + h * h * GRAVITY
        return np.where(self.free[:, None], ahead, after)

    def volume_change(self, x: Array) -> float:
        """Share of the rest volume."""
        return float((self.volume * np.linalg.det(self.deformation(x))).sum() / self.volume.sum() - 1)

    def inverted(self, x: Array) -> int:
        return int((np.linalg.det(self.deformation(x)) <= 0).sum())

    def error(self, x: Array, wanted: Array) -> float:
        """Return the distance from the wanted positions, over how far those have moved; root mean squares over vertices."""
        return float(np.linalg.norm(x - wanted) / np.linalg.norm(wanted - self.arrays.rest))


def main() -> None:
    block = Block(without_contact.s3(6))
    rows = []
    for name, scale in (("rest", 1.0), ("half as high", 0.5)):
        x = block.arrays.rest * np.array([1.0, 1.0, scale])
        force = np.linalg.norm(block.force(x), axis=1).max()
        rows.append([name, f"{force:.3g}", f"{block.volume_change(x):+.1%}", str(block.inverted(x))])
    print(machine.table(["block", "largest force [N]", "volume", "inverted"], rows))


if __name__ == "__main__":
    main()
