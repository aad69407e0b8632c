"""Contacts of coupled vertices, which act on their rigid bodies and tetrahedra."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...steering import COUPLED_TOLERANCE, MOST_PASSES, WARM_START_SHARE
from ..surfaces.collider_tables import PlaneTable
from . import coupled_kernels as kernels
from .coupling import Coupling
from .linear import LinearRows
from .tables import COUPLED, COUPLED_SIDE, Array, CoupledTable, VertexTable
from .warm_start import forces_of


class CoupledContacts:
    """The contacts of coupled vertices in one substep. count: number of contacts. table: capacity for at least these. keys,
    forces: of contacts between rigid bodies alone that pushed in the last substep: keys, ascending, (k,) int64, and forces
    [N], (k,)."""

    def __init__(self, coupling: Coupling, planes: PlaneTable) -> None:
        self.coupling, self.planes = coupling, planes
        self._make_room(64)
        self.tolerance = 0.0
        self._rigid = coupling.rigid_table()
        self.keys, self.forces = np.zeros(0, "int64"), np.zeros(0, coupling.table.weights.dtype)
        self.clear()

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        return {"pair_rigid_keys": self.keys, "pair_rigid_forces": self.forces}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`, of any number of contacts."""
        self.keys = state["pair_rigid_keys"].copy()
        self.forces = state["pair_rigid_forces"].astype(self.forces.dtype, copy=False).copy()

    def __len__(self) -> int:
        return self.count

    def clear(self) -> None:
        """Remove all contacts, before a substep."""
        self.count = 0
        self._order: Array | None = None

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
        """Start the contacts of candidate pairs, and of coupled particles with infinite planes.

        which, selected: pairs (k,) and their data, (k, SELECTED.width). points: particles that may touch planes, (p,).
        distance: of all candidates at the start [m]. vertices: of all particles. allowance: largest displacement by
        penetration recovery in this substep [m].
        """
        c = self.coupling
        self._rigid = c.rigid_table()
        self._order = None
        self.tolerance = COUPLED_TOLERANCE * float(vertices.distance[c.particles].min(initial=float("inf")))
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
                    self._warm_start()
                    return
            self._make_room(2 * max(room, len(which)) + len(points))

    def _warm_start(self) -> None:
        """Warm-start contacts between rigid bodies alone: these forces transmit a body's load to the systems of the sheets
        below it. Written: multipliers, twists."""
        if not len(self.keys) or not self.count:
            return
        which = self._rigid_only_contacts()
        pushed = forces_of(self.keys, WARM_START_SHARE * self.forces, self._keys(which))
        which, pushed = which[pushed > 0], pushed[pushed > 0].astype(self.forces.dtype, copy=False)
        rows = self.table.rows
        rows[which, COUPLED.multiplier] = pushed
        normal = rows[which, COUPLED.normal : COUPLED.normal + 3]
        kernels.push_bodies(which, pushed[:, None] * normal, self.table, self._rigid)

    def end(self) -> None:
        """Store the forces of contacts between rigid bodies alone."""
        which = self._rigid_only_contacts()
        which = which[self.table.rows[which, COUPLED.multiplier] > 0]
        keys = self._keys(which)
        order = np.argsort(keys, kind="stable")
        self.keys, self.forces = keys[order], self.table.rows[which[order], COUPLED.multiplier].copy()

    def _rigid_only_contacts(self) -> Array:
        return np.flatnonzero(self.table.used[: self.count] == 0)

    def _keys(self, which: Array) -> Array:
        """Key of both elements of each contact, (k,) int64."""
        r = self.table.rows[which]
        first, second = (r[:, column].astype("int64", copy=False) for column in (COUPLED.first, COUPLED.second))
        return (first << 32) + second

    def sweep(self, x0: Array, x: Array, last: bool) -> None:
        """Project the contacts, in place. x: (n, 4) [m]; the rigid bodies' part is kept as their twist.

        last: the last sweep of the substep; contact forces then only increase, which leaves none to continuous collision
        detection.
        """
        if not self.count:
            return
        if self._order is None:
            # The deepest first: of many nearly equal contacts, as below a ball, it carries the load; sweeps would transfer
            # it slowly from another one.
            gap = np.empty(self.count, x.dtype)
            kernels.gaps(self.count, self.table, self._rigid.twist, x0, x, gap)
            self._sweep(np.argsort(gap, kind="stable"), x0, x)
            self._order = np.arange(self.count, dtype="int64")
            self._rigid_only = self._rigid_only_contacts()
        order, rigid_only = self._order, self._rigid_only
        for k in range(2):
            miss = self._sweep(order if k % 2 == 0 else order[::-1], x0, x)
        for k in range(MOST_PASSES if len(rigid_only) > 1 else 0):
            if miss <= self.tolerance:
                break
            miss = self._sweep(rigid_only if k % 2 == 0 else rigid_only[::-1], x0, x)
        for k in range(MOST_PASSES if last else 0):
            if miss <= self.tolerance:
                break
            miss = self._sweep(order if k % 2 == 0 else order[::-1], x0, x, True)

    def corners(self) -> Array:
        """Vertices that contacts may push, with repetitions, (k,)."""
        t, first = self.table, np.arange(kernels.CORNERS, dtype="int64")
        return t.corners[: self.count][first < t.used[: self.count, None]]

    def reweigh(self, x0: Array) -> None:
        """Set the effective masses anew. x0: h^2/m in the last column, (count, 4)."""
        if self.count:
            kernels.set_masses(self.count, x0, self._rigid, self.table)

    def joined(self) -> tuple[Array, Array]:
        """See `LinearContacts`: the movable particles. Contacts with more than four have no force in a linear system
        (`without_force`)."""
        t, first = self.table, np.arange(4, dtype="int64")
        corners, weights = t.corners[: self.count, :4].copy(), t.weights[: self.count, :4]
        return corners, np.where(first < t.used[: self.count, None], weights, 0)

    def without_force(self) -> Array:
        """Return the contacts of a rigid body with up to four particles that have no force yet, (c,) bool."""
        t, used = self.table, self.table.used[: self.count]
        return (t.bodies[: self.count, 0] >= 0) & (used > 0) & (used <= 4) & (t.rows[: self.count, COUPLED.multiplier] == 0)

    def rows(self, which: Array) -> LinearRows:
        """See `LinearContacts`. The gap contains the motion of rigid bodies without contact; no force is stored."""
        r = self.table.rows[which].astype("float64", copy=False)
        normal, drift = (r[:, first : first + 3] for first in (COUPLED.normal, COUPLED.drift))
        gap, none = r[:, COUPLED.gap] + (normal * drift).sum(1), np.zeros((len(which), 4), "float64")
        return LinearRows(normal, gap, -drift, r[:, COUPLED.friction], none)

    def sides(self, which: Array) -> tuple[Array, Array]:
        """The rigid bodies of each contact, -1 for none, (k, 2), and how each moves the contact's point: `COUPLED_SIDE`,
        (k, 2, 4) float64."""
        return self.table.bodies[which], self.table.sides[which].astype("float64", copy=False)

    def between_bodies(self) -> Array:
        """Contacts between rigid bodies alone: with each other, with colliders and planes, (k,)."""
        return self._rigid_only_contacts()

    def effective_masses(self, which: Array) -> Array:
        """Effective stiffness of each contact along its normal: force for a displacement of a metre [N/m], (k,) float64."""
        return self.table.rows[which, COUPLED.effective_mass].astype("float64", copy=False)

    def take_back(self, which: Array) -> Array:
        """Undo the warm start of contacts between rigid bodies alone; return its normal forces [N], (k,) float64. Written:
        multipliers, twists."""
        rows = self.table.rows
        begun = rows[which, COUPLED.multiplier].copy()
        normal = rows[which, COUPLED.normal : COUPLED.normal + 3]
        kernels.push_bodies(which, -begun[:, None] * normal, self.table, self._rigid)
        rows[which, COUPLED.multiplier] = 0
        return begun.astype("float64", copy=False)

    def set_forces(self, which: Array, forces: Array, missing: Array) -> None:
        """Set the forces of contacts between rigid bodies alone to those of a linear system; sweeps continue from these.

        forces: along the normal and, three numbers, across it [N], (k, 4). missing: of the gap, which counts as
        met [m], (k,).
        """
        rows, typed_forces = self.table.rows, forces.astype(self.table.rows.dtype, copy=False)
        first = COUPLED.multiplier
        rows[which, first : first + 4] = typed_forces
        normal = rows[which, COUPLED.normal : COUPLED.normal + 3]
        kernels.push_bodies(which, typed_forces[:, :1] * normal + typed_forces[:, 1:], self.table, self._rigid)
        self._count_as_met(which, missing)

    def push_bodies(self, which: Array, forces: Array, missing: Array) -> None:
        """Apply the contact forces of a linear system to rigid bodies; sweeps of their contacts only increase them.

        forces: on the particles [N], (k, 3). missing: of the gap, which counts as met [m], (k,).
        """
        rows = self.table.rows
        kernels.push_bodies(which, forces.astype(rows.dtype, copy=False), self.table, self._rigid)
        self._count_as_met(which, missing)
        rows[which, COUPLED.pushes] = missing > 0

    def _count_as_met(self, which: Array, missing: Array) -> None:
        """Lower the targets of contacts, (k,), by the missing part of the gap [m], (k,)."""
        rows = self.table.rows
        rows[which, COUPLED.gap] += missing
        rows[which, COUPLED.shortfall] += missing

    def measure(self, x0: Array, x: Array, touched: Array) -> tuple[int, float]:
        """Number of pushing contacts, and the largest deficit of a kept distance [m]; before the twists are applied.

        Written: touched (n,) bool.
        """
        return kernels.measure(self.count, self.table, self._rigid.twist, x0, x, touched) if self.count else (0, 0.0)

    def guard(self, x0: Array, x: Array, vertices: VertexTable, allowance) -> int:
        """Move particles that crossed an infinite plane back in front of it; return their number. Written: x."""
        c, rules = self.coupling, self.planes.rules
        p, rows, carriers = c.particles, c.embedded.rows, c.table.corners
        move = np.zeros((len(x), 3), x.dtype)
        held = 0
        for k in range(len(self.planes.points)):
            point, normal, more = self.planes.points[k], self.planes.normals[k], self.planes.thickness[k]
            start, gap = (x0[p, :3] - point) @ normal, (x[p, :3] - point) @ normal
            through = (start >= 0) & (gap < 0) & rules[vertices.owner[p], k]
            if not through.any():
                continue
            held += int(np.count_nonzero(through))
            target = np.minimum(vertices.distance[p] + more, start + allowance)
            lift = np.zeros(len(x), x.dtype)
            lift[p[through]] = (target - gap)[through]
            for number, shape in enumerate(c.rigid.shapes):
                most = float(lift[shape.start : shape.stop].max())
                if most > 0:
                    c.rigid.set_pose(number, c.rigid.centre[number] + most * normal, c.rigid.turn[number])
            lifted = rows[lift[rows] > 0]
            pushes = np.zeros(len(x), x.dtype)
            for corner in range(4):
                np.maximum.at(pushes, carriers[c.table.point[lifted], corner], lift[lifted])
            pushes[x[:, 3] == 0] = 0
            move += pushes[:, None] * normal
        if held:
            x[:, :3] += move
            c.place_particles(x)
        return held

    def _sweep(self, order: Array, x0: Array, x: Array, growing: bool = False) -> float:
        return kernels.sweep(order, growing, self.table, self._rigid, x0, x)

    def _make_room(self, room: int) -> None:
        dtype, corners = self.coupling.table.weights.dtype, kernels.CORNERS
        self.table = CoupledTable(
            np.zeros((room, corners), "int32"),
            np.zeros((room, corners), dtype),
            np.zeros(room, "int32"),
            np.full((room, 2), -1, "int32"),
            np.zeros((room, 2, COUPLED_SIDE.width), dtype),
            np.zeros((room, COUPLED.width), dtype),
        )
