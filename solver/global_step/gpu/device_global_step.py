"""The global step of all sheets on a device, without downloads: `global_step/sheet_system.py`.

A substep has at most SYSTEMS systems, and each a fixed number of iterations at most; sheets that converge earlier stay as
they are. Sheets that may touch each other form one group with one step length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any

import numpy as np

from ...contact.contact import Contact
from ...contact.gpu.device_contact import DeviceContact
from ...contact.gpu.pair_selection import OF_SHEETS, OF_SOLIDS, UNKNOWN
from ...contact.gpu.pair_stages import rooms_of
from ...device.cpu import LANES
from ...device.cuda.array import Arguments
from ...device.cuda.body import Body
from ...device.cuda.device import Array, SerialDevice
from ...device.cuda.turns import Step
from ...model.gpu.cpu_reason import CpuReason
from ...model.gpu.state_arrays import StateArrays
from ...model.gpu.substep_motion import Motion
from ...model.model import Model
from ...steering import LEAST_GAIN, LEFT
from ...topology.components import label_components
from ..global_step import GlobalStep
from ..sheet_part import SheetPart
from ..volume import VolumeSystem
from . import (
    angular_momentum,
    contact_coupling,
    contact_forces,
    convergence,
    force_response,
    line_search,
    matrix,
    row_operations,
)
from .contact_coupling import FIRST_OF_PLANES, SPRING, Activating, Moved, Touching, plane_springs
from .contact_forces import Ended, Others
from .element_launches import KINDS, ElementLaunches
from .elements import TRIALS
from .rows import Adding, Rows, add_runs
from .system import COLUMNS, System

#: Systems of a substep. An unconverged motion stays: the next substep continues from it.
SYSTEMS = 3
#: Iterations of each system after the first, per required iteration. For a hanging sheet two to four leave a thousandth of
#: the squared residual, for a collapsing sheet six.
ITERATIONS = 1.5
#: The same for sheets with possible contacts. A larger residual damps motion: with the numbers above a sheet falling on a
#: ball is half as fast a quarter of a second later.
SYSTEMS_IN_CONTACT, ITERATIONS_IN_CONTACT = 4, 6.0
#: Memory per block of its matrix, with its sparsity pattern, levels and vectors; counted (230 to 294) [B].
BLOCK_BYTES = 300


def why_not(step: GlobalStep, contact: Contact | None) -> CpuReason:
    """Return the reason for a global step on the CPU."""
    in_common = contact is not None and _have_boards_in_common(step, contact)
    return CpuReason.BOARDS if in_common else CpuReason.NONE


def needed_memory(step: GlobalStep | None, contact: Contact | None) -> int:
    """Return the device memory of the step [B]: its matrix, the elements' linearisations, and springs of contacts."""
    if step is None:
        return 0
    springs = 0
    if contact is not None and contact.exchange.has_pairs():
        springs = 4 * SPRING.width * rooms_of(contact.exchange.surface_tables()[0])[1]
    return of_parts(step.sheets) + springs


def of_parts(parts: Sequence[SheetPart]) -> int:
    """Return the device memory of the system of sheets and soft bodies [B]."""
    systems = [system for part in parts for _, system in (*part.systems, *part.tethers)]
    element_bytes = sum(4 * KINDS[type(system)][0] * len(system.places) for system in systems)
    return element_bytes + BLOCK_BYTES * sum(len(part.pattern.columns) for part in parts)


class DeviceGlobalStep:
    """The step of one model on one device. solved: kind of system of each vertex, see `contact.selection.Begun`."""

    def __init__(
        self,
        device: SerialDevice,
        model: Model,
        state: StateArrays,
        step: GlobalStep,
        awake: list[bool],
        contact: Contact | None,
    ) -> None:
        """awake: of the step's sheets, one at least; contact: of the host, None without one."""
        sheets = list(compress(step.sheets, awake))
        self.device = device
        self._iterations = model.settings.global_iterations
        self._systems, more = (SYSTEMS, ITERATIONS) if contact is None else (SYSTEMS_IN_CONTACT, ITERATIONS_IN_CONTACT)
        self._more_iterations = math.ceil(more * self._iterations)
        rows = Rows(sheets, _groups(sheets, contact), convergence.SLIGHT, state.rows)
        n, self._rows, self._n = state.rows, rows, model.n_vertices
        self.solved = np.full(model.n_vertices, UNKNOWN)
        self._has_others = bool(model.rigid) or _has_others(model, rows)
        is_solid = rows.solid[rows.group[rows.sheet]]
        self.solved[rows.vertex[rows.moves]] = np.where(is_solid[rows.moves], OF_SOLIDS, OF_SHEETS)
        self.system = System(device, state, rows)
        self._pulled = self._swept_on(filter(step.is_pulled, sheets))
        self._bind(state, rows, n)

    def _swept_on(self, parts: Iterable[SheetPart]) -> list[tuple[ElementLaunches, Array]]:
        """Batches of soft bodies that are swept on, and the packs of these."""
        swept = []
        for part in parts:
            for number, system in part.systems:
                batch = next(batch for batch in self.system.batches if batch.number == number)
                swept.append((batch, self.device.upload(np.unique(system.places // LANES), np.int32)))
        return swept

    def _bind(self, state: StateArrays, rows: Rows, n: int) -> None:
        """Bind work arrays and arguments of launches."""
        device, up, of = self.device, self.device.upload, self.system
        goal, move, start, apart = matrix.vectors(device, n, 4)
        self._go, trials, untouched = device.zeros(1, np.int32), np.int32(TRIALS), of.untouched
        self._springs: tuple[int, Array | None, Array | None] = (-1, None, None)
        searching, going = of.gradients.args, of.gradients.go
        arrays = state.x, state.x0, state.x_pred, state.correction, goal, move, start, of.at, apart, searching.more
        others = of.moves, of.sheet, of.group, up(rows.share, np.float32), up(rows.slight, np.float32)
        limited = up(rows.limited, np.int32)
        solid, held = up(rows.solid, np.int32), up(rows.held, np.int32)
        of_groups_too = up(rows.group, np.int32), up(rows.held_group, np.int32), limited, solid
        sums: tuple[Any, ...] = (
            of.sheets,
            of.groups,
            of.of_rows,
            of.by_group,
            np.int32(0),
            np.int32(self._systems),
            untouched,
        )
        self.motion = row_operations.Motion(self._go, *arrays, of.vertex, *others, held, *of_groups_too, *sums)
        of_rows_in_matrix = of.first, up(rows.number_of, np.int32), state.x0
        self._activating = Activating(self._go, untouched, *of_rows_in_matrix, goal, np.int32(1))
        self._moved = Moved(self._go, untouched, move, searching.more, trials)
        self._ended = Ended(of.always, untouched, move, state.x0)
        self._others = Others(of.always, untouched, state.x0, state.x, goal, move)
        self._leaving = row_operations.Leaving(
            self.motion, of.first, *of.forces, searching.p, searching.r, searching.z, going
        )
        of_steps = up(of.rows_slot, np.int32), state.x0, goal, move, searching.more, trials, of.rises.values, untouched
        self._moving = line_search.Moving(self._go, searching.vertex, *of_steps)
        bounds = convergence.SETTLED, LEAST_GAIN, LEFT
        known_of = of.groups, limited, solid, *(np.float32(bound) for bound in bounds)
        self._choosing = line_search.Choosing._make([self._go, *known_of, of.rises, np.int32(0)])

    def touch(self, contact: DeviceContact | None) -> None:
        """The contacts of the substep, None without any."""
        pairs = None if contact is None else contact.pairs
        planes = None if contact is None else contact.planes
        number_of_tables = 0 if pairs is None else pairs.made
        if number_of_tables != self._springs[0]:  # as many as there is room for
            of_pairs = None if pairs is None else self.device.zeros((SPRING.width, pairs.most), np.float32)
            of_planes = None if planes is None else plane_springs(self.device, self._n)
            self._springs = number_of_tables, of_pairs, of_planes
        self._most = 0 if pairs is None else pairs.most
        self._on_planes = planes is not None
        _, of_pairs, of_planes = self._springs
        touching = self.system.untouched
        if pairs is not None:
            table, *elements = pairs.for_global_step
            touching = Touching._make([table, of_pairs, *elements, *touching[FIRST_OF_PLANES:]])
        if planes is not None:
            touching = Touching._make([*touching[:FIRST_OF_PLANES], *planes.for_global_step, of_planes])
        self.motion = self.motion._replace(touching=touching)
        self._moving = self._moving._replace(touching=touching)
        self._activating = self._activating._replace(touching=touching)
        self._moved = self._moved._replace(touching=touching)
        self._ended = self._ended._replace(touching=touching)
        self._others = self._others._replace(touching=touching)
        self._leaving = self._leaving._replace(motion=self.motion)
        self.system.gradients.touch(touching)

    def launch(self, contact: DeviceContact | None, now: Motion) -> None:
        """Move x from the prediction to the step's end, with the corrections; contacts get their forces. now: of the
        substep."""
        self.touch(contact)
        m, launch, count = self.motion, self.device.launch, len(self._rows)
        pairs = None if contact is None or not self._has_others else contact.pairs
        if pairs is not None:
            launch(contact_forces.move_partners, self._n, self._others)
        launch(row_operations.begin, count, m)
        self._add_up(COLUMNS, self.system.always, row_operations.translate, m)
        launch(row_operations.place, count, m)
        self._add_up(2, self._go, row_operations.scale, m)
        if self._rows.solid.any():
            self._go_to_prediction()
        for number in range(self._systems):
            if number and pairs is not None:
                launch(contact_forces.store, self._most, self._ended._replace(go=self._go))
                pairs.move_partners(now)
                launch(contact_forces.move_partners, self._n, self._others._replace(go=self._go))
            self._solve(number)
        if self._rows.limited.any():
            launch(row_operations.look_back, 1, m)
            launch(row_operations.turn_back, count, m)
            self._go_on(row_operations.BACK)
        if not self._rows.held.all():
            self._take_out_torque()
        for batch in self.system.batches:
            batch.store_displacements(m.move)
        for batch, packs in self._pulled:
            batch.go_on(m.move, packs)
        if contact is not None:
            launch(contact_forces.store, self._most, self._ended)
            if pairs is not None:
                pairs.move_partners(now)
            if self._on_planes:
                launch(contact_forces.store_planes, self._n, self._ended)
            if not self._rows.held_group.all():
                launch(row_operations.measure_lost, count, m)
                self._add_up(4, self.system.always, row_operations.find_lost, m)
        launch(row_operations.end, count, m)

    def moves(self, rows: slice) -> bool:
        """Return whether the step moves any vertex of a body. rows: of its vertices."""
        return bool((self.solved[rows] > UNKNOWN).any())

    def response(self, first: np.int32, force: Array) -> Array:
        """Return the displacements of all vertices of the step, (n, 4) [m], under forces on some of them, with the last
        system's matrix. first: number of the first vertex; force: (k, 3) [N]."""
        launch, m, count = self.device.launch, self.motion._replace(go=self.system.always), len(self._rows)
        searching = self.system.gradients.args
        pushed = force_response.Pushed(
            m, self.system.first, first, force, searching.p, searching.r, searching.z, searching.go
        )
        launch(force_response.push, len(self.system.first.vertex), pushed)
        launch(force_response.begin_response, 1, pushed)
        self.system.gradients.launch(False, math.ceil(ITERATIONS_IN_CONTACT * self._iterations))
        if not self._rows.held.all():
            launch(force_response.measure_excess, count, pushed)
            self._add_up(4, self.system.always, force_response.find_excess, m)
            launch(row_operations.keep_momentum, count, m)
        return m.more

    def _solve(self, number: int) -> None:
        launch, count, go = self.device.launch, len(self._rows), self._go
        first, hierarchy = self.system.first, self.system.hierarchy
        self.system.linearise(go, self.motion.apart if number == 0 else self.system.nothing)
        if self._most or self._on_planes:
            estimate = self.motion.move if number else self.motion.goal
            activating = self._activating._replace(motion=estimate, is_first=np.int32(number == 0))
            launch(contact_coupling.activate, self._most, activating)
            launch(contact_coupling.add_to_matrix, count, activating)
            launch(contact_coupling.pull, self._most, self._moved)
        hierarchy.make(go)
        if number == 0:  # the next systems change it little
            hierarchy.invert(go)
        m = self.motion._replace(number=np.int32(number))
        launch(row_operations.leave, len(first.vertex), self._leaving._replace(motion=m))
        self._add_up(1, go, row_operations.begin_gradients, self._leaving)
        self.system.gradients.launch(number == 0 and not self._rows.solid.all(), self._iterations_of(number))
        if not self._rows.held.all():
            launch(row_operations.measure_momentum, count, m)
            self._add_up(3, go, row_operations.find_mean, m)
            launch(row_operations.keep_momentum, count, m)
        self._go_on(number)

    def _iterations_of(self, number: int) -> int:
        """Return the largest number of iterations that any sheet needs in a system."""
        rows, iterations = self._rows, [0]
        if rows.solid.any():
            iterations.append(convergence.ITERATIONS_OF_SOLIDS * self._iterations)
        if not rows.solid.all():
            half = -(-self._iterations // 2)  # of a system that only says where to make the next
            of_first = self._iterations if rows.limited.any() else half
            iterations.append(self._more_iterations if number else of_first)
        return max(iterations)

    def _go_to_prediction(self) -> None:
        """Move soft bodies to their start."""
        launch, m = self.device.launch, self.motion._replace(number=np.int32(row_operations.BEFORE))
        for batch in self.system.batches:
            if batch.kind is VolumeSystem:
                batch.rise(self._go, m.move, m.more)
        launch(line_search.rise_of_inertia, len(self._rows), self._moving)
        self._choose(line_search.choose_start, self._choosing)
        launch(row_operations.go, len(self._rows), m)

    def _go_on(self, number: int) -> None:
        """Go the share of each sheet's step that does not raise its potential. number: see `line_search.Choosing`."""
        launch, m = self.device.launch, self.motion
        for batch in self.system.batches:
            batch.rise(self._go, m.move, m.more)
        launch(contact_coupling.rise, self._most, self._moved)
        launch(line_search.rise_of_inertia, len(self._rows), self._moving)
        self._choose(line_search.choose, self._choosing._replace(number=np.int32(number)))
        launch(row_operations.go, len(self._rows), m._replace(number=np.int32(number)))

    def _take_out_torque(self) -> None:
        """Restore the angular momentum of sheets without pins and contacts."""
        launch, m, count = self.device.launch, self.motion, len(self._rows)
        launch(angular_momentum.measure_centre, count, m)
        self._add_up(3, self.system.always, angular_momentum.find_centre, m)
        launch(angular_momentum.measure_torque, count, m)
        self._add_up(9, self.system.always, angular_momentum.find_turn, m)
        launch(angular_momentum.rotate, count, m)

    def _add_up(self, columns: int, go: Array, body: Body, args: Arguments) -> None:
        """Sum over the rows of each sheet, and the one thread that they are for."""
        runs = self.motion.runs
        add = Step(add_runs, columns * len(runs.start), Adding(go, runs))
        self.device.launch_all([add, Step(body, 1, args)])

    def _choose(self, body: Body, args: Arguments) -> None:
        """Sum of how the potential rises, and the one thread that they are for."""
        rises = self.system.rises
        add = Step(add_runs, TRIALS * len(rises.start), Adding(self._go, rises))
        self.device.launch_all([add, Step(body, 1, args)])


def _has_others(model: Model, rows: Rows) -> bool:
    """Return whether the model has free vertices outside the step."""
    others = np.zeros(model.n_vertices, bool)
    for part in model.parts:
        others[part.start : part.stop] = True
        others[part.pinned] = False
    others[rows.vertex[rows.moves]] = False
    return bool(others.any())


def _have_boards_in_common(step: GlobalStep, contact: Contact | None) -> bool:
    """Return whether any group has two stiff sheets: the device's iterations do not carry a push across both."""
    if len(step.boards) < 2:
        return False
    board = np.array([sheet.is_board for sheet in step.sheets])
    return bool(np.bincount(_groups(step.sheets, contact)[board]).max() > 1)


def _groups(sheets: list[SheetPart], contact: Contact | None) -> np.ndarray:
    """Return of each sheet the number of its group: the connected component of sheets that may touch each other."""
    pairs = np.zeros((0, 2), np.int64)
    if contact is not None and contact.exchange.has_pairs():
        surfaces = contact.exchange.surface_tables()[0]
        owners = np.array([surfaces.owner[sheet.part.start] for sheet in sheets])
        pairs = np.argwhere(surfaces.rules[np.ix_(owners, owners)])
    return np.unique(label_components(pairs, len(sheets)), return_inverse=True)[1].reshape(-1)
