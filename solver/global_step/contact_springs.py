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

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..device.cpu import element, kernel
from ..linalg.block_matrix import Pattern
from ..mathlib.vec3 import dot
from ..model.state import State
from ..steering import STIFFNESS_BELOW_BODIES, STUCK, WARM_START_SHARE
from .contact_kinds import (
    CORNERS,
    ContactKind,
    contacts_between,
    contacts_from_outside,
    contacts_with_soft_bodies,
)
from .contact_law import active_stiffness, spring_energy, spring_force
from .groups import TINY, Groups
from .soft_side import SoftSide
from .tie_contacts import Ties

Array = np.ndarray


class ContactSprings:
    """corners, weights, normal, gap, drift, mu: of all kinds, that of soft bodies last. normal_stiffness,
    friction_stiffness: along and across the normal [N/m], (c,). penalty: what normal_stiffness is where the contact pushes.
    places: of the blocks of all pairs of corners on the same side, else -1, (c, CORNERS^2). is_between: those of two sides
    of the system, (c,) bool. soft: the other side of those with soft bodies; fixed: how many have none. group: of each
    contact, (c,). there: groups that have contacts; with_fixed: those that have some with what no force moves; both
    (groups,) bool."""

    def __init__(self, kinds: list[ContactKind], pattern: Pattern, groups: Groups):
        self._kinds, self._groups = kinds, groups
        self.corners = np.concatenate([kind.corners for kind in kinds]).astype(np.int32)
        self.weights, self.normal, self.gap, self.drift, self.mu, self._warm_start, self._friction = (
            np.ascontiguousarray(np.concatenate([getattr(kind, name) for kind in kinds]), float)
            for name in ("weights", "normal", "gap", "drift", "mu", "warm_start", "friction")
        )
        self._friction -= (self._friction * self.normal).sum(1)[:, None] * self.normal
        self._sticks = np.linalg.norm(self._friction, axis=1) < STUCK * self.mu * self._warm_start
        self._drift = self.drift
        self._gap, self.soft = self.gap, kinds[-1].soft
        self.fixed = len(self.gap) - (0 if self.soft is None else len(kinds[-1].gap))
        counts = [len(kind.gap) for kind in kinds]
        self._stiffness, self.is_between = (
            np.repeat([getattr(k, name) for k in kinds], counts) for name in ("stiffness", "is_between")
        )
        self.group = groups.of_row[self.corners[:, 0]]
        from_outside = self.group[: self.fixed][~self.is_between[: self.fixed]]
        self.there, self.with_fixed = (np.bincount(some, minlength=groups.count) > 0 for some in (self.group, from_outside))
        #: Greatest stiffness of each [N/m]; None where none has one.
        self._most: Array | None = None
        if any(kind.most is not None for kind in kinds):
            self._most = np.concatenate([np.full(len(k.gap), np.inf) if k.most is None else k.most for k in kinds])
        self._is_pinched = np.zeros(len(self.gap), bool)  # between what no force moves and rigid bodies
        self.sizes = np.abs(self.weights)  # of the second element they are negative
        self.normal_stiffness, self.friction_stiffness, self.penalty = np.zeros((3, len(self.gap)))
        self._own: Array | None = None  # penalty without soft bodies, which a step does not change
        self._between = np.flatnonzero(self.is_between)
        same_side = (self.weights[:, :, None] * self.weights[:, None, :] > 0).reshape(len(self.gap), -1)
        self.places = np.where(same_side, pattern.blocks(self.corners)[0], -1)

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
        self._warm_start *= WARM_START_SHARE
        self._friction *= WARM_START_SHARE

    def choose(self, move: Array, ahead: Array, traces: Array, goes_on: Array) -> None:
        """Choose the contacts that push at a solution with these contacts or ahead of it, and how stiff they are, of groups
        that continue. A contact that pushes ahead only has no force yet, and so no friction.

        ahead: end of the last linear system's motion, or the solution, (n, 3) [m]. goes_on: (groups,) bool. traces: of the
        vertices' own blocks without contacts [N/m], (n,).
        """
        own = self._begin(traces) if self._own is None else self._own
        on, (penalty, _) = goes_on[self.group], self._behind_soft(own, own, move)
        self.penalty = np.where(on, penalty, self.penalty)
        c = (on, self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        choose_stiffness(*c, self.penalty, move, ahead, self.normal_stiffness, self.friction_stiffness)

    def choose_first(self, predicted: Array, as_before: Array, traces: Array, weight: Array, error: float) -> None:
        """As `choose`, of all groups, before the first solution: normal forces are those at the prediction, (n, 3) [m].
        Contacts slide as at the velocities of the start, as_before: the motion at these, (n, 3) [m]; those whose friction
        was within its bound and that go by less than an error of the step [m] stick. weight: M / h^2, (n,) [N/m]."""
        own, inertia = self._begin(traces), np.einsum("ca,ca->c", weight[self.corners], self.sizes)
        force = own * inertia / np.maximum(own + inertia, TINY)  # as `contact_law.behind_spring`
        self.penalty, force = self._behind_soft(own, force, predicted)
        c = (self.corners, self.weights, self.normal, self.gap, self.drift, self.mu)
        chosen = predicted, as_before, self.normal_stiffness, self.friction_stiffness
        choose_first_stiffness(*c, self._drift, self._sticks, error, self.penalty, force, *chosen)

    def _begin(self, traces: Array) -> Array:
        """Set the penalty of each contact, and what its gap and its slip count from with its force of the last substep;
        return the penalty, (c,) [N/m]."""
        self._own = own = self._stiffness * np.einsum("ca,ca->c", traces[self.corners], self.sizes)
        friction = self._friction
        if self._most is not None:  # as stiff as a tie is, it needs no force to start with
            self._own = own = np.minimum(own, self._most)
            friction = (1 - own / self._most)[:, None] * friction
        self.gap = self._gap - self._warm_start / np.maximum(own, TINY)
        self.drift = self._drift + friction / np.maximum(own, TINY)[:, None]
        return own

    def _behind_soft(self, penalty: Array, force: Array, move: Array) -> tuple[Array, Array]:
        """Return stiffnesses [N/m], (c,), with the compliance of the other side at a motion, (n, 3) [m], in series."""
        if self.soft is None:
            return penalty, force
        compliance = self._compliance(self.soft, move)
        return penalty / (1 + penalty * compliance), force / (1 + force * compliance)

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
        pushes, corners = self.weights * self._warm_start[:, None], self.corners.ravel()
        return np.stack([np.bincount(corners, (pushes * self.normal[:, i, None]).ravel(), n) for i in range(3)], 1)

    def add_forces(self, moved: Array, force: Array) -> None:
        c = (self.corners, self.weights, self.normal, self.gap, self.drift)
        add_forces(*c, self.normal_stiffness, self.friction_stiffness, moved, force)

    def potential(self, move: Array) -> Array:
        """Energy of the springs of each group [J], (groups,). move: (n, 3) [m]."""
        c, total = (self.corners, self.weights, self.normal, self.gap, self.drift), np.zeros(self._groups.count)
        contact_potential(self.group, *c, self.penalty, self.friction_stiffness, move, total)
        return total

    def _compliance(self, soft: SoftSide, move: Array) -> Array:
        """Return the compliance of the other side [m/N], (c,), with the mass shared by those that push at a motion, or
        did."""
        point = np.einsum("ca,cai->ci", self.weights, move[self.corners])
        pushes = (self._gap + (self.normal * point).sum(1) < 0) | (self._warm_start > 0)
        return np.concatenate([np.zeros(self.fixed), soft.compliance(pushes[self.fixed :])])

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
    contact, rank: Array, free: Array, pattern: Pattern, groups: Groups, state: State, is_soft: Array, ties: Ties | None
) -> ContactSprings | None:
    """Make the contacts and ties of some sheets in this substep that their system solves for; None for none.

    rank, free: see `contact_kinds`. groups: of the system. is_soft: vertices of soft bodies, (vertices of the model,) bool.
    Contacts with these, and between the sheets, begin anew: what the warm start has moved in the state is taken back.
    """
    kinds = [] if ties is None else ties.within(rank, free, groups, state)
    if contact is not None and not contact.idle:
        pairs, system = contact.forces.pair_contacts(), (rank, free)
        kinds.append(contacts_between(pairs, *system, groups, state))
        kinds += [contacts_from_outside(source, *system, pattern) for source in contact.forces.linear_contacts()]
        if is_soft.any():
            kinds.append(contacts_with_soft_bodies(pairs, *system, pattern, state, is_soft))
    kinds = [kind for kind in kinds if len(kind.gap)]
    return ContactSprings(kinds, pattern, groups) if kinds else None


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
def choose_stiffness(
    on, corners, weights, normal, gap, drift, mu, penalty, move, ahead, normal_stiffness, friction_stiffness
):
    """Choose the stiffnesses of contacts that are on, (c,) bool, for the motion, or else, without friction, for the one
    ahead, (n, 3) [m]. Written: both stiffnesses."""
    for c in range(len(corners)):
        if not on[c]:
            continue
        push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, move)
        bound = mu[c]
        if push >= 0.0:
            push, slip = gap_and_slip(c, corners, weights, normal, gap, drift, ahead)
            bound = 0.0
        normal_stiffness[c], friction_stiffness[c] = active_stiffness(push, slip, bound, penalty[c], penalty[c])


@kernel
def choose_first_stiffness(
    corners, weights, normal, gap, drift, mu, led, sticks, error, penalty, force, predicted, as_before,
    normal_stiffness, friction_stiffness,
):  # fmt: skip
    """See `ContactSprings.choose_first`. led: motion of the other side, drift: the same with the friction that a contact
    begins with [m], (c, 3). sticks: those whose friction was within its bound, (c,) bool. force: over violation [N/m], (c,).
    Written: both stiffnesses."""
    for c in range(len(corners)):
        push, _ = gap_and_slip(c, corners, weights, normal, gap, drift, predicted)
        _, slip = gap_and_slip(c, corners, weights, normal, gap, drift, as_before)
        _, motion = gap_and_slip(c, corners, weights, normal, gap, led, as_before)
        along, across = active_stiffness(push, slip, mu[c], penalty[c], force[c])
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
