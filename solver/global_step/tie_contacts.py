"""Ties between the bodies of one system, as contacts that stick in every direction.

A tie that sweeps alone would solve moves its vertices by themselves: in each substep a hem stops what hangs on it with the
mass of its own vertices, and is stretched by M / m g h^2, with the mass M that a vertex of the mass m carries. In the system
a tie is a spring from the vertex to its point on the other body. It has the tie's stiffness, up to a multiple of that of its
vertices, as contacts have; the rest of its force is that of the last substep. Sweeps continue from there.
"""

from __future__ import annotations

import numpy as np

from ..contact.constraints.tied_bodies import STICKS
from ..device.cpu import LANES
from ..energies import weak_constraint
from ..linalg.block_matrix import Pattern
from ..model.model import Model
from ..model.rigid_ties import RigidTies
from ..model.state import State
from ..steering import STIFFNESS_BELOW_BODIES
from .contact_kinds import ContactKind, on_same_side
from .groups import Groups
from .membrane import rows_of

Array = np.ndarray


class Ties:
    """The ties of a model that join ropes to ropes or to sheets.

    Those between sheets are left to the sweeps: a GPU, which simulates them too, sweeps all ties.

    pairs: numbers of the bodies that each joins, (k, 2). corners: vertices of the model, weights: of these in the gap, both
    (k, 4). Their forces are in the state's displacements, three numbers a tie.
    """

    def __init__(self, model: Model, body_of: Array, is_line: Array):
        """body_of: number of the body of each vertex of the model, -1 for none. is_line: which of these are ropes."""
        kinds = [(number, batch) for number, batch in enumerate(model.batches) if batch.energy is weak_constraint]
        corners, rest, number, place = [np.zeros((0, 4), np.int64)], [np.zeros((0, 4))], [], []
        for batch_number, batch in kinds:
            places = np.flatnonzero(batch.element >= 0)
            index = rows_of(batch.index, 4)[places]
            corners.append(np.where(index < model.n_vertices, index, index[:, :1]))  # a segment has no third corner
            rest.append(rows_of(batch.rest, 4)[places].astype(float))
            number += [batch_number] * len(places)
            place += places.tolist()
        all_corners, all_rest = np.concatenate(corners), np.concatenate(rest)
        bodies = body_of[all_corners]
        known = (bodies >= 0).all(1) & is_line[bodies].any(1)
        self.corners, rest_of = all_corners[known], all_rest[known]
        self._stiffness, self.weights = rest_of[:, 0], np.column_stack([np.ones(len(rest_of)), -rest_of[:, 1:]])
        self._number, self._place = np.array(number, np.int64)[known], np.array(place, np.int64)[known]
        self.pairs = np.unique(np.sort(body_of[self.corners[:, :2]], axis=1), axis=0)
        self._before = np.zeros((len(rest_of), 3))

    def begin(self, state: State) -> None:
        """Take the forces of the last substep, before the displacements of all elements begin anew."""
        for number in np.unique(self._number).tolist():
            mine = self._number == number
            self._before[mine] = rows_of(state.displacements[number], weak_constraint.STATE)[self._place[mine]]

    def within(self, rank: Array, free: Array, pattern: Pattern, groups: Groups, state: State) -> list[ContactKind]:
        """Make contacts of the ties of a system whose corners the system moves, or no force does. rank, free: see
        `contact_kinds`."""
        self._displacements = state.displacements
        places = rank[self.corners]
        is_moved = (places >= 0) & (self.weights != 0) & free[np.maximum(places, 0)]
        first = np.take_along_axis(places, is_moved.argmax(1)[:, None], 1)
        places = np.where(is_moved, places, first)
        fits = (is_moved | (self.weights == 0) | (state.x[self.corners, 3] == 0)).all(1) & is_moved.any(1)
        fits &= (groups.of_row[places] == groups.of_row[first]).all(1)
        is_between = (is_moved == (self.weights != 0)).all(1)
        kinds = [(np.flatnonzero(fits & is_between), True), (np.flatnonzero(fits & ~is_between), False)]
        return [self._kind(row, places[row], pattern, is_moved[row], between, state) for row, between in kinds if len(row)]

    def _kind(
        self, row: Array, places: Array, pattern: Pattern, is_moved: Array, is_between: bool, state: State
    ) -> ContactKind:
        corners, weights, count = self.corners[row], self.weights[row], len(row)
        start, end = (x[corners, :3].astype(float) for x in (state.x0, state.x))
        drift = -np.einsum("ca,cai->ci", weights, np.where(is_moved[:, :, None], start, end))  # closes the gap
        gap, mu = (np.full(count, number) for number in STICKS)
        rows, of_moved = places.astype(np.int32), np.where(is_moved, weights, 0.0)
        blocks = np.where(on_same_side(of_moved), pattern.blocks(rows)[0], -1)
        last = np.column_stack([np.zeros(count), self._before[row]])
        return ContactKind(
            self, row, rows, of_moved, blocks, np.zeros((count, 3)), gap, drift, mu, last, STIFFNESS_BELOW_BODIES,
            is_between=is_between, most=self._stiffness[row],
        )  # fmt: skip

    def set_forces(self, which: Array, forces: Array) -> None:
        """Give ties the force of their springs on the vertex [N], the last three of (k, 4); sweeps continue from it."""
        for number in np.unique(self._number[which]).tolist():
            mine = self._number[which] == number
            pack, lane = np.divmod(self._place[which[mine]], LANES)
            numbers = self._displacements[number].reshape(-1, weak_constraint.STATE, LANES)
            numbers[pack, :, lane] = forces[mine, 1:]

    def settle(self, which: Array, missing: Array) -> None:
        """Do nothing: sweeps close the rest of the gap of a tie."""


def ties_of(model: Model, body_of: Array, is_line: Array) -> Ties | None:
    """Return the ties that `Ties` finds; None for none."""
    if not model.scene.ties or not is_line.any():
        return None
    ties = Ties(model, body_of, is_line)
    return ties if len(ties.pairs) else None


def tied_to_one_body(ties: RigidTies, body_of: Array) -> Array:
    """Return pairs of bodies that are tied to one rigid body, (k, 2): it moves with both, so they are one system.

    body_of: number of the body of each vertex of the model, -1 for none."""
    moving = body_of[ties.corners[:, 0]]
    known = np.unique(np.stack([ties.body, moving], 1)[moving >= 0], axis=0)
    same = known[1:, 0] == known[:-1, 0]
    return np.stack([known[:-1, 1], known[1:, 1]], 1)[same]
