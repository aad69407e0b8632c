"""Errors of bodies in a frame's report, on a device: `report/error.py`.

The matrix is that of *Keep Length*, assembled at the result of the last substep and without contacts; energies that it
lacks, of soft pins and ties, add their diagonal blocks. Vertices with contact forces are clamped. Swept bodies get a matrix
for this.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...contact.gpu.pushed import PushedBy, is_pushed_by
from ...device.cpu import LANES, f32
from ...device.cuda.body import body
from ...device.cuda.device import Array, read_by_many
from ...device.cuda.element_tuples import (
    along_of,
    constants_of,
    mine_of,
    mine_of_three,
    own_of,
    places_of,
    rest_of,
    strains_of,
)
from ...device.cuda.element_tuples import vertices_of as corners_of
from ...device.cuda.primitives import sum_by_row
from ...device.cuda.turns import Step
from ...device.per_energy import GIVEN, per_energy
from ...device.uncounted import inline
from ...global_step.gpu.conjugate_gradients import Searching
from ...global_step.gpu.cycle import OMEGA
from ...global_step.gpu.matrix import Matrix, invert_own, times_inverse
from ...global_step.gpu.rows import GROUP, Adding
from ...global_step.gpu.system import System
from ...methods.gpu.gpbd_sweeps import Elements, Numbers, clear
from ...model.gpu.state_arrays import StateArrays
from ...steering import STAYS as STAYS_SHARE
from ..error import beside

CORNERS = GIVEN
hessian_times = GIVEN

ZERO, ONE = f32(0), f32(1)
STAYS = f32(STAYS_SHARE)


@read_by_many
class Left(NamedTuple):
    """Arguments of the residual. x, x0: as in `State`; at: see `System`; vertex, moves: of each row. groups: their records.
    left: residual force at x, (n + 4, 4) [N]. own_blocks: diagonal blocks outside the matrix, (n + 4, 6) [N/m]: 00, 01, 02,
    11, 12, 22. searching: initialised.
    """

    x: Array
    x0: Array
    at: Array
    vertex: Array
    moves: Array
    groups: Array
    matrix: Matrix
    left: Array
    pushed: PushedBy
    own_blocks: Array
    searching: Searching


class Blocks(NamedTuple):
    """blocks: of each corner, is written, (packs * 16 * corners, 6). axes: 3, as a number that compilers do not know, so
    that they make no copies of a second derivative."""

    elements: Elements
    axes: np.int32
    blocks: Array


@read_by_many
class ErrorArguments(NamedTuple):
    """Arguments of errors. vertex, moves: of each row; more: displacement that removes the residual, (n + 4, 4) [m]. adding:
    squares over sheets. errors: of each sheet, written, (sheets,) [m]."""

    vertex: Array
    moves: Array
    more: Array
    adding: Adding
    errors: Array


@body
def look(i, args):
    """Elements are to be linearised where a row is now."""
    v = args.vertex[i]
    if v >= 0:
        for k in range(3):
            args.at[v, k] = args.x[v, k] - args.x0[v, k]


@per_energy(body)
def keep_blocks(i, args):
    """Store the diagonal blocks of an element's second derivative."""
    e = args.elements
    pack = i // LANES
    lane = i % LANES
    at = places_of(e.x, corners_of(e.corners, pack, lane))
    r = rest_of(e.rest, pack, lane)
    k = constants_of(e.constants[e.material[pack]])
    old = strains_of(e.strains, pack, lane)
    for corner in range(CORNERS):
        corner_mask = mine_of(corner, ONE)
        out = i * CORNERS + corner
        for axis in range(args.axes):
            x, y, z = mine_of_three(axis, ONE)
            a = own_of(corner_mask, hessian_times(at, r, k, old, along_of(corner_mask, (x, y, z)), ZERO))
            if axis == 0:
                args.blocks[out, 0] = a[0]
                args.blocks[out, 1] = a[1]
                args.blocks[out, 2] = a[2]
            elif axis == 1:
                args.blocks[out, 3] = a[1]
                args.blocks[out, 4] = a[2]
            else:
                args.blocks[out, 5] = a[2]


@body
def hold(i, args):
    """Add the blocks outside the matrix to a row's diagonal block, and clamp it under contact forces."""
    m = args.matrix
    v = m.vertex[i]
    if v < 0:
        return
    slot = m.first[i // LANES]
    lane = i % LANES
    values, blocks = m.values, args.own_blocks
    values[slot, lane] += blocks[v, 0]
    values[slot, LANES + lane] += blocks[v, 1]
    values[slot, 2 * LANES + lane] += blocks[v, 2]
    values[slot, 3 * LANES + lane] += blocks[v, 1]
    values[slot, 4 * LANES + lane] += blocks[v, 3]
    values[slot, 5 * LANES + lane] += blocks[v, 4]
    values[slot, 6 * LANES + lane] += blocks[v, 2]
    values[slot, 7 * LANES + lane] += blocks[v, 4]
    values[slot, 8 * LANES + lane] += blocks[v, 5]
    if is_pushed_by(args.pushed, v):
        for k in range(3):
            values[slot, 4 * k * LANES + lane] *= STAYS
    invert_own(m, i)


@body
def begin(i, args):
    """Set the right-hand side: the residual force of a free row."""
    m, e = args.matrix, args.searching
    v = m.vertex[i]
    if v < 0:
        return
    free = not is_pushed_by(args.pushed, v)
    force = (
        -args.left[v, 0] if free else ZERO,
        -args.left[v, 1] if free else ZERO,
        -args.left[v, 2] if free else ZERO,
    )
    first = times_inverse(m.inverse, i, OMEGA, force)
    for k in range(3):
        e.r[v, k] = force[0] if k == 0 else force[1] if k == 1 else force[2]
        e.z[v, k] = first[k]
        e.p[v, k] = ZERO
        e.more[v, k] = ZERO


@body
def begin_groups(i, args):
    """Conjugate gradients of a group begin."""
    known = args.groups
    known[i, GROUP.solving] = ONE
    known[i, GROUP.left] = ZERO
    known[i, GROUP.begin] = ZERO
    known[i, GROUP.enough] = ZERO  # of a group a body may be that is far better off than others
    if i == 0:
        args.searching.go[0] = 1


@body
def measure(i, args):
    """Square the displacement of a row that removes the residual."""
    v = args.vertex[i]
    square = ZERO
    if v >= 0 and args.moves[i] > 0:
        for k in range(3):
            square += args.more[v, k] * args.more[v, k]
    args.adding.runs.values[0, i] = square


@body
def largest_of_runs(i, args):
    """The largest number of a run; no number where one is none."""
    r = args.adding.runs
    most = ZERO
    for k in range(r.start[i], r.end[i], r.step[i]):
        most = larger(most, r.values[0, k])
    r.out[0, i] = most


@body
def find_largest(i, args):
    """The farthest that any vertex of a sheet would have to move."""
    r = args.adding.runs
    most = ZERO
    for k in range(r.first[i], r.first[i + 1]):
        most = larger(most, r.out[0, k])
    args.errors[i] = math.sqrt(most)


@inline
def larger(most, other):
    """Return the larger of two numbers; not a number if either is."""
    return other if most == most and not other <= most else most


class DeviceErrors:
    """Errors of the bodies of one system, except for sheets with energies outside every matrix. names: of these bodies."""

    def __init__(self, state: StateArrays, elements: list[Elements], system: System, iterations: int) -> None:
        """elements: of each batch."""
        device, model, parts = state.device, state.model, system.rows.sheets
        self.device, self._state, self._system, self._elements = device, state, system, elements
        around = [beside(model, part) for part in parts]
        self.names = {k: part.part.body.name for k, part in enumerate(parts) if around[k] is not None}
        self._beside = sorted({number for numbers in around for number in numbers or ()})
        most = max((state.batches[k].threads * state.batches[k].host.energy.CORNERS for k in self._beside), default=0)
        self._blocks = device.zeros((max(most, 1), 6), np.float32)
        self._own, self._errors = device.zeros((state.rows, 6), np.float32), device.zeros(len(parts), np.float32)
        self._iterations = iterations

    def measure(self, left: Array, pushed: PushedBy) -> None:
        """Measure at a frame's end. left: residual force at x, (n + 4, 4) [N]."""
        of, s, launch = self._system, self._state, self.device.launch
        searching = of.gradients.args
        rows = s.x, s.x0, of.at, of.vertex, of.moves
        arguments = Left(*rows, of.groups, of.first, left, pushed, self._own, searching)
        launch(look, of.count, arguments)
        of.linearise(of.always, of.nothing)
        for number in self._beside:
            self._add_blocks(number)
        launch(hold, of.count, arguments)
        of.hierarchy.make(of.always)
        of.hierarchy.invert(of.always)
        launch(begin, len(of.first.vertex), arguments)
        launch(begin_groups, len(of.groups), arguments)
        of.gradients.touch(of.untouched)
        of.gradients.launch(False, self._iterations)
        displacements = ErrorArguments(of.vertex, of.moves, searching.more, Adding(of.always, of.of_rows), self._errors)
        largest = (
            Step(largest_of_runs, len(of.of_rows.start), displacements),
            Step(find_largest, len(self._errors), displacements),
        )
        self.device.launch_all([Step(measure, of.count, displacements), *largest])

    def _add_blocks(self, number: int) -> None:
        batch, launch = self._state.batches[number], self.device.launch
        if number == self._beside[0]:
            launch(clear, self._own.size, Numbers(self._own.reshape(-1)))
        blocks = self._blocks[: batch.threads * batch.host.energy.CORNERS]
        launch(keep_blocks(batch.host.energy), batch.threads, Blocks(self._elements[number], np.int32(3), blocks))
        sum_by_row(self.device, blocks, *batch.gathered, self._own[: batch.n])

    def take(self) -> dict[str, float]:
        """The error of each body [m], by name."""
        errors = self.device.download(self._errors).tolist()
        return {name: errors[k] for k, name in self.names.items()}
