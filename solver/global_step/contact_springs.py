"""Contact springs: contacts of sheets with what no force moves, with each other and with soft bodies, in the global step's
linear system.

A contact pushes with a penalty stiffness times its violation; friction is a spring back to where the other side goes, as
stiff as Coulomb's bound at the last estimate of the motion allows. A contact of a triangle or an edge joins its corners,
which the matrix has as neighbours already; one between two sheets, or two parts of one, joins two such sides, and how one
pushes the other stands beside the matrix (`contact_couplings`). Without it the step takes away what holds a rope of cloth
together, as if its layers were not there, and what contact puts back is stored anew in every substep. Of soft bodies
sheets feel the mass (`soft_side`): a contact that knows single vertices of a sheet, which are light, lets a heavy body drag
all of the sheet along, whose membrane or limit then stores many times the energy that the heavy one loses. Afterwards each
contact's force is set to that of its spring, from which its sweeps continue.

Springs push at once with their force of the last substep, normal force and friction, below rigid bodies with most of it:
of a sheet at rest few iterations then have little left to solve, and their residual does not tremble. A contact whose
friction was within its bound, and that goes no farther than an error of the step, sticks in the first system of the next
substep; the others slide as their vertices go at the start. From the slip of the prediction, which falls down a slope, all
would begin to slide, and few systems do not find back: reweighting approaches the bound by the ratio of friction to bound.
Source of the warm start: as multipliers of an augmented Lagrangian, Hestenes 1969, "Multiplier and gradient methods".
"""

from __future__ import annotations

import math

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..device.cpu import element, kernel
from ..device.uncounted import inline
from ..linalg.block_matrix import Pattern
from ..mathlib.vec3 import add_scaled, dot
from ..model.state import State
from ..steering import STIFFNESS_BELOW_BODIES, STUCK, WARM_START_SHARE
from .contact_kinds import (
    CORNERS,
    ContactKind,
    contacts_between,
    contacts_from_outside,
    contacts_with_soft_bodies,
)
from .contact_law import active_stiffness, behind_spring, in_series, spring_energy, spring_force
from .groups import TINY, Groups
from .tie_contacts import Ties

Array = np.ndarray


class ContactSprings:
    """corners, weights, normal, gap, drift, mu: of all kinds, that of soft bodies last. normal_stiffness,
    friction_stiffness: along and across the normal [N/m], (c,). penalty: what normal_stiffness is where the contact pushes.
    places: of the blocks of all pairs of corners on the same side, else -1, (c, CORNERS^2). is_between: those of two sides
    of the system, (c,) bool. soft: the other side of those with soft bodies; fixed: how many have none. group: of each
    contact, (c,). there: groups that have contacts; with_fixed: those that have some with what no force moves; both
    (groups,) bool."""

    def __init__(self, kinds: list[ContactKind], groups: Groups):
        self._kinds, self._groups = kinds, groups
        self.corners, self.places, self.weights, self.normal, self.gap, self.drift, self.mu, self._last = (
            np.concatenate([getattr(kind, name) for kind in kinds])
            for name in ("corners", "places", "weights", "normal", "gap", "drift", "mu", "last")
        )
        self._sticks = np.empty(len(self.gap), bool)
        find_stuck(self.normal, self.mu, self._last, self._sticks)
        self._drift, self._gap, self.soft = self.drift, self.gap, kinds[-1].soft
        self.fixed = len(self.gap) - (0 if self.soft is None else len(kinds[-1].gap))
        counts = [len(kind.gap) for kind in kinds]
        self._stiffness, self.is_between = (
            np.repeat([getattr(k, name) for k in kinds], counts) for name in ("stiffness", "is_between")
        )
        self.group = groups.of_row[self.corners[:, 0]]
        from_outside = self.group[: self.fixed][~self.is_between[: self.fixed]]
        self.there, self.with_fixed = (np.bincount(some, minlength=groups.count) > 0 for some in (self.group, from_outside))
        #: Greatest stiffness of each [N/m].
        self._most = np.concatenate([np.full(len(k.gap), np.inf) if k.most is None else k.most for k in kinds])
        self._is_pinched = np.zeros(len(self.gap), bool)  # between what no force moves and rigid bodies
        self.normal_stiffness, self.friction_stiffness, self.penalty = np.zeros((3, len(self.gap)))
        self._alone: Array | None = None  # penalty without soft bodies, which a step does not change
        self._between = np.flatnonzero(self.is_between)

    def of_stage(self, source: LinearContacts) -> Array:
        """Return which of the contacts of a stage exist, (k,)."""
        return np.concatenate([np.zeros(0, int), *(kind.row for kind in self._kinds if kind.source is source)])

    def stiffen(self, stiffness: float) -> None:
        """Make contacts but those with soft bodies so many times as stiff as the trace of their vertices' own blocks."""
        self._stiffness[: self.fixed] = stiffness

    def carry_bodies(self, is_pushed: Array) -> None:
        """Make contacts between sheets, and those of rigid bodies with surfaces that no force moves, as stiff as such a
        push requires, and start all with most of their force: with all of it they return velocity to bodies that land on the
        sheets.

        is_pushed: rows of the matrix that rigid bodies push, (n,) bool.
        """
        pushed = (is_pushed[self.corners] & (self.weights != 0)).any(1)
        pushed[self.fixed :] = False
        self._is_pinched = pushed & ~self.is_between
        self._stiffness[self._is_pinched | self.is_between] = STIFFNESS_BELOW_BODIES
        self._last *= WARM_START_SHARE

    def choose(self, move: Array, ahead: Array, traces: Array, goes_on: Array) -> None:
        """Choose the contacts that push at a solution with these contacts or ahead of it, and how stiff they are, of groups
        that continue. A contact that pushes ahead only has no force yet, and so no friction.

        ahead: end of the last linear system's motion, or the solution, (n, 3) [m]. goes_on: (groups,) bool. traces: of the
        vertices' own blocks without contacts [N/m], (n,).
        """
        penalty = self._begin(traces) if self._alone is None else self._alone
        c = (goes_on, self.group, self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        chosen = self.penalty, self.normal_stiffness, self.friction_stiffness
        choose_stiffness(*c, penalty, self._compliance(move), move, ahead, *chosen)

    def choose_first(self, predicted: Array, as_before: Array, traces: Array, weight: Array, error: float) -> None:
        """As `choose`, of all groups, before the first solution: normal forces are those at the prediction, (n, 3) [m].
        Contacts slide as at the velocities of the start, as_before: the motion at these, (n, 3) [m]; those whose friction
        was within its bound and that go by less than an error of the step [m] stick. weight: M / h^2, (n,) [N/m]."""
        penalty = self._begin(traces)
        c = (self.corners, self.weights, self.normal, self.gap, self.drift, self.mu, self._drift, self._sticks, error)
        chosen = self.penalty, self.normal_stiffness, self.friction_stiffness
        choose_first_stiffness(*c, penalty, self._compliance(predicted), weight, predicted, as_before, *chosen)

    def _begin(self, traces: Array) -> Array:
        """Set the penalty of each contact, and what its gap and its slip count from with its force of the last substep;
        return the penalty, (c,) [N/m]."""
        self._alone = penalty = np.empty(len(self._gap))
        self.gap, self.drift = np.empty_like(penalty), np.empty_like(self._drift)
        c = (self.corners, self.weights, self._gap, self._drift, self._last)
        begin_springs(*c, self._stiffness, self._most, traces, penalty, self.gap, self.drift)
        return penalty

    def add_to(self, values: Array) -> None:
        """Add the contacts as chosen to the matrix, but for how one side pushes the other (`couplings`)."""
        add_contacts(self.weights, self.normal, self.normal_stiffness, self.friction_stiffness, self.places, values)

    def couplings(self, dtype: np.dtype) -> tuple[Array, ...]:
        """Return the couplings of the sheet's contacts with itself that push, see `contact_couplings`."""
        on = self._between[self.normal_stiffness[self._between] > 0]
        stiffness = np.stack([self.normal_stiffness[on], self.friction_stiffness[on]], 1)
        return self.corners[on], *(a.astype(dtype) for a in (self.weights[on], self.normal[on], stiffness))

    def warm_start_forces(self, n: int) -> Array:
        """Return the forces that contacts begin with at each row of the system [N], (n, 3)."""
        pushes, corners = self.weights * self._last[:, :1], self.corners.ravel()
        return np.stack([np.bincount(corners, (pushes * self.normal[:, i, None]).ravel(), n) for i in range(3)], 1)

    def add_forces(self, moved: Array, force: Array) -> None:
        c = (self.corners, self.weights, self.normal, self.gap, self.drift)
        add_forces(*c, self.normal_stiffness, self.friction_stiffness, moved, force)

    def beyond_bound(self, move: Array, least: float) -> Array:
        """Sum of the friction beyond Coulomb's bound at a motion, (n, 3) [m], on each group [N], (groups,); 0 where it is
        no more than a share `least` of the sum of all bounds."""
        c = (self.group, self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        sums = np.zeros((self._groups.count, 4))
        sum_beyond_bound(*c, self.normal_stiffness, self.friction_stiffness, move, sums)
        beyond = np.linalg.norm(sums[:, :3], axis=1)
        return np.where(beyond > least * sums[:, 3], beyond, 0.0)

    def potential(self, move: Array) -> Array:
        """Energy of the springs of each group [J], (groups,). move: (n, 3) [m]."""
        c, total = (self.corners, self.weights, self.normal, self.gap, self.drift), np.zeros(self._groups.count)
        contact_potential(self.group, *c, self.penalty, self.friction_stiffness, move, total)
        return total

    def _compliance(self, move: Array) -> Array:
        """Return the compliance of the other side [m/N], (c,), 0 but for soft bodies, whose mass those share that push at a
        motion, (n, 3) [m], or did."""
        compliance = np.zeros(len(self._gap))
        if self.soft is not None:
            point = np.einsum("ca,cai->ci", self.weights, move[self.corners])
            pushes = (self._gap + (self.normal * point).sum(1) < 0) | (self._last[:, 0] > 0)
            compliance[self.fixed :] = self.soft.compliance(pushes[self.fixed :])
        return compliance

    def store_forces(self, move: Array) -> Array:
        """Write the springs' forces at a motion, (n, 3) [m], as the contacts' forces, and move soft bodies by them.
        Returns what these push each group with [N], (groups, 3).

        A vertex between a rigid body and what no force moves has next to no mass: sweeps of single contacts, of which the
        body's hold no friction, would bring it to rest on the other side. So its contacts count as met."""
        forces = np.zeros((len(self.normal_stiffness), 4))
        c = (self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        spring_forces(*c, self.normal_stiffness, self.friction_stiffness, move, forces)
        first = 0
        for kind in self._kinds:
            kind.source.set_forces(kind.row, forces[first : first + len(kind.gap)])
            pinched = first + np.flatnonzero(self._is_pinched[first : first + len(kind.gap)])
            if len(pinched):
                point = np.einsum("ca,cai->ci", self.weights[pinched], move[self.corners[pinched]])
                gap = self._gap[pinched] + (self.normal[pinched] * point).sum(1)
                kind.source.settle(kind.row[pinched - first], np.maximum(-gap, 0.0))
            first += len(kind.gap)
        pushed = np.zeros((self._groups.count, 3))
        if self.soft is None:
            return pushed
        of_soft = slice(self.fixed, None)
        pull = forces[of_soft, :1] * self.normal[of_soft] + forces[of_soft, 1:]
        self.soft.push(pull)
        np.add.at(pushed, self.group[of_soft], self.weights[of_soft].sum(1)[:, None] * pull)
        return pushed


def contact_springs_of(
    contact, rank: Array, free: Array, pattern: Pattern, groups: Groups, state: State, is_soft: Array,
    ties: Ties | None = None,
) -> ContactSprings | None:  # fmt: skip
    """Make the contacts and ties of some sheets in this substep that their system solves for; None for none.

    rank, free: see `contact_kinds`. groups: of the system. is_soft: vertices of soft bodies, (vertices of the model,) bool.
    Contacts with these, and between the sheets, begin anew: what the warm start has moved in the state is taken back.
    """
    kinds = [] if ties is None else ties.within(rank, free, pattern, groups, state)
    if contact is not None and not contact.idle:
        pairs, system = contact.forces.pair_contacts(), (rank, free, pattern)
        kinds.append(contacts_between(pairs, *system, groups, state))
        kinds += [contacts_from_outside(source, *system, groups) for source in contact.forces.linear_contacts()]
        if is_soft.any():
            kinds.append(contacts_with_soft_bodies(pairs, *system, state, is_soft))
    kinds = [kind for kind in kinds if len(kind.gap)]
    return ContactSprings(kinds, groups) if kinds else None


@element
def gap_and_slip(c, corners, weights, normal, gap, drift, move):
    """A contact's gap [m], below zero where it pushes, and its slip, the tangential motion over the other side (3) [m]."""
    d = (0.0, 0.0, 0.0)
    for a in range(CORNERS):
        w = weights[c, a]
        v = corners[c, a]
        d = (d[0] + w * move[v, 0], d[1] + w * move[v, 1], d[2] + w * move[v, 2])
    n = (normal[c, 0], normal[c, 1], normal[c, 2])
    over = (d[0] - drift[c, 0], d[1] - drift[c, 1], d[2] - drift[c, 2])
    along = n[0] * over[0] + n[1] * over[1] + n[2] * over[2]
    push = gap[c] + n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
    return push, (over[0] - along * n[0], over[1] - along * n[1], over[2] - along * n[2])


@kernel
def find_stuck(normal, mu, last, sticks):
    """Project the friction of contacts across their normals, and find those whose friction is within its bound. Written:
    last, sticks (c,) bool. Others: see `ContactKind`."""
    for c in range(len(mu)):
        n, friction = _three(normal, c, 0), _three(last, c, 1)
        across = add_scaled(friction, -dot(friction, n), n)
        last[c, 1], last[c, 2], last[c, 3] = across
        sticks[c] = math.sqrt(dot(across, across)) < STUCK * mu[c] * last[c, 0]


@kernel
def begin_springs(corners, weights, gap, drift, last, stiffness, most, traces, alone, shifted_gap, shifted_drift):
    """See `ContactSprings._begin`. As stiff as it may be, a contact needs no friction to start with. Written: alone,
    shifted_gap (c,) [m], shifted_drift (c, 3) [m]."""
    for c in range(len(corners)):
        alone[c] = min(stiffness[c] * _weighted(traces, corners, weights, c), most[c])
        least, share = max(alone[c], TINY), 1.0 - alone[c] / most[c]
        shifted_gap[c] = gap[c] - last[c, 0] / least
        for i in range(3):
            shifted_drift[c, i] = drift[c, i] + share * last[c, 1 + i] / least


@inline
def _weighted(of_rows, corners, weights, c):
    """Sum over a contact's corners, by the size of their weights."""
    total = 0.0
    for a in range(CORNERS):
        total += of_rows[corners[c, a]] * abs(weights[c, a])
    return total


@inline
def _three(columns, c, first):
    return (columns[c, first], columns[c, first + 1], columns[c, first + 2])


@kernel
def choose_stiffness(
    goes_on, group, corners, weights, normal, gap, drift, mu, alone, compliance, move, ahead,
    penalty, normal_stiffness, friction_stiffness,
):  # fmt: skip
    """Choose the stiffnesses of contacts of groups that continue for the motion, or else, without friction, for the one
    ahead, (n, 3) [m]. alone: penalty without the compliance of the other side. Written: the three stiffnesses."""
    for c in range(len(corners)):
        if not goes_on[group[c]]:
            continue
        penalty[c] = in_series(alone[c], compliance[c])
        push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, move)
        bound = mu[c]
        if push >= 0.0:
            push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, ahead)
            bound = 0.0
        normal_stiffness[c], friction_stiffness[c] = active_stiffness(push, slip, bound, penalty[c], penalty[c])


@kernel
def choose_first_stiffness(
    corners, weights, normal, gap, drift, mu, led, sticks, error, alone, compliance, inertia, predicted, as_before,
    penalty, normal_stiffness, friction_stiffness,
):  # fmt: skip
    """See `ContactSprings.choose_first`. led: motion of the other side, drift: the same with the friction that a contact
    begins with [m], (c, 3). sticks: those whose friction was within its bound, (c,) bool. alone: penalty without the
    compliance of the other side, (c,). inertia: M / h^2 [N/m], (n,). Written: the three stiffnesses."""
    for c in range(len(corners)):
        penalty[c] = in_series(alone[c], compliance[c])
        force = in_series(behind_spring(_weighted(inertia, corners, weights, c), alone[c]), compliance[c])
        push, _ = gap_and_slip(c, corners, weights, normal, gap, drift, predicted)
        _, slip = gap_and_slip(c, corners, weights, normal, gap, drift, as_before)
        _, motion = gap_and_slip(c, corners, weights, normal, gap, led, as_before)
        along, across = active_stiffness(push, slip, mu[c], penalty[c], force)
        if sticks[c] and dot(motion, motion) < error * error:
            across = along
        normal_stiffness[c], friction_stiffness[c] = along, across


@kernel
def add_contacts(weights, normal, normal_stiffness, friction_stiffness, places, values):
    """values += (normal_stiffness n n^T + friction_stiffness (1 - n n^T)) for all pairs of corners that have a place."""
    for c in range(len(weights)):
        if normal_stiffness[c] == 0:
            continue
        for a in range(CORNERS):
            for b in range(CORNERS):
                both = weights[c, a] * weights[c, b]
                at = places[c, CORNERS * a + b]
                if at < 0:
                    continue
                more = both * (normal_stiffness[c] - friction_stiffness[c])
                for i in range(3):
                    for j in range(3):
                        number = more * normal[c, i] * normal[c, j]
                        if i == j:
                            number += both * friction_stiffness[c]
                        values[at, 3 * i + j] += number


@kernel
def add_forces(corners, weights, normal, gap, drift, normal_stiffness, friction_stiffness, moved, force):
    """Add the contacts' forces [N] with their stiffness as chosen, at a motion (n, 3) [m]."""
    for c in range(len(corners)):
        if normal_stiffness[c] == 0:
            continue
        push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, moved)
        for i in range(3):
            pull = normal_stiffness[c] * push * normal[c, i] + friction_stiffness[c] * slip[i]
            for a in range(CORNERS):
                force[corners[c, a], i] -= weights[c, a] * pull


@kernel
def sum_beyond_bound(
    group, corners, weights, normal, gap, drift, mu, normal_stiffness, friction_stiffness, move, sums
):  # fmt: skip
    """See `ContactSprings.beyond_bound`. Written: sums, of each group, and of its bounds in the last column, (groups, 4)
    [N]."""
    for c in range(len(corners)):
        if friction_stiffness[c] == 0:
            continue
        push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, move)
        bound = mu[c] * normal_stiffness[c] * max(-push, 0.0)
        beyond = max(friction_stiffness[c] - bound / max(math.sqrt(dot(slip, slip)), TINY), 0.0)
        weight = 0.0
        for a in range(CORNERS):
            weight += weights[c, a]
        sums[group[c], 3] += bound
        for i in range(3):
            sums[group[c], i] += weight * beyond * slip[i]


@kernel
def contact_potential(group, corners, weights, normal, gap, drift, penalty, friction_stiffness, move, total):
    """Add the energy of the springs [J] by `contact_law.spring_energy`, whatever was chosen, to that of their groups,
    (groups,)."""
    for c in range(len(corners)):
        push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, move)
        total[group[c]] += spring_energy(push, slip, penalty[c], friction_stiffness[c])


@kernel
def spring_forces(corners, weights, normal, gap, drift, mu, normal_stiffness, friction_stiffness, move, forces):
    """forces: of each contact's push and, three numbers, of its friction [N], (c, 4)."""
    for c in range(len(corners)):
        if normal_stiffness[c] == 0:
            continue
        push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, move)
        force, friction = spring_force(push, slip, mu[c], normal_stiffness[c], friction_stiffness[c])
        forces[c, 0], forces[c, 1], forces[c, 2], forces[c, 3] = force, friction[0], friction[1], friction[2]
