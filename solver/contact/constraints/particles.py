"""All particles of contact in a substep: vertices of bodies, then those of colliders, which no force moves."""

from __future__ import annotations

import math

import numpy as np

from ...device.uncounted import uncounted_kernel
from ..surfaces.motion import SubstepMotion
from ..surfaces.surfaces import Surfaces
from .coupling import Coupling
from .tables import Array, VertexTable


class Particles:
    """Positions of particles in a substep.

    n: those of bodies. motion: of all, predicted and then as it ends; coupled ones have weights that say how far a force
    moves them. vertices: data of each for kernels. solid: of rigid bodies and colliders, (count,) bool. on_surface:
    coupled ones that touch, (k,). touches: those of bodies that do, (n,) bool. finite: whether the prediction is.
    """

    def __init__(self, surfaces: Surfaces, coupling: Coupling, dtype) -> None:
        s, self.n, self._coupling = surfaces, surfaces.n, coupling
        self.touches = np.zeros(self.n, bool)
        self.touches[s.points[: s.body_points].ravel()] = True
        self.motion = SubstepMotion(*(np.zeros((s.count, 4), dtype) for _ in range(2)))
        self.vertices = VertexTable(self.touches.copy(), s.distance, s.friction, s.owner)
        self.solid = coupling.table.body >= 0
        self.solid[self.n :] = True
        self.on_surface = coupling.particles[self.touches[coupling.particles]]
        self.finite = True

    def begin(self, x0: Array, x_pred: Array, collider_start: Array, collider_end: Array) -> None:
        """Take over a prediction. x0, x_pred: (n, 4) [m]. collider_start, collider_end: of all colliders, (m, 3) [m]."""
        n, (start, end) = self.n, self.motion
        m = len(start) - n
        start[:n], end[:n] = x0, x_pred
        start[n:, :3], end[n:, :3] = collider_start[:m], collider_end[:m]
        self._lend_weights()
        self.vertices = self.vertices._replace(movable=self.touches & (x0[:, 3] > 0))
        self.finite = bool(np.isfinite(end).all())

    def reweigh(self, x0: Array) -> None:
        """Take over weights. x0: h^2/m in the last column, (n, 4)."""
        start, end = self.motion
        start[: self.n, 3] = end[: self.n, 3] = x0[:, 3]
        self._lend_weights()

    def end(self, x: Array) -> Array:
        """Take over where the substep has led to, (n, 4) [m]; return the prediction, (count, 4)."""
        predicted = self.motion.x1.copy()
        self.motion.x1[: self.n] = x
        self._lend_weights()
        return predicted

    def _lend_weights(self) -> None:
        if self._coupling:
            self._coupling.lend_weights(self.motion.x0)
            self.motion.x1[: self.n, 3] = self.motion.x0[: self.n, 3]


@uncounted_kernel
def mean_way(x0, x1, touched):
    """Root mean square of the ways from x0 to x1, (n, 4), of the touched vertices, (n,) bool [m]; infinite without any."""
    total, count = 0.0, 0
    for i in range(len(touched)):
        if touched[i]:
            for k in range(3):
                total += (x1[i, k] - x0[i, k]) ** 2
            count += 1
    return math.sqrt(total / count) if count else math.inf
