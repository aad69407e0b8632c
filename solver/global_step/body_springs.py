"""Body springs: the contacts of one sheet with rigid bodies, in the global step's linear system.

A contact is a spring between a point of the sheet and a point of a rigid body, which pushes along its normal and holds
across it up to Coulomb's bound. The six unknowns of a body, its twist, are eliminated: at each motion of the sheet the body
is where its inertia and its springs balance. So a body that hits a sheet feels it as a whole, the sheet feels all of the
body, and what one of them gets of momentum the other has lost. Afterwards bodies have the forces of their springs, and
sweeps push only more: what is left of the gap counts as met.
Source of the friction: Li et al. 2020, "Incremental Potential Contact" (lagged bound; here the force stays at it).
"""

from __future__ import annotations

import numpy as np

from ..contact.constraints.coupled import CoupledContacts
from ..device.cpu import kernel
from ..device.layout import layout
from ..linalg.block_matrix import Pattern
from ..linalg.eliminated import Eliminated
from ..model.rigid_motion import RigidMotion
from ..steering import HALVINGS, MOST_PASSES, ROUNDING, STIFFNESS_WITH_BODIES
from .contact_kinds import CORNERS, contacts_from_outside
from .contact_springs import add_contacts

Array = np.ndarray

#: [N] Bound of the friction of what is taken to stick; and [m] least slip.
STICKS, LEAST_SLIP = 1e30, 1e-12
#: [N^2] Less force, squared, is none.
LEAST_PUSH = 1e-30
#: Times that the bound follows the force at the end.
BOUNDS = 3
#: Numbers of a twist.
TWIST = 6

#: A spring: normal, gap at the start over the target [m], motion of the body's point before its twist [m], how the twist
#: moves that point (`COUPLED_SIDE`), stiffness [N/m], bound of the friction [N].
SPRING = layout(normal=3, gap=1, drift=3, side=4, stiffness=1, bound=1)


class BodyLoads:
    """What holds each rigid body in the global step, as a potential 1/2 q K q - f q of its twist q.

    stiffness K: (b, 6, 6), of the inertia, and of the springs of the sheets that are solved already. load f: (b, 6), of
    these, and what contacts between rigid bodies begin with. rigid: the bodies; those that sleep do not move.
    """

    def __init__(self, rigid: RigidMotion) -> None:
        count, awake = len(rigid.shapes), np.flatnonzero(~rigid.held)
        self.rigid = rigid
        self.stiffness, self.load = np.tile(np.eye(TWIST), (count, 1, 1)), np.zeros((count, TWIST))
        self.stiffness[awake, :3, :3] = (rigid.mass[awake] / rigid.h**2)[:, None, None] * np.eye(3)
        self.stiffness[awake, 3:, 3:] = np.linalg.inv(rigid.swing[awake].astype(float))
        self.load[awake] = np.einsum("bij,bj->bi", self.stiffness[awake], rigid.twist[awake].astype(float))


class BodySprings:
    """The springs of one sheet in a substep, ordered by body.

    corners, weights: (c, CORNERS). rows: (c, SPRING.width). mu: (c,). bodies: (m,), number: which of these, (c,); first:
    their first springs, (m + 1,). twist: (m, 6). normal_stiffness, friction_stiffness: as chosen [N/m], (c,).
    """

    def __init__(self, contacts: CoupledContacts, kind, pattern: Pattern, loads: BodyLoads) -> None:
        """kind: the contacts of the sheet, a `ContactKind`."""
        body, side = contacts.sides(kind.row)
        order = np.argsort(body, kind="stable")
        self._contacts, self._row, self._loads, self._vertices = contacts, kind.row[order], loads, pattern.vertices
        self.bodies, self.number = np.unique(body[order], return_inverse=True)
        self.first = np.searchsorted(self.number, np.arange(len(self.bodies) + 1))
        self.corners, self.mu = kind.corners[order].astype(np.int32), kind.mu[order]
        self.weights, self.normal = (np.ascontiguousarray(a[order], float) for a in (kind.weights, kind.normal))
        self.rows = np.zeros((len(order), SPRING.width))
        side = np.where(loads.rigid.held[body[order], None], 0.0, side[order])
        self.rows[:, SPRING.normal : SPRING.stiffness] = np.concatenate(
            [self.normal, kind.gap[order, None], kind.drift[order], side], 1
        )
        self._sides = _sides(side)
        self._stiffness, self._load = loads.stiffness[self.bodies], loads.load[self.bodies]
        self.twist = np.linalg.solve(self._stiffness, self._load[:, :, None])[:, :, 0]
        self.normal_stiffness, self.friction_stiffness, self._expected = np.zeros((3, len(order)))
        self._places, _ = pattern.blocks(self.corners)

    def choose(self, move: Array, traces: Array, goes_on: Array, weight: Array | None = None) -> None:
        """Chooses the springs that push at an estimate of the motion. Others: see `ContactSprings.choose`.

        At the prediction all friction is taken to stick; at a first solution, by what it takes to hold them, contacts slide
        as much of the way that they would have slid.
        """
        stiffness, bound = self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound]
        if weight is not None:
            stiffness[:] = STIFFNESS_WITH_BODIES * (traces[self.corners] * np.abs(self.weights)).sum(1)
            gap, slip = self._gap_and_slip(self._point(move))
            slid = self._expected = _length(slip)
            bound[:] = np.where((gap < 0) & (self.mu > 0), STICKS, 0.0)
        else:
            self.potential(move)
            gap, slip = self._gap_and_slip(self._point(move))
            hold = np.where(bound == STICKS, stiffness * _length(slip), 0.0)
            bound[:] = self.mu * np.maximum(-stiffness * gap, 0.0)
            share = np.where(hold > bound, 1 - bound / np.maximum(hold, LEAST_SLIP), 0.0)
            self.potential(move)
            gap, slip = self._gap_and_slip(self._point(move))
            slid = np.maximum(_length(slip), share * self._expected)
        self.normal_stiffness[:] = np.where(gap < 0, stiffness, 0.0)
        self.friction_stiffness[:] = np.minimum(stiffness, bound / np.maximum(slid, LEAST_SLIP)) * (bound > 0)

    def add_to(self, values: Array) -> None:
        """Adds the springs as chosen to the matrix, with the bodies at rest. Written: values."""
        add_contacts(self.weights, self.normal, self.normal_stiffness, self.friction_stiffness, self._places, values)

    def potential(self, move: Array) -> Array:
        """Moves the bodies to where they balance at a motion of the sheet, (n, 3) [m]; the potential of bodies and springs
        there [J], (1,): what rigid bodies push is one group."""
        return np.array([settle(self.first, self.rows, self._point(move), self._stiffness, self._load, self.twist)])

    def add_forces(self, moved: Array, force: Array) -> None:
        """Adds the forces of the springs as chosen, with the bodies where these balance, at a motion (n, 3) [m]."""
        point = self._point(moved)
        matrix, push, _ = self._balance(point)
        self.twist = self.twist + np.linalg.solve(matrix, push[:, :, None])[:, :, 0]
        _, _, pull = self._balance(point)
        np.add.at(force, self.corners, self.weights[:, :, None] * pull[:, None])

    def eliminated(self, dtype: np.dtype) -> Eliminated:
        """What the motion of the bodies takes from the matrix."""
        matrix, _, _ = self._balance(np.zeros((len(self.number), 3)))
        inverse = np.linalg.inv(np.linalg.cholesky(matrix))[self.number]
        across = np.einsum("cij,cja,cba->cib", self._tensors(), self._sides, inverse)
        on, n = self.normal_stiffness > 0, self._vertices
        keys, place = np.unique(self.number[on, None] * n + self.corners[on], return_inverse=True)
        place = place.reshape(-1, CORNERS)
        couplings = np.zeros((len(keys), 3, TWIST))
        for a in range(CORNERS):
            np.add.at(couplings, place[:, a], self.weights[on, a, None, None] * across[on])
        body, rows = np.divmod(keys, n)
        first = np.searchsorted(body, np.append(np.unique(body), len(self.bodies)))
        return Eliminated(n, first, rows, couplings, dtype)

    def store_forces(self, move: Array, taken_up: Array | None = None) -> Array:
        """Gives the bodies the forces of their springs at a motion, (n, 3) [m]; returns what these push the sheet with [N],
        (3,).

        taken_up: of a sheet that nothing else holds, what its momentum says that they have pushed it with [N], (3,); else
        None. A spring is so stiff that a gap of a tenth of a millimetre, which systems have left, throws a light sheet at
        50 m/s: all of them push by so much less that their sum is no more than that, as far as they push one way. Of what
        cancels, as around a body that is wrapped, momentum says nothing.
        """
        point, stiffness, bound = self._point(move), self.rows[:, SPRING.stiffness], self.rows[:, SPRING.bound]
        for _ in range(BOUNDS):
            self.potential(move)
            gap, _ = self._gap_and_slip(point)
            bound[:] = self.mu * np.maximum(-stiffness * gap, 0.0)
        self.potential(move)
        gap, slip = self._gap_and_slip(point)
        self.normal_stiffness[:] = np.where(gap < 0, stiffness, 0.0)
        self.friction_stiffness[:] = np.minimum(stiffness, bound / np.maximum(_length(slip), LEAST_SLIP)) * (bound > 0)
        matrix, push, pull = self._balance(point)
        if taken_up is not None:
            sum_of_all, each = self._on_sheet(pull), float((np.abs(self.weights).sum(1) * _length(pull)).sum())
            excess = sum_of_all @ (sum_of_all - taken_up) / max(each * each, LEAST_PUSH)
            share = 1.0 - np.clip(excess, 0.0, 1.0)
            self.normal_stiffness *= share
            self.friction_stiffness *= share
            matrix, push, pull = self._balance(point)
        self._loads.stiffness[self.bodies] = matrix
        self._loads.load[self.bodies] = np.einsum("mab,mb->ma", matrix, self.twist) + push
        self._contacts.push_bodies(self._row, pull, np.maximum(-gap, 0.0))
        return self._on_sheet(pull)

    def _on_sheet(self, pull: Array) -> Array:
        """The sum of the forces on the sheet [N], (3,). pull: of each spring, (c, 3)."""
        return (self.weights.sum(1)[:, None] * pull).sum(0)

    def _point(self, move: Array) -> Array:
        return np.einsum("ca,cai->ci", self.weights, move[self.corners])

    def _gap_and_slip(self, point: Array) -> tuple[Array, Array]:
        """Of each contact, (c,) and (c, 3) [m]. point: motion of the sheet's points [m], (c, 3)."""
        d = point + np.einsum("cia,ca->ci", self._sides, self.twist[self.number])
        slip = d - self.rows[:, SPRING.drift : SPRING.drift + 3]
        gap = self.rows[:, SPRING.gap] + (self.normal * d).sum(1)
        return gap, slip - (slip * self.normal).sum(1)[:, None] * self.normal

    def _balance(self, point: Array) -> tuple[Array, Array, Array]:
        """Of the springs as chosen: second derivative by the twists (m, 6, 6), what is left of the forces on the bodies
        (m, 6), and the forces on the sheet's points [N], (c, 3)."""
        gap, slip = self._gap_and_slip(point)
        pull = -(self.normal_stiffness * gap)[:, None] * self.normal - self.friction_stiffness[:, None] * slip
        matrix, push = self._stiffness.copy(), self._load - np.einsum("mab,mb->ma", self._stiffness, self.twist)
        np.add.at(matrix, self.number, np.einsum("cia,cij,cjb->cab", self._sides, self._tensors(), self._sides))
        np.add.at(push, self.number, np.einsum("cia,ci->ca", self._sides, pull))
        return matrix, push, pull

    def _tensors(self) -> Array:
        """The stiffness of each spring as chosen, (c, 3, 3)."""
        n, across = self.normal, self.friction_stiffness[:, None, None]
        return (self.normal_stiffness[:, None, None] - across) * n[:, :, None] * n[:, None] + across * np.eye(3)


def body_springs_of(contact, rank: Array, free: Array, pattern: Pattern, loads: BodyLoads) -> BodySprings | None:
    """The contacts of some sheets with rigid bodies in this substep; None for none. The others as `contact_springs_of`."""
    contacts = contact.coupled_contacts()
    kind = contacts_from_outside(contacts, rank, free, pattern)
    return BodySprings(contacts, kind, pattern, loads) if len(kind.gap) else None


def _length(vectors: Array) -> Array:
    return np.sqrt((vectors * vectors).sum(1))


def _sides(side: Array) -> Array:
    """How a twist moves each point, (c, 3, 6): weight times the displacement, and turn x arm. side: (c, 4)."""
    sides = np.zeros((len(side), 3, TWIST))
    weight, x, y, z = side.T
    sides[:, 0, 0] = sides[:, 1, 1] = sides[:, 2, 2] = weight
    sides[:, 0, 4], sides[:, 0, 5], sides[:, 1, 3] = z, -y, -z
    sides[:, 1, 5], sides[:, 2, 3], sides[:, 2, 4] = x, y, -x
    return sides


@kernel
def settle(first, rows, point, stiffness, load, twist):
    """Moves each body to where the potential of its inertia and its springs is least, by Newton's method; returns the sum of
    the potentials [J].

    first: springs of each body, (m + 1,). rows: (c, SPRING.width). point: motion of the sheet's points [m], (c, 3).
    stiffness (m, 6, 6), load (m, 6): see `BodyLoads`. Written: twist (m, 6).
    """
    total = 0.0
    matrix, push, step, trial = np.empty((TWIST, TWIST)), np.empty(TWIST), np.empty(TWIST), np.empty(TWIST)
    for b in range(len(first) - 1):
        begin, end = first[b], first[b + 1]
        for i in range(TWIST):
            trial[i] = twist[b, i]
        energy = balance(begin, end, rows, point, stiffness[b], load[b], trial, matrix, push)
        for _ in range(MOST_PASSES):
            solve(matrix, push, step)
            expected = 0.0
            for i in range(TWIST):
                expected += push[i] * step[i]
            share, now = 1.0, energy
            for _ in range(HALVINGS):
                for i in range(TWIST):
                    trial[i] = twist[b, i] + share * step[i]
                now = balance(begin, end, rows, point, stiffness[b], load[b], trial, matrix, push)
                if now <= energy:
                    break
                share *= 0.5
            if now > energy:
                break
            for i in range(TWIST):
                twist[b, i] = trial[i]
            energy = now
            if expected <= ROUNDING * (abs(energy) + 1e-12):
                break
        total += energy
    return total


@kernel
def balance(begin, end, rows, point, stiffness, load, twist, matrix, push):
    """The potential of a body at a twist [J]. Written: matrix (6, 6), its second derivative; push (6,), its force."""
    total = 0.0
    for i in range(TWIST):
        push[i] = load[i]
        for j in range(TWIST):
            matrix[i, j] = stiffness[i, j]
            push[i] -= stiffness[i, j] * twist[j]
            total += 0.5 * twist[i] * stiffness[i, j] * twist[j]
        total -= load[i] * twist[i]
    d, n, s, f = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    tensor, side = np.empty((3, 3)), np.zeros((3, TWIST))
    for c in range(begin, end):
        r = rows[c]
        kappa, bound, weight = r[SPRING.stiffness], r[SPRING.bound], r[SPRING.side]
        x, y, z = r[SPRING.side + 1], r[SPRING.side + 2], r[SPRING.side + 3]
        side[0, 0], side[1, 1], side[2, 2] = weight, weight, weight
        side[0, 4], side[0, 5], side[1, 3], side[1, 5], side[2, 3], side[2, 4] = z, -y, -z, x, y, -x
        gap, along = r[SPRING.gap], 0.0
        for i in range(3):
            n[i] = r[SPRING.normal + i]
            d[i] = point[c, i]
            for j in range(TWIST):
                d[i] += side[i, j] * twist[j]
            gap += n[i] * d[i]
            s[i] = d[i] - r[SPRING.drift + i]
            along += n[i] * s[i]
        size = 0.0
        for i in range(3):
            s[i] -= along * n[i]
            size += s[i] * s[i]
        size = np.sqrt(size)
        normal = kappa if gap < 0 else 0.0
        total += 0.5 * normal * gap * gap
        across, turn = 0.0, 0.0
        if bound > 0:
            if kappa * size <= bound:
                across = kappa
                total += 0.5 * kappa * size * size
            else:
                across = bound / size
                turn = across / (size * size)
                total += bound * (size - 0.5 * bound / kappa)
        if normal == 0 and across == 0:
            continue
        for i in range(3):
            f[i] = -normal * gap * n[i] - across * s[i]
            for j in range(3):
                tensor[i, j] = (normal - across) * n[i] * n[j] - turn * s[i] * s[j]
            tensor[i, i] += across
        for a in range(TWIST):
            for i in range(3):
                push[a] += side[i, a] * f[i]
                for j in range(3):
                    for b in range(TWIST):
                        matrix[a, b] += side[i, a] * tensor[i, j] * side[j, b]
    return total


@kernel
def solve(a, b, x):
    """x = a^-1 b of a positive definite matrix, (6, 6), which is overwritten by its factor."""
    for i in range(TWIST):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = np.sqrt(total) if i == j else total / a[j, j]
    for i in range(TWIST):
        total = b[i]
        for k in range(i):
            total -= a[i, k] * x[k]
        x[i] = total / a[i, i]
    for r in range(TWIST):
        i = TWIST - 1 - r
        total = x[i]
        for k in range(i + 1, 6):
            total -= a[k, i] * x[k]
        x[i] = total / a[i, i]
