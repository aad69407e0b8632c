"""Coupled vertices: vertices of rigid bodies, and points embedded in tetrahedra.

They are particles as all others for the search, the planes and continuous collision detection. The difference: contact
pushes the bodies that move them (`coupled`), and the clamp holds these, a rigid body as a whole (`coupled_clamp`).
"""

from __future__ import annotations

import numpy as np

from ...model.model import Embedded
from ...model.rigid_motion import RigidMotion
from .tables import Array, CouplingTable, RigidTable


class Coupling:
    """Coupled vertices of one world, and their carriers.

    particles: (k,) all of them. is_coupled: (count,) bool. table: see `CouplingTable`.
    """

    def __init__(
        self, n: int, count: int, dtype, rigid: RigidMotion | None = None, embedded: Embedded | None = None
    ) -> None:
        """n: particles of bodies. count: all particles of the contact system."""
        self.rigid = RigidMotion([], 1.0, dtype) if rigid is None else rigid
        self.embedded = Embedded() if embedded is None else embedded
        corners = np.asarray(self.embedded.corners, "int32")
        weights = np.asarray(self.embedded.weights, dtype)
        body, point = (np.full(count, -1, "int32") for _ in range(2))
        for number, shape in enumerate(self.rigid.shapes):
            body[shape.start : shape.stop] = number
        point[self.embedded.rows] = np.arange(len(self.embedded.rows), dtype="int32")
        self.table = CouplingTable(n, body, point, corners.copy(), weights.copy())
        self.is_coupled = (body >= 0) | (point >= 0)
        self.particles = np.flatnonzero(self.is_coupled)

    def __bool__(self) -> bool:
        return len(self.particles) > 0

    def lend_weights(self, x0: Array) -> None:
        """Write h^2/m of coupled particles into the last column of x0, so that contact knows that they can be moved."""
        for number, shape in enumerate(self.rigid.shapes):
            x0[shape.start : shape.stop, 3] = self.rigid.push[number]
        if len(self.embedded.rows):
            x0[self.embedded.rows, 3] = (self.table.weights**2 * x0[self.table.corners, 3]).sum(1)

    def rigid_table(self) -> RigidTable:
        """The rigid bodies in this substep, with centres in the type that contact has."""
        r, dtype = self.rigid, self.table.weights.dtype
        start, predicted = (centre.astype(dtype, copy=False).copy() for centre in (r.start_centre, r.centre))
        return RigidTable(start, predicted, r.push, r.swing, r.twist)

    def place(self, x: Array) -> None:
        """Apply the motion of rigid bodies by contact, and write all coupled particles. Written: x (n, 4)."""
        self.rigid.correct()
        self.place_particles(x)

    def place_particles(self, x: Array) -> None:
        """Write all coupled particles where their bodies and tetrahedra have them. Written: x (n, 4)."""
        self.rigid.place(x)
        self.embedded.place(x)

    def displace(self, move: Array, x: Array) -> None:
        """Pass displacements of coupled particles on to the bodies that move them, as their mean over the pushed particles.

        move: (n, 3) [m]; rows of coupled particles are set to zero. Written: move, x, with all coupled particles.
        """
        rows, carriers, weights = self.embedded.rows, self.table.corners, self.table.weights
        pushed = (move != 0).any(1)
        for number, shape in enumerate(self.rigid.shapes):
            mine = np.flatnonzero(pushed[shape.start : shape.stop]) + shape.start
            if len(mine):
                self.rigid.centre[number] += move[mine].mean(0, dtype=float)  # not the velocity, which would eject it
        mine = np.flatnonzero(pushed[rows])
        if len(mine):
            total, weight = np.zeros((len(move), 3), "float64"), np.zeros(len(move), "float64")
            size = np.abs(weights[mine])
            for k in range(4):
                np.add.at(total, carriers[mine, k], size[:, k : k + 1] * move[rows[mine]])
                np.add.at(weight, carriers[mine, k], size[:, k])
            chosen = np.flatnonzero((weight > 0) & (x[:, 3] > 0))
            move[chosen] += (total[chosen] / weight[chosen, None]).astype(move.dtype, copy=False)
        move[self.particles] = 0
        x[:, :3] += move
        self.place_particles(x)
