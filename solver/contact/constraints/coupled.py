"""Contacts of coupled vertices: what they push is the rigid bodies and tetrahedra that move these."""

from __future__ import annotations

import os
import numpy as np

from ...device import arrays
from ..tolerances import COUPLED_SWEEPS, COUPLED_TOLERANCE, MOST_COUPLED_SWEEPS
from . import coupled_kernels as kernels
from .coupling import Coupling
from .linear import LinearRows
from .tables import COUPLED, COUPLED_SIDE, Array, CoupledTable, PlaneTable, VertexTable


class CoupledContacts:
    """The contacts of coupled vertices in one substep. count: how many. table: room for these or more."""

    def __init__(self, coupling: Coupling, planes: PlaneTable) -> None:
        self.coupling, self.planes = coupling, planes
        self._make_room(64)
        self.tolerance = 0.0
        self._rigid = coupling.rigid_table()
        self.clear()

    def __len__(self) -> int:
        return self.count

    def clear(self) -> None:
        """Before a substep: no contact."""
        self.count = 0
        self._order: Array | None = None
        self._answered = arrays.zeros((0, 4), self.table.weights.dtype, self.table.weights)

    def begin(
        self,
        which: Array,
        selected: Array,
        points: Array,
        candidates,
        distance: Array,
        motion,
        vertices: VertexTable,
        allowance,
    ) -> None:
        """Starts the contacts of candidate pairs, and of coupled particles with infinite planes.

        which, selected: pairs (k,) and how, (k, SELECTED.width). points: particles that may touch planes, (p,). distance: of
        all candidates at the start [m]. vertices: of all particles. allowance: way that penetration
        recovery may go in this substep [m].
        """
        c = self.coupling
        self._rigid = c.rigid_table()
        self._order = None
        self.tolerance = COUPLED_TOLERANCE * float(arrays.smallest(vertices.distance[c.particles], float("inf")))
        common = c.table, self._rigid
        while True:
            room = len(self.table.rows)
            if len(which) <= room:
                count = kernels.fill(
                    which, selected, candidates, distance, motion, vertices.friction, allowance, *common, self.table
                )
                if len(points):
                    count = kernels.fill_planes(count, points, motion, vertices, allowance, self.planes, *common, self.table)
                if count <= room:
                    self.count = count
                    self._answered = arrays.zeros((count, 4), self.table.weights.dtype, self.table.weights)
                    return
            self._make_room(2 * max(room, len(which)) + len(points))

    def sweep(self, x0: Array, x: Array, last: bool) -> None:
        """Projects the contacts, in place. x: (n, 4) [m]; the rigid bodies' part is kept as their twist.

        last: of the substep; contacts then only push more, so that none is left to continuous collision detection.
        """
        if not self.count:
            return
        if self._order is None:
            # The deepest first: of many that are nearly the same, as below a ball, it is the one that has to hold, and
            # sweeps would take long to pass on what another one has taken.
            gap = arrays.empty(self.count, x.dtype, x)
            kernels.gaps(self.count, self.table, self._rigid.twist, x0, x, gap)
            self._sweep(arrays.stable_order(gap), x0, x)
            self._order = arrays.arange(0, self.count, "int64", x)
            self._rigid_only = arrays.indices_where(self.table.used[: self.count] == 0)
        order, rigid_only = self._order, self._rigid_only
        for k in range(COUPLED_SWEEPS):
            miss = self._sweep(order if k % 2 == 0 else order[::-1], x0, x)
        for k in range(MOST_COUPLED_SWEEPS if len(rigid_only) > 1 else 0):
            if miss <= self.tolerance:
                break
            miss = self._sweep(rigid_only if k % 2 == 0 else rigid_only[::-1], x0, x)
        for k in range(MOST_COUPLED_SWEEPS if last else 0):
            if miss <= self.tolerance:
                break
            miss = self._sweep(order if k % 2 == 0 else order[::-1], x0, x, True)

    def joined(self):
        c = self.count
        return self.table.corners[:c, :4], self.table.weights[:c, :4] * (arrays.arange(0, 4, "int64", self.table.used) < self.table.used[:c, None])

    def without_force(self):
        t, c = self.table, self.count
        return (t.rows[:c, COUPLED.multiplier] == 0) & (t.used[:c] > 0) & (t.used[:c] <= 4) & (t.bodies[:c, 0] >= 0)

    def rows(self, which) -> LinearRows:
        """See `LinearContacts`. The motion of corners that no force moves is in the gap."""
        r = arrays.as_type(self.table.rows[which], "float64")
        normal, drift = (r[:, first : first + 3] for first in (COUPLED.normal, COUPLED.drift))
        return LinearRows(normal, r[:, COUPLED.gap] + (normal * drift).sum(1), -drift, r[:, COUPLED.friction])

    def levers(self, which):
        return self.table.bodies[which, 0], arrays.as_type(self.table.sides[which, 0], "float64")

    def set_forces(self, which, forces, gap) -> None:
        r, rigid = self.table.rows, self._rigid

        r[which, COUPLED.gap] -= np.minimum(gap, 0.0)
        body, lever = self.levers(which)
        total = forces[:, :1] * r[which, COUPLED.normal : COUPLED.normal + 3] + forces[:, 1:]
        more = np.zeros(rigid.twist.shape)
        np.add.at(more[:, :3], body, lever[:, :1] * total)
        np.add.at(more[:, 3:], body, np.cross(lever[:, 1:], total))
        rigid.twist[:, :3] += rigid.push[:, None] * more[:, :3]
        rigid.twist[:, 3:] += np.einsum("bij,bj->bi", rigid.swing, more[:, 3:])

    def add_forces(self, particles: Array) -> Array:
        """Adds what contacts push with beyond what was answered on each particle, (n, 3) [N]; returns the same on each rigid
        body, (b, 3)."""
        bodies = arrays.zeros((len(self._rigid.push), 3), "float64", particles)
        if self.count:
            kernels.add_forces(self.count, self.table, self._answered, particles, bodies)
        return bodies

    def count_as_answered(self) -> None:
        """The forces of now are those that `add_forces` counts from."""
        first = COUPLED.multiplier
        self._answered = arrays.copy(self.table.rows[: self.count, first : first + 4])

    def joined_bodies(self, owner: Array) -> Array:
        """Bodies of a particle and of the rigid body that it touches, (k, 2). owner: of each vertex."""
        on = arrays.indices_where((self.table.used[: self.count] > 0) & (self.table.bodies[: self.count] >= 0).any(1))
        starts = arrays.upload([shape.start for shape in self.coupling.rigid.shapes], "int64", owner)
        rigid = self.table.bodies[on].max(1)
        return arrays.stack([owner[self.table.corners[on, 0]], owner[starts[rigid]]], 1)

    def grow(self, owner: Array, factor: Array, x: Array) -> None:
        """Contacts push `factor`, of each body, times as much beyond what was answered. Written: x (n, 4) [m]."""
        if not self.count:
            return
        corner = self.table.corners[: self.count, 0]
        of_contact = arrays.where(self.table.used[: self.count] > 0, factor[owner[corner]], factor.dtype.type(1))
        kernels.grow(self.count, self.table, self._rigid, self._answered, of_contact, x)

    def measure(self, x0: Array, x: Array, touched: Array) -> tuple[int, float]:
        """Contacts that push, and the largest shortfall of a kept distance [m]; before the twists are taken over.

        Written: touched (n,) bool.
        """
        return kernels.measure(self.count, self.table, self._rigid.twist, x0, x, touched) if self.count else (0, 0.0)

    def guard(self, x0: Array, x: Array, vertices: VertexTable, allowance) -> int:
        """Puts what went through an infinite plane back in front of it; returns how many particles did. Written: x."""
        c, rules = self.coupling, self.planes.rules
        p, rows, carriers = c.particles, c.embedded.rows, c.table.corners
        move = arrays.zeros((len(x), 3), x.dtype, x)
        held = 0
        for k in range(len(self.planes.points)):
            point, normal, more = self.planes.points[k], self.planes.normals[k], self.planes.thickness[k]
            start, gap = (x0[p, :3] - point) @ normal, (x[p, :3] - point) @ normal
            through = (start >= 0) & (gap < 0) & rules[vertices.owner[p], k]
            if not arrays.any(through):
                continue
            held += arrays.count(through)
            target = arrays.minimum(vertices.distance[p] + more, start + allowance)
            lift = arrays.zeros(len(x), x.dtype, x)
            lift[p[through]] = (target - gap)[through]
            for number, shape in enumerate(c.rigid.shapes):
                most = float(lift[shape.start : shape.stop].max())
                if most > 0:
                    c.rigid.set_pose(number, c.rigid.centre[number] + most * normal, c.rigid.turn[number])
            lifted = rows[lift[rows] > 0]
            own = arrays.zeros(len(x), x.dtype, x)
            for corner in range(4):
                arrays.maximum_at(own, carriers[c.table.point[lifted], corner], lift[lifted])
            own[x[:, 3] == 0] = 0
            move += own[:, None] * normal
        if held:
            x[:, :3] += move
            c.place_particles(x)
        return held

    def _sweep(self, order: Array, x0: Array, x: Array, growing: bool = False) -> float:
        return kernels.sweep(order, growing, self.table, self._rigid, x0, x)

    def _make_room(self, room: int) -> None:
        like = self.coupling.table.weights
        dtype, corners = like.dtype, kernels.CORNERS
        self.table = CoupledTable(
            arrays.zeros((room, corners), "int32", like),
            arrays.zeros((room, corners), dtype, like),
            arrays.zeros(room, "int32", like),
            arrays.full((room, 2), -1, "int32", like),
            arrays.zeros((room, 2, COUPLED_SIDE.width), dtype, like),
            arrays.zeros((room, COUPLED.width), dtype, like),
        )
