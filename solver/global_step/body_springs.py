"""Body springs: the contacts of some sheets with rigid bodies, and of these with each other, in the global step's linear
system.

A contact is a spring between a point of the sheet and a point of a rigid body, which pushes along its normal and holds
across it up to Coulomb's bound; so is one of such a body with another, with a collider or a plane. The six unknowns of a
body, its twist, are eliminated: at each motion of the sheet the bodies are where their inertia and their springs balance. So
a body that hits a sheet feels it as a whole, the sheet feels all of the body and of its load, and the momentum that one of
them gains the other has lost. Afterwards bodies have the forces of their springs, and sweeps push only more: the rest
left of the gap counts as met. A tie to a rigid body is such a contact, which sticks in every direction.
Source of the friction: Li et al. 2020, "Incremental Potential Contact" (lagged bound; here the force stays at it).
"""

from __future__ import annotations

import numpy as np

from ..contact.constraints.coupled import CoupledContacts
from ..contact.constraints.tied_bodies import TiedBodies
from ..linalg.block_matrix import Pattern
from ..linalg.eliminated import Eliminated
from ..model.rigid_motion import RigidMotion
from ..steering import STIFFNESS_OF_RIGID_CONTACTS, STIFFNESS_WITH_BODIES
from .body_balance import SPRING, TWIST, gaps_and_slips, points_of, settle
from .body_clusters import BodyClusters, joined_contacts
from .body_matrices import add_pulls, couplings_of, factorise_clusters, follow, own_blocks, pulls
from .contact_kinds import CORNERS, ContactKind, contacts_from_outside
from .contact_springs import add_contacts
from .groups import Groups

Array = np.ndarray

#: [N] Bound of the friction of a sticking contact; and [m] least slip.
STICKS, LEAST_SLIP = 1e30, 1e-12
#: [N^2] Less force, squared, is none.
LEAST_PUSH = 1e-30
#: Times that the bound follows the force at the end.
BOUNDS = 3


class BodyLoads:
    """Loads and constraints of each rigid body in the global step, as a potential 1/2 q K q - f q of its twist q.

    stiffness K: (b, 6, 6), of the inertia, and of the springs of the sheets that are solved already. load f: (b, 6), of
    these, and what contacts between rigid bodies begin with. rigid: the bodies; those that sleep do not move. has_springs:
    bodies whose contacts with each other a system has had in this substep, (b,) bool.
    """

    def __init__(self, rigid: RigidMotion) -> None:
        count, awake = len(rigid.shapes), np.flatnonzero(~rigid.held)
        self.rigid, self.has_springs = rigid, np.zeros(count, bool)
        self.stiffness, self.load = np.tile(np.eye(TWIST), (count, 1, 1)), np.zeros((count, TWIST))
        self.stiffness[awake, :3, :3] = (rigid.mass[awake] / rigid.h**2)[:, None, None] * np.eye(3)
        self.stiffness[awake, 3:, 3:] = np.linalg.inv(rigid.swing[awake].astype(float))
        self.load[awake] = np.einsum("bij,bj->bi", self.stiffness[awake], rigid.twist[awake].astype(float))


class BodySprings:
    """The springs of some sheets in a substep, ordered by their first bodies; those between bodies join no vertex.

    corners, weights: (c, CORNERS). rows: (c, SPRING.width). mu: (c,). ends: bodies of each spring, places in those of
    `clusters`, the second -1 for none, (c, 2); first: first spring of each cluster, (g + 1,). twist: (6 m,).
    normal_stiffness, friction_stiffness: as chosen [N/m], (c,).
    """

    def __init__(
        self, contacts: CoupledContacts, ties: TiedBodies, kinds: tuple[ContactKind, ContactKind], pattern: Pattern,
        loads: BodyLoads,
    ) -> None:  # fmt: skip
        """kinds: the contacts of the sheets, and their ties."""
        self._contacts, self._ties, self._loads, self._vertices = contacts, ties, loads, pattern.vertices
        row, corners, weights, normal, gap, drift, mu, last = (
            np.concatenate([getattr(kind, name) for kind in kinds])
            for name in ("row", "corners", "weights", "normal", "gap", "drift", "mu", "last")
        )
        body, side = (
            np.concatenate(of_kinds) for of_kinds in zip(contacts.sides(kinds[0].row), ties.sides(kinds[1].row), strict=True)
        )
        touched = np.unique(body[:, 0])
        joined = _Joined(contacts, touched, loads)
        body, side = np.concatenate([body, joined.bodies]), np.concatenate([side, joined.sides])
        self.clusters = clusters = BodyClusters(touched, joined.bodies[joined.bodies[:, 1] >= 0], len(loads.rigid.shapes))
        ends = np.where(body >= 0, clusters.place[body], -1)
        order = np.argsort(ends[:, 0], kind="stable")
        count = len(kinds[0].row)
        self.ends = ends[order]
        self._single, self._tied, self._between = (
            np.flatnonzero((order >= first) & (order < last))
            for first, last in ((0, count), (count, len(row)), (len(row), len(order)))
        )
        self._own = np.flatnonzero(order < len(row))
        self._row = np.concatenate([row, joined.row])[order]
        self.first = np.searchsorted(clusters.cluster[self.ends[:, 0]], np.arange(len(clusters.first)))
        none = np.zeros((len(joined.row), CORNERS))
        self.corners = np.concatenate([corners, none])[order].astype(np.int32)
        self.weights = np.ascontiguousarray(np.concatenate([weights, none])[order], float)
        self.mu = np.concatenate([mu, joined.rows.friction])[order]
        self.normal = np.ascontiguousarray(np.concatenate([normal, joined.rows.normal])[order], float)
        side = np.where(np.append(loads.rigid.held, True)[body][:, :, None], 0.0, side)[order]
        gap, drift = (np.concatenate(both)[order] for both in ((gap, joined.gap), (drift, joined.rows.drift)))
        self._last = np.concatenate([last, none])[order][:, 1:]
        self.rows = np.zeros((len(order), SPRING.width))
        self.rows[:, SPRING.normal : SPRING.stiffness] = np.concatenate(
            [self.normal, gap[:, None], drift, side.reshape(-1, 8)], 1
        )
        self._of_bodies = joined.stiffness
        self._reach = clusters.reach(self.ends)
        self._stiffness, self._load = loads.stiffness[clusters.bodies], loads.load[clusters.bodies].ravel()
        self.twist = np.linalg.solve(self._stiffness, self._load.reshape(-1, TWIST, 1)).ravel()
        self.normal_stiffness, self.friction_stiffness, self._expected = np.zeros((3, len(order)))
        self._factors = np.zeros(clusters.begins[-1])
        self._has_factors = False
        self._places, _ = pattern.blocks(self.corners)

    def pushed_rows(self) -> Array:
        """Rows of the matrix that the springs may push, (n,) bool."""
        pushed = np.zeros(self._vertices, bool)
        pushed[self.corners[self.weights != 0]] = True
        return pushed

    def choose_first(self, predicted: Array, traces: Array) -> None:
        """Choose the springs that push at the prediction, (n, 3) [m]: all friction sticks. traces: see
        `ContactSprings.choose`."""
        stiffness, bound, point = self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound], self._point(predicted)
        stiffness[:] = STIFFNESS_WITH_BODIES * (traces[self.corners] * np.abs(self.weights)).sum(1)
        stiffness[self._between] = self._of_bodies
        tied, direct = self._tied, self._own
        # Far stiffer than the inertia of their bodies, as of planks below ropes, conjugate gradients do not end.
        stiffness[direct] = np.minimum(stiffness[direct], STIFFNESS_OF_RIGID_CONTACTS * self._inertia_of_bodies(direct))
        self.rows[tied, SPRING.drift : SPRING.side] += self._last[tied] / stiffness[tied, None]
        gap, slip = self._gap_and_slip(point)
        self._expected = slip
        bound[:] = np.where((gap < 0) & (self.mu > 0), STICKS, 0.0)
        self._choose(gap, slip)

    def choose(self, move: Array, ahead: Array, traces: Array, goes_on: Array) -> None:
        """Choose the springs that push at a solution, not ahead of it. Others: see `ContactSprings.choose`.

        At a first solution, by the force required to hold them, contacts slide as much of the way that they would have
        slid.
        """
        stiffness, bound, point = self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound], self._point(move)
        self._settle(point)
        gap, slip = self._gap_and_slip(point)
        hold = np.where(bound == STICKS, stiffness * slip, 0.0)
        bound[:] = self.mu * np.maximum(-stiffness * gap, 0.0)
        share = np.where(hold > bound, 1 - bound / np.maximum(hold, LEAST_SLIP), 0.0)
        self._settle(point)
        gap, slip = self._gap_and_slip(point)
        self._choose(gap, np.maximum(slip, share * self._expected))

    def _choose(self, gap: Array, slid: Array) -> None:
        """Choose the stiffnesses by the gaps and the slips [m], (c,), within the bounds of friction."""
        stiffness, bound = self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound]
        friction = np.minimum(stiffness, bound / np.maximum(slid, LEAST_SLIP)) * (bound > 0)
        self._take(np.where(gap < 0, stiffness, 0.0), friction)

    def _take(self, normal: Array, friction: Array) -> None:
        """Stiffnesses as chosen, (c,) [N/m]."""
        self.normal_stiffness, self.friction_stiffness, self._has_factors = normal, friction, False

    def add_to(self, values: Array) -> None:
        """Add the springs as chosen to the matrix, with the bodies at rest. Written: values."""
        add_contacts(self.weights, self.normal, self.normal_stiffness, self.friction_stiffness, self._places, values)

    def potential(self, move: Array) -> Array:
        """Move the bodies to equilibrium at a motion of the sheet, (n, 3) [m]; the potential of bodies and springs
        there [J], (1,): what rigid bodies push is one group."""
        return np.array([self._settle(self._point(move))])

    def _settle(self, point: Array) -> float:
        springs = self.clusters.first, self.first, self.rows, self.ends, point
        return settle(*springs, self._reach, self._stiffness, self._load, self.twist)

    def add_forces(self, moved: Array, force: Array) -> None:
        """Add the forces of the springs as chosen, with the bodies where these balance, at a motion (n, 3) [m]."""
        point = self._point(moved)
        push, _ = self._forces(point)
        follow(self.clusters.first, self.clusters.begins, self._factorised(), self._reach, push, self.twist)
        add_pulls(self.corners, self.weights, self._forces(point)[1], force)

    def eliminated(self, dtype: np.dtype) -> Eliminated:
        """Return the part of the matrix that the motion of the bodies eliminates."""
        clusters, chosen = self.clusters, (self.normal_stiffness, self.friction_stiffness)
        springs = clusters.first, self.first, clusters.touched, self.rows, self.ends, self.corners, self.weights
        first, rows, couplings = couplings_of(self._vertices, *springs, clusters.begins, self._factorised(), *chosen)
        return Eliminated(self._vertices, first, rows, couplings, dtype)

    def store_forces(self, move: Array, taken_up: Array | None = None) -> Array:
        """Give the bodies the forces of their springs at a motion, (n, 3) [m]; return their force on the sheet [N], (3,).

        taken_up: of a sheet that nothing else holds, their force on it by its momentum [N], (3,); else
        None. A spring is so stiff that a gap of a tenth of a millimetre, left by systems, ejects a light sheet at
        50 m/s: all of them push by so much less that their sum is no more than that, as far as they push one way. Momentum
        does not determine forces that cancel, as around a wrapped body.
        """
        point, stiffness, bound = self._point(move), self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound]
        for _ in range(BOUNDS):
            self._settle(point)
            gap, _ = self._gap_and_slip(point)
            bound[:] = self.mu * np.maximum(-stiffness * gap, 0.0)
        self._settle(point)
        gap, slip = self._gap_and_slip(point)
        friction = np.minimum(stiffness, bound / np.maximum(slip, LEAST_SLIP)) * (bound > 0)
        self._take(np.where(gap < 0, stiffness, 0.0), friction)
        push, pull = self._forces(point)
        if taken_up is not None:
            sum_of_all, each = self._on_sheet(pull), float((np.abs(self.weights).sum(1) * _length(pull)).sum())
            excess = sum_of_all @ (sum_of_all - taken_up) / max(each * each, LEAST_PUSH)
            share = np.ones(len(gap))
            share[self._own] -= np.clip(excess, 0.0, 1.0)
            self._take(share * self.normal_stiffness, share * self.friction_stiffness)
            push, pull = self._forces(point)
        bodies = self.clusters.bodies
        held = own_blocks(self.rows, self.ends, self.normal_stiffness, self.friction_stiffness, self._stiffness)
        moved = np.einsum("mab,mb->ma", held, self.twist.reshape(-1, TWIST))
        self._loads.stiffness[bodies], self._loads.load[bodies] = held, moved + push.reshape(-1, TWIST)
        missing, single, tied, between = np.maximum(-gap, 0.0), self._single, self._tied, self._between
        open_by = (self._last[tied] - pull[tied]) / stiffness[tied, None]
        self._ties.push_bodies(self._row[tied], pull[tied], open_by)
        self._contacts.push_bodies(self._row[single], pull[single], missing[single])
        along = (pull[between] * self.normal[between]).sum(1)[:, None]
        forces = np.concatenate([along, pull[between] - along * self.normal[between]], 1)
        self._contacts.set_forces(self._row[between], forces, missing[between])
        return self._on_sheet(pull)

    def _inertia_of_bodies(self, which: Array) -> Array:
        """The force that moves the point of each spring's body by a metre, in the direction of the least [N/m], (k,)."""
        body = self.ends[which, 0]
        slope = _sides(self.rows[which, SPRING.side : SPRING.other])
        compliance = slope @ np.linalg.solve(self._stiffness[body], slope.transpose(0, 2, 1))
        return 1 / np.maximum(np.linalg.eigvalsh(compliance)[:, -1], LEAST_PUSH)

    def _on_sheet(self, pull: Array) -> Array:
        """The sum of the forces on the sheet [N], (3,). pull: of each spring, (c, 3)."""
        return (self.weights.sum(1)[:, None] * pull).sum(0)

    def _point(self, move: Array) -> Array:
        """The motion of the sheet's points [m], (c, 3)."""
        point = np.empty((len(self.rows), 3))
        points_of(self.corners, self.weights, move, point)
        return point

    def _gap_and_slip(self, point: Array) -> tuple[Array, Array]:
        """The gap over the target, and the length of the slip, of each contact [m], (c,). point: see `_point`."""
        gap, slip = np.empty((2, len(self.rows)))
        gaps_and_slips(self.rows, self.ends, point, self.twist, np.empty((2, 3)), gap, slip)
        return gap, slip

    def _forces(self, point: Array) -> tuple[Array, Array]:
        """Return, of the springs as chosen, the residual of the forces on the bodies (6 m,), and the forces on the sheet's
        points [N], (c, 3)."""
        push, pull = np.empty(len(self.twist)), np.empty((len(self.rows), 3))
        chosen = self.normal_stiffness, self.friction_stiffness, self._stiffness, self._load
        pulls(self.rows, self.ends, point, self.twist, *chosen, np.empty((2, 3)), push, pull)
        return push, pull

    def _factorised(self) -> Array:
        """The factors of the clusters' matrices with the springs as chosen."""
        if not self._has_factors:
            clusters, chosen = self.clusters, (self.normal_stiffness, self.friction_stiffness)
            springs = clusters.first, self.first, self.rows, self.ends, self._reach, self._stiffness
            factorise_clusters(*springs, *chosen, clusters.begins, self._factors)
            self._has_factors = True
        return self._factors


class _Joined:
    """The contacts of bodies with each other, colliders and planes that join a system, after their warm start has been taken
    back; none of bodies that another system has had in this substep.

    row: which, (k,). rows: see `LinearRows`. bodies: -1 for none, the second, (k, 2). sides: `COUPLED_SIDE` of both, (k, 2,
    4). stiffness [N/m]: (k,). gap: from which they begin to push [m], (k,). Written: loads.
    """

    def __init__(self, contacts: CoupledContacts, touched: Array, loads: BodyLoads) -> None:
        fresh = touched[~loads.has_springs[touched]]
        row = joined_contacts(contacts, fresh, loads.rigid, ~loads.has_springs)
        bodies, sides = contacts.sides(row)
        bodies = np.where(np.append(loads.rigid.held, True)[bodies], -1, bodies)
        swap = bodies[:, 0] < 0
        bodies[swap], sides[swap] = bodies[swap, ::-1], sides[swap, ::-1]
        self.row, self.bodies, self.sides, self.rows = row, bodies, sides, contacts.rows(row)
        self.stiffness = STIFFNESS_OF_RIGID_CONTACTS * contacts.effective_masses(row)
        begun = contacts.take_back(row)
        for end in range(2):
            some = np.flatnonzero(bodies[:, end] >= 0)
            pull = begun[some, None] * self.rows.normal[some]
            np.add.at(loads.load, bodies[some, end], -np.einsum("cia,ci->ca", _sides(sides[some, end]), pull))
        self.gap = self.rows.gap - begun / self.stiffness
        loads.has_springs[bodies[bodies >= 0]] = True


def body_springs_of(
    contact, rank: Array, free: Array, pattern: Pattern, groups: Groups, loads: BodyLoads
) -> BodySprings | None:
    """The contacts of some sheets with rigid bodies in this substep, and their ties to these; None for none. The others as
    `contact_springs_of`."""
    sources = contact.forces.coupled_contacts(), contact.forces.tied_bodies()
    one, other = (contacts_from_outside(source, rank, free, pattern, groups) for source in sources)
    return BodySprings(*sources, (one, other), pattern, loads) if len(one.gap) + len(other.gap) else None


def _length(vectors: Array) -> Array:
    return np.sqrt((vectors * vectors).sum(1))


def _sides(side: Array) -> Array:
    """Return the Jacobian of each point by a twist, (c, 3, 6): weight times the displacement, and turn x arm. side:
    (c, 4)."""
    sides = np.zeros((len(side), 3, TWIST))
    weight, x, y, z = side.T
    sides[:, 0, 0] = sides[:, 1, 1] = sides[:, 2, 2] = weight
    sides[:, 0, 4], sides[:, 0, 5], sides[:, 1, 3] = z, -y, -z
    sides[:, 1, 5], sides[:, 2, 3], sides[:, 2, 4] = x, y, -x
    return sides
