"""Contacts of single vertices with half-spaces that do not depend on them: infinite planes, and the way out of colliders.

As `pairs`, for one vertex each; the multipliers are displacements [m].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...device.cpu import LANES, f32, kernel
from ...device.lanes import corner, gather, put, scatter
from ...device.row_kernels import uncounted_row_kernel
from ...device.threads import run
from ...device.uncounted import inline, uncounted_kernel
from ...mathlib.vec3 import add, add_scaled, dot, sub
from ..narrow_phase.distance import length, row
from ..surfaces.collider_tables import PlaneShape, PlaneTable, plane_arrays
from .law import friction_between, friction_force, normal_force, reach, target_distance
from .linear import LinearRows
from .restitution import stop_vertices
from .tables import FORCE, HALF_SPACE, SLOTS, Array, HalfSpaceTable, SlotTable, VertexTable, by_contact
from .warm_start import forces_of

ZERO, ONE = f32(0), f32(1)


class HalfSpaceContacts:
    """The half-spaces that act on vertices in one substep. planes: the infinite ones of the world.

    slots: filled by stages that lead single vertices, before `begin`. table: swept contacts. keys, forces: contacts with
    planes that pushed in the last substep, ascending, (k,) int64, and their forces [N], (k, FORCE.width).
    """

    def __init__(self, n: int, planes: PlaneTable) -> None:
        """n: vertices of bodies."""
        self.planes = planes
        dtype = planes.points.dtype
        self.slots = SlotTable(np.zeros(n, "int32"), np.zeros((n, SLOTS, HALF_SPACE.width), dtype))
        self._x0 = np.zeros((n, 4), dtype)
        self.keys, self.forces = np.zeros(0, "int64"), np.zeros((0, FORCE.width), dtype)
        self.clear()

    def __len__(self) -> int:
        return len(self.table.vertices)

    def clear(self) -> None:
        """Remove all contacts and free all slots, before a substep."""
        self.slots.number.fill(0)
        packs = np.zeros((0, HALF_SPACE.width * LANES), self.slots.rows.dtype)
        self.table = HalfSpaceTable(np.zeros(0, "int64"), packs, 0)

    def begin(self, x0: Array, x1: Array, vertices: VertexTable, allowance) -> None:
        """Start the contacts with infinite planes, and take those that stand in the slots already.

        x0, x1: at the start and predicted [m], (n, 4). allowance: way that penetration recovery may go in this substep [m].
        """
        if len(self.planes.points):
            run(fill, len(x0), x0, x1, vertices, allowance, self.planes, self.slots)
        self._x0 = x0
        if self.slots.number.any():
            self.table = gathered(self.slots)

    def take(self, x0: Array, number: Array, rows: Array) -> None:
        """Take over contacts that another device has found, as they stand in slots. x0: of `begin`."""
        self.slots.number[...] = number
        self.slots.rows[...] = rows
        self._x0 = x0
        if number.any():
            self.table = gathered(self.slots)

    def state(self) -> dict[str, Array]:
        """Return the state for the next substep, by name; a checkpoint keeps these arrays."""
        return {"pair_plane_keys": self.keys, "pair_plane_forces": self.forces}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take over a `state`, of any number of contacts."""
        self.keys = state["pair_plane_keys"].copy()
        self.forces = state["pair_plane_forces"].astype(self.forces.dtype, copy=False).copy()

    def end(self) -> None:
        """Store the forces of planes."""
        if not len(self):
            self.keys, self.forces = self.keys[:0], self.forces[:0]
            return
        old_columns = self._columns(np.arange(len(self), dtype="int64"))
        inverse = self._x0[self.table.vertices, 3]
        keys = self._keys(self.table.vertices, old_columns)
        order = np.flatnonzero((old_columns[:, HALF_SPACE.multiplier] > 0) & (inverse > 0) & (keys >= 0))
        order = order[np.argsort(keys[order], kind="stable")]
        self.keys, self.forces = (
            keys[order],
            old_columns[order, HALF_SPACE.multiplier : HALF_SPACE.multiplier + 4] / inverse[order, None],
        )

    def _keys(self, vertices: Array, rows: Array) -> Array:
        """Return vertex and plane of contacts as one number, (k,) int64; -1 for vertices without a plane."""
        count = len(self.planes.points)
        keys = np.full(len(vertices), -1, "int64")
        normal = rows[:, HALF_SPACE.normal : HALF_SPACE.normal + 3]
        moves = rows[:, HALF_SPACE.drift : HALF_SPACE.drift + 3].any(1)
        for plane in range(count - 1, -1, -1):
            same = (normal == self.planes.normals[plane]).all(1) & ~moves
            keys[same] = vertices[same] * count + plane
        return keys

    def sweep(self, x0: Array, x: Array) -> None:
        """Project all contacts. Written: x (n, 4) [m]."""
        if len(self):
            sweep(self.table, x0, x)

    def measure(self, x0: Array, x: Array, touched: Array) -> tuple[int, float]:
        """Contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
        return measure(self.table, x0, x, touched) if len(self) else (0, 0.0)

    def guard(self, x0: Array, x: Array, vertices: VertexTable, allowance) -> int:
        """Put vertices that went through a plane back in front of it; return how many. Written: x."""
        return guard(x0, x, vertices, allowance, self.planes) if len(self.planes.points) else 0

    def stop_separation(self, x0: Array, predicted: Array, inverse_h, v: Array) -> None:
        """Restitution zero, see `restitution`. Written: v (n, 3) [m/s]."""
        if len(self):
            stop_vertices(self.table, x0, predicted, inverse_h, v)

    def corners(self) -> Array:
        """The vertices that contacts may push, (c,)."""
        return self.table.vertices

    def joined(self) -> tuple[Array, Array]:
        """See `LinearContacts`: a vertex each."""
        vertices = self.table.vertices
        weights = np.zeros((len(vertices), 4), self.slots.rows.dtype)
        weights[:, 0] = 1.0
        return np.repeat(vertices.astype("int32"), 4).reshape(-1, 4), weights

    def without_force(self) -> Array:
        """See `LinearContacts`."""
        return self._columns(np.arange(len(self), dtype="int64"))[:, HALF_SPACE.multiplier] == 0

    def rows(self, which: Array) -> LinearRows:
        """See `LinearContacts`."""
        r = self._columns(which).astype("float64", copy=False)
        normal, drift = (r[:, first : first + 3] for first in (HALF_SPACE.normal, HALF_SPACE.drift))
        last = forces_of(self.keys, self.forces, self._keys(self.table.vertices[which], r))
        return LinearRows(normal, r[:, HALF_SPACE.gap], drift, r[:, HALF_SPACE.friction], last)

    def set_forces(self, which: Array, forces: Array) -> None:
        """See `LinearContacts`. What moves a vertex by the multiplier is the force times its h^2/m."""
        moved = forces * self._x0[self.table.vertices[which], 3].astype("float64", copy=False)[:, None]
        first = HALF_SPACE.multiplier
        by_contact(self.table.packs)[which // LANES, which % LANES, first : first + 4] = moved

    def settle(self, which: Array, missing: Array) -> None:
        """See `LinearContacts`."""
        packs, at = by_contact(self.table.packs), (which // LANES, which % LANES)
        for column in (HALF_SPACE.gap, HALF_SPACE.shortfall):
            packs[(*at, column)] += missing
        packs[(*at, HALF_SPACE.friction)] = 0
        packs[(*at, slice(HALF_SPACE.tangential, HALF_SPACE.tangential + 3))] = 0

    def _columns(self, which: Array) -> Array:
        return by_contact(self.table.packs)[which // LANES, which % LANES]


def plane_table(planes: Sequence[PlaneShape], bodies: int, rules: Array | None, dtype) -> PlaneTable:
    """The infinite planes of a world. rules: which bodies touch which planes, (bodies, planes) bool; None: all do."""
    points, normals, thickness, friction = plane_arrays(planes, dtype)
    if rules is None:
        rules = np.full((bodies, len(planes)), True, bool)
    return PlaneTable(points, normals, thickness, friction, rules.copy())


@inline
def fill_slot(slot, n, gap, mu, drift, missing):
    """Start a contact, with no force yet."""
    for axis in range(3):
        slot[HALF_SPACE.normal + axis], slot[HALF_SPACE.tangential + axis], slot[HALF_SPACE.drift + axis] = (
            n[axis],
            ZERO,
            drift[axis],
        )
    slot[HALF_SPACE.gap], slot[HALF_SPACE.friction], slot[HALF_SPACE.multiplier], slot[HALF_SPACE.shortfall] = (
        gap,
        mu,
        ZERO,
        missing,
    )


@uncounted_row_kernel
def fill(begin, finish, x0, x1, vertices, allowance, planes, slots):
    """Start the contacts of the vertices begin..finish with infinite planes near them.

    x0, x1: at the start and predicted [m], (n, 4). allowance: way that penetration recovery may go in this substep [m].
    Read and written: slots, which may hold contacts already.
    """
    wanted, thickness, mu, owner = vertices
    points, normals, reserve, friction, rules = planes
    number, rows = slots
    for i in range(begin, finish):
        if not wanted[i]:
            continue
        p, move = row(x0, i), sub(row(x1, i), row(x0, i))
        for k in range(len(points)):
            if not rules[owner[i], k]:
                continue
            n = row(normals, k)
            start = dot(n, sub(p, row(points, k)))
            full = thickness[i] + reserve[k]
            if number[i] < SLOTS and min(start, start + dot(n, move)) < reach(full, length(move)):
                target = target_distance(full, start, allowance)
                drift = (ZERO * full, ZERO * full, ZERO * full)
                fill_slot(rows[i, number[i]], n, start - target, friction_between(mu[i], friction[k]), drift, full - target)
                number[i] += 1


def gathered(slots: SlotTable) -> HalfSpaceTable:
    """The contacts that there are, those of the first slots first, then of the second: a vertex occurs once in each."""
    number, rows = slots
    parts = [np.flatnonzero(number > k) * SLOTS + k for k in range(SLOTS)]
    slot = np.concatenate(parts)
    packs = np.zeros((-(-len(slot) // LANES), LANES, HALF_SPACE.width), rows.dtype)
    packs.reshape(-1, HALF_SPACE.width)[: len(slot)] = rows.reshape(-1, HALF_SPACE.width)[slot]
    packs = packs.transpose(0, 2, 1).copy().reshape(len(packs), HALF_SPACE.width * LANES)
    return HalfSpaceTable(slot // SLOTS, packs, len(parts[0]) // LANES)


@kernel
def sweep(table, x0, x):
    """Project all contacts. Written: the packs of the table, x."""
    lanes, starts = np.empty(4 * LANES, x.dtype), np.empty(4 * LANES, x.dtype)
    project_all(table.vertices, table.whole, table.packs, x0, x, np.empty((1, LANES), np.int32), lanes, starts)


@uncounted_kernel
def project_all(vertices, whole, packs, x0, x, index, lanes, starts):
    """As `sweep`. index (1, 16), lanes and starts (4 * 16,): scratch."""
    for pack in range(whole):
        for lane in range(LANES):
            index[0, lane] = vertices[pack * LANES + lane]
        gather(x, index, 0, 1, lanes)
        gather(x0, index, 0, 1, starts)
        pack_values = packs[pack]
        for lane in range(LANES):
            put(lanes, 0, lane, _projected(pack_values, lane, corner(lanes, 0, lane), corner(starts, 0, lane)))
        scatter(x, index, 0, 1, lanes)
    for c in range(whole * LANES, len(vertices)):
        i = vertices[c]
        x[i, 0], x[i, 1], x[i, 2] = _projected(packs[c // LANES], c % LANES, row(x, i), row(x0, i))


@inline
def _three(pack_values, column, lane):
    at = column * LANES + lane
    return (pack_values[at], pack_values[at + LANES], pack_values[at + 2 * LANES])


@inline
def _projected(pack_values, lane, p, start):
    """Return the position to which a contact moves its vertex, from p."""
    d, n, old = sub(p, start), _three(pack_values, HALF_SPACE.normal, lane), _three(pack_values, HALF_SPACE.tangential, lane)
    before = pack_values[HALF_SPACE.multiplier * LANES + lane]
    after = normal_force(before - dot(n, d), pack_values[HALF_SPACE.gap * LANES + lane], ONE)
    slip = sub(d, _three(pack_values, HALF_SPACE.drift, lane))
    t = friction_force(old, slip, n, ONE, pack_values[HALF_SPACE.friction * LANES + lane] * after)
    at = HALF_SPACE.tangential * LANES + lane
    pack_values[HALF_SPACE.multiplier * LANES + lane] = after
    pack_values[at], pack_values[at + LANES], pack_values[at + 2 * LANES] = t
    return add(add_scaled(p, after - before, n), sub(t, old))


@uncounted_kernel
def measure(table, x0, x, touched):
    """Number of contacts that push, and the largest shortfall of a kept distance [m]. Written: touched (n,) bool."""
    vertices, packs, _ = table
    pushing, deepest = 0, ZERO * x[0, 0]
    for c in range(len(vertices)):
        kept, lane, i = packs[c // LANES], c % LANES, vertices[c]
        if kept[HALF_SPACE.multiplier * LANES + lane] > 0:
            pushing += 1
            touched[i] = True
            along = dot(_three(kept, HALF_SPACE.normal, lane), sub(row(x, i), row(x0, i)))
            deepest = max(deepest, kept[HALF_SPACE.shortfall * LANES + lane] - along - kept[HALF_SPACE.gap * LANES + lane])
    return pushing, deepest


@uncounted_kernel
def guard(x0, x, vertices, allowance, planes):
    """Put vertices that went through an infinite plane back in front of it; return how many. Written: x."""
    wanted, distance, _, owner = vertices
    points, normals, reserve, _, rules = planes
    count = 0
    for i in range(len(wanted)):
        if not wanted[i]:
            continue
        for k in range(len(points)):
            if not rules[owner[i], k]:
                continue
            n, p = row(normals, k), row(points, k)
            start, gap = dot(n, sub(row(x0, i), p)), dot(n, sub(row(x, i), p))
            if start >= 0 and gap < 0:
                target = target_distance(distance[i] + reserve[k], start, allowance)
                end = add_scaled(row(x, i), target - gap, n)
                x[i, 0], x[i, 1], x[i, 2] = end[0], end[1], end[2]
                count += 1
    return count
