"""Global step: one implicit step of each sheet as a whole, before the sweeps.

Sweeps carry a load a few triangles far; here it crosses the sheet at once. The step is backward Euler, or BDF2, of the
membrane, or of springs, and of bending, by Newton's method up to an error in metres (`newton`). The forces of contacts
are then set to their share of the force, and the sweeps continue from there with attachments and contacts. Each sheet is
a system of its own, and sheets that touch each other are one; so are soft bodies that sweeps leave short
(`solid_reach`).

The sweeps leave out what the global step has solved for: where a fine, stiff sheet has folds they double the compression
that is left, and the next substeps more, until the sheet bursts. Sweeps of bending alone, after a global step without
bending, stretched single edges to four times their length. Only rounds that a tolerance requires sweep that too, each
element from its share of the force. Rigid bodies that a sheet touches are unknowns of its system (`body_springs`), of
soft ones it feels the mass (`soft_side`). Contacts are linearised at the start of the step; later ones enter through the
vertices that the CCD clamp has held: springs hold them to the motion of the sheet around them, as stiff as the sheet
itself is there, and fade when the clamp lets go. Without them the sheet pulls with all its strength where there is no
room, vertices hop between clamps, and the sheet around them is torn. A sheet that is pulled out of an intersection must
be compliant, and it alone is left to the sweeps as long. Its bending starts from its last displacement while that lasts:
a few sweeps leave it short. A soft body that something pushes which its system does not know, a tie or a sheet, is swept
on from the forces that its elements have after the step, unless it is so stiff that sweeps would diverge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..contact.constraints.linear import LinearContacts
from ..device.cpu import LANES
from ..model.model import Model
from ..model.state import State
from ..scene import catalog
from ..steering import TARGET
from ..topology.components import label_components
from .batch_parts import batch_parts
from .body_springs import BodyLoads, body_springs_of
from .contact_springs import ContactSprings, contact_springs_of
from .limits import LimitSystem
from .membrane import MembraneSystem
from .newton import Around, NewtonStep
from .patch_stretch import PatchStretch
from .sheet_part import SheetPart
from .sheet_system import SheetSystem
from .solid_part import SolidPart, is_of_solids, pushed_beside, solid_parts
from .solid_system import SolidSystem
from .springs import SegmentSystem, SpringSystem
from .stitches import StitchSystem
from .sweep_reach import short_of_load
from .tethers import TetherSystem
from .tie_contacts import tied_to_one_body, ties_of

Array = np.ndarray

#: No packs.
NONE = np.zeros(0, np.int64)
#: What energies with `linearise` act on, and their part in the system: others than limits, and limits, which are ONE_SIDED.
#: With them the step solves for all bending. Tethers join no neighbours: alone they make no system.
SYSTEMS: dict[str, Any] = {
    "triangle": MembraneSystem,
    "edge": SpringSystem,
    "segment": SegmentSystem,
    "stitch": StitchSystem,
    "patch": PatchStretch,
}
LIMITS: dict[str, Any] = {"triangle": LimitSystem, "tether": TetherSystem, "segment": SegmentSystem}


def stretch_system(energy: ModuleType) -> Any:
    """The class that takes an energy of stretch into the system; None for one that does not say how (`linearise`)."""
    known = LIMITS if getattr(energy, "ONE_SIDED", False) else SYSTEMS
    kind = catalog.element_kinds().get(energy.ELEMENT)
    noun = kind.solved_as if kind is not None and kind.solved_as else energy.ELEMENT
    return known.get(noun) if hasattr(energy, "linearise") else None


class GlobalStep:
    """systems: one of each sheet and soft body of a model that it solves for; sheets: their parts. solves: numbers of the
    batches that it solves for. `boards`: numbers of the stiff sheets, see `steering.BOARD`; `board_rows`: the first
    vertex of each of these and the one after its last, (k, 2). inextensible: numbers of the stiff sheets, and of those with
    limits."""

    def __init__(self, model: Model, iterations: int):
        self._model, self._iterations, self._target = model, iterations, TARGET * model.h**2
        self.systems = [*sheet_systems(model), *(SolidSystem(model, [part]) for part in solid_parts(model))]
        self.sheets = [system.parts[0] for system in self.systems]
        self._joint: dict[tuple[int, ...], SheetSystem] = {}
        self._rows = [(sheet.part.start, sheet.part.stop) for sheet in self.sheets]
        self._bodies = [next(k for k, part in enumerate(model.parts) if part is sheet.part) for sheet in self.sheets]
        is_board = np.array([sheet.is_board for sheet in self.sheets], bool)
        self.boards = frozenset(np.array(self._bodies, np.int64)[is_board].tolist())
        bodies = zip(self._bodies, self.sheets, strict=True)
        self.inextensible = frozenset(body for body, sheet in bodies if sheet.is_board or sheet.is_limited)
        self.board_rows = np.array(self._rows, np.int64).reshape(-1, 2)[is_board]
        self._is_soft = np.ones(model.n_vertices, bool)
        for part in model.parts:
            self._is_soft[part.start : part.stop] = not part.kind.is_sheet
        self._sheet_of = np.full(model.n_vertices, -1)
        for number, sheet in enumerate(self.sheets):
            self._sheet_of[sheet.part.start : sheet.part.stop] = number
        solved: Counter[int] = Counter()
        for sheet in self.sheets:
            for number, system in sheet.solved:
                solved[number] += len(system.places)
        self.solves = frozenset(solved)
        self._moved: list[tuple[SheetSystem, list[int]]] = []  # systems of the last step, and the numbers of their sheets
        # A soft body may have springs too; then sweeps do all of them.
        self._whole = frozenset(n for n, count in solved.items() if count == (model.batches[n].element >= 0).sum())
        self._beside = {n: self._not_of(n) for n in self.solves - self._whole if is_of_solids(model.batches[n].energy)}
        self._is_nothing = np.zeros_like(self._is_soft)
        self._is_solid = np.array([isinstance(sheet, SolidPart) for sheet in self.sheets], bool)
        self._goes_on, self._is_pulled = (
            np.array([isinstance(sheet, SolidPart) and getattr(sheet, name) for sheet in self.sheets], bool)
            for name in ("goes_on", "is_pulled")
        )
        is_line = np.array([sheet.is_line for sheet in self.sheets], bool)
        self._ties = ties_of(model, np.where(self._is_soft, -1, self._sheet_of), is_line)
        self._tied = tied_to_one_body(model.rigid_ties, self._sheet_of)
        if self._ties is not None:
            self._tied = np.concatenate([self._ties.pairs, self._tied])
        self._chosen: tuple[tuple[Array, ...], list[tuple[SheetSystem, list[int]]]] | None = None
        self._stands_beside = np.array([sheet.stands_beside for sheet in self.sheets], bool)
        # Only those of one kind are put together: what ends a step is not the same for all.
        self._kind = np.array([2 * isinstance(s, SolidPart) + s.is_limited for s in self.sheets], int)

    @property
    def inextensible_vertices(self) -> Array:
        """Return the vertices of `inextensible` bodies, (n,) bool."""
        vertices = np.zeros(self._model.n_vertices, bool)
        for number in self.inextensible:
            part = self._model.parts[number]
            vertices[part.start : part.stop] = True
        return vertices

    @property
    def untouched(self) -> dict[int, Array]:
        """Return the result of `solve` where nothing touches anything."""
        return self._solved(self._rows, [self.is_pulled(sheet) for sheet in self.sheets])

    @staticmethod
    def is_pulled(sheet: SheetPart) -> bool:
        """Return whether it is a soft body that is swept on though nothing touches it."""
        return isinstance(sheet, SolidPart) and sheet.goes_on and sheet.is_pulled

    def awake(self, state: State) -> list[bool]:
        """Return of each of `sheets` whether it does not sleep; sleeping sheets have no step."""
        if state.sleep is None:
            return [True] * len(self.sheets)
        return [not state.sleep.held[sheet.part.start] for sheet in self.sheets]

    def forget(self) -> None:
        """Forget the last frame before each frame, so that a restored simulation continues with the same bits."""
        for system in (*self.systems, *self._joint.values()):
            system.is_at_start = False

    def begin(self, state: State) -> None:
        """Reset the unknowns of the step, before the other displacements start: they start from none."""
        bends = {number for sheet in self.sheets for number, _ in sheet.bends}
        self._kept = {number: state.displacements[number].copy() for number in bends}
        for number in self.solves:
            state.displacements[number][:] = 0
        if self._ties is not None:
            self._ties.begin(state)

    def solve(self, state: State, contact=None) -> dict[int, Array]:
        """Move x from the prediction to the step's end; set the displacements of elements that are swept afterwards.

        contact: the contact system after `begin_substep`; its contacts hold the sheets, and get their forces.
        Returns the numbers of the batches that need no sweep, and of each the packs that do, (k,): those of sheets that
        are pulled out of an intersection, and of soft bodies with inverted elements or that are swept on.
        """
        rows, touching = self._rows, self._touching(contact)
        left_out = self._left_out(state, contact, touching)
        solved = self._solved(rows, left_out)
        settings = self._model.settings
        goes_on = settings.tolerance is not None or settings.error_tolerance is not None
        swept = self.solves if goes_on else self.solves - solved.keys()
        loads, on_rigid = self._loads_of_bodies(state, contact)
        awake, is_left = np.array(self.awake(state), bool), np.array(left_out, bool)
        self._leave_out(state, awake, is_left)
        self._moved = self._choose_systems(awake & ~is_left, touching, on_rigid)
        swept_on = list(left_out)
        for system, members in self._moved:
            springs = self._take_step(system, state, contact, loads, swept)
            if isinstance(system, SolidSystem):
                for number in self._pushed_solids(members, contact, springs):
                    solid = self.sheets[number]
                    assert isinstance(solid, SolidPart)
                    solid.go_on(state)
                    swept_on[number] = True
        if swept_on == left_out:
            return solved
        self._moved = [
            (system, members) for system, members in self._moved if not any(swept_on[number] for number in members)
        ]
        return self._solved(rows, swept_on)

    def _left_out(self, state: State, contact, touching: Array) -> list[bool]:
        """Return which sheets and soft bodies are left to the sweeps. touching: of `_touching`."""
        left_out = [False] * len(self._rows)
        if contact is not None and contact.results.separates:
            left_out = [contact.results.is_separating(*body_rows) for body_rows in self._rows]
        # What a sheet knows of a soft body is the mass of its vertices: as a whole it would drag the sheet along.
        on_sheets = set(touching[self._is_solid[touching].sum(1) == 1].ravel().tolist())
        is_recovering = bool((state.inversion_recovery[:, 0] > 0).any())
        for number, sheet in enumerate(self.sheets) if is_recovering or on_sheets else ():
            left_out[number] |= isinstance(sheet, SolidPart) and (number in on_sheets or sheet.is_recovering(state))
        return left_out

    def _loads_of_bodies(self, state: State, contact) -> tuple[BodyLoads | None, Array]:
        """Return the loads on rigid bodies, None where contact pushes none, and which sheets touch one, (sheets,) bool."""
        pushed = state.rigid if contact is not None and contact.forces.pushes_rigid else None
        if pushed is None:
            return None, np.zeros(len(self.sheets), bool)
        sources = contact.forces.coupled_contacts(), contact.forces.tied_bodies()
        return BodyLoads(pushed), np.any([self._joined(source) for source in sources], axis=0)

    def _leave_out(self, state: State, awake: Array, is_left: Array) -> None:
        """Prepare sheets without a step in this substep, (sheets,) bool: those left to the sweeps begin from bends of the
        last one."""
        for number in np.flatnonzero(is_left | ~awake).tolist():
            self.systems[number].is_at_start = False
        for number in np.flatnonzero(is_left & awake).tolist():
            for batch, bend in self.sheets[number].bends:
                bend.warm_start_sweeps(self._kept[batch], state.displacements[batch], state.x, state.correction)
            state.place()

    def _take_step(
        self, system: SheetSystem, state: State, contact, loads: BodyLoads | None, swept: frozenset[int]
    ) -> ContactSprings | None:
        """Take the Newton step of a system; return its contacts, None without any. swept: batches to sweep after it."""
        is_solid = isinstance(system, SolidSystem)
        known = system.rank, system.free, system.pattern
        is_soft, ties = self._is_nothing if is_solid else self._is_soft, None if is_solid else self._ties
        springs = contact_springs_of(contact, *known, system.groups, state, is_soft, ties)
        bodies = None if loads is None else body_springs_of(contact, *known, system.groups, loads)
        held = None if contact is None else contact.results.held(system.order)
        around = Around(springs, bodies, held, springs is None and (contact is None or contact.idle))
        NewtonStep(system, state, self._iterations, self._target, around).take(swept)
        if springs is not None and contact is not None:
            contact.forces.count_as_answered()
        return springs

    def _pushed_solids(self, members: list[int], contact, springs: ContactSprings | None) -> list[int]:
        """Return the soft bodies of a system whose sweeps continue: those that go on and that others push or pull."""
        numbers, pushed_on = np.array(members), self._sheet_of[pushed_beside(contact, springs)]
        goes_on = self._goes_on[numbers] & (self._is_pulled[numbers] | np.isin(numbers, pushed_on))
        return numbers[goes_on].tolist()

    def _solved(self, rows: list[tuple[int, int]], is_swept: list[bool]) -> dict[int, Array]:
        """The numbers of the batches that need no sweep, and of each the packs that do, (k,). rows: of each body; is_swept:
        whether it is."""
        left = [numbers for numbers, is_left in zip(rows, is_swept, strict=True) if is_left]
        packs = {number: self._packs(left, number) for number in self._whole}
        packs |= {number: np.union1d(others, self._packs(left, number)) for number, others in self._beside.items()}
        return {number: some for number, some in packs.items() if len(some) < self._model.batches[number].packs}

    def _not_of(self, number: int) -> Array:
        """The packs of a batch that are of none of the bodies, (k,)."""
        solved = np.concatenate([system.places for sheet in self.sheets for n, system in sheet.solved if n == number])
        return np.setdiff1d(np.arange(self._model.batches[number].packs), solved // LANES)

    def _choose_systems(self, moves: Array, touching: Array, on_rigid: Array) -> list[tuple[SheetSystem, list[int]]]:
        """A system of each sheet by itself, or of sheets that touch each other or are small and of one kind, and the numbers
        of these. Those that touch each other are its groups.

        moves: which sheets the step moves, on_rigid: which touch rigid bodies, (sheets,) bool. touching: see `_touching`.
        """
        key = moves, touching, on_rigid
        if self._chosen is not None and all(map(np.array_equal, key, self._chosen[0])):
            return self._chosen[1]
        alike = self._is_solid[touching[:, 0]] == self._is_solid[touching[:, 1]]
        joined = touching[moves[touching].all(1) & alike]
        group = label_components(joined, len(self.sheets))
        # What rigid bodies push is one group each: its system eliminates them.
        small = self._stands_beside & moves & ~np.isin(group, group[on_rigid])
        first = np.full(self._kind.max(initial=0) + 1, len(small))
        np.minimum.at(first, self._kind[small], np.flatnonzero(small))
        beside = np.stack([first[self._kind[small]], np.flatnonzero(small)], 1)
        label = label_components(np.concatenate([joined, beside]), len(self.sheets))
        systems_of: dict[int, list[int]] = {}
        for number in np.flatnonzero(moves):
            systems_of.setdefault(label[number], []).append(int(number))
        self._joint = {tuple(members): self._joint_system(members) for members in systems_of.values() if len(members) > 1}
        chosen = [
            (self.systems[members[0]] if len(members) == 1 else self._joint[tuple(members)], members)
            for members in systems_of.values()
        ]
        for system, members in chosen:
            system.groups.join(group[members])
        self._chosen = key, chosen
        return chosen

    def _joint_system(self, sheets: list[int]) -> SheetSystem:
        """Return the system of the last substep, if these sheets touched each other then."""
        for number in sheets:
            self.systems[number].is_at_start = False
        known = self._joint.get(tuple(sheets))
        if known is not None:
            return known
        parts = [self.sheets[number] for number in sheets]
        return SolidSystem(self._model, parts) if isinstance(parts[0], SolidPart) else SheetSystem(self._model, parts)

    def _touching(self, contact) -> Array:
        """Pairs of sheets, or soft bodies, that contacts join, or ties do, (k, 2)."""
        tied = self._tied
        if contact is None or contact.idle or len(self.sheets) < 2:
            return tied
        sheet_of_corners, is_used = self._sheets_of(contact.forces.pair_contacts())
        count = len(self.sheets)
        low, high = np.where(is_used, sheet_of_corners, count).min(1), np.where(is_used, sheet_of_corners, -1).max(1)
        keys = np.unique((low * count + high)[(low >= 0) & (low < high)])
        return np.concatenate([np.stack(np.divmod(keys, count), 1), tied])

    def _joined(self, contacts: LinearContacts) -> Array:
        """Return which sheets contacts join, (sheets,) bool."""
        sheet_of_corners, is_used = self._sheets_of(contacts)
        return np.isin(np.arange(len(self.sheets)), sheet_of_corners[is_used])

    def _sheets_of(self, contacts: LinearContacts) -> tuple[Array, Array]:
        """Return of each corner of contacts the sheet, -1 for none, and whether it is one, both (c, 4)."""
        corners, weights = contacts.joined()
        sheet_of_corners = np.where(
            corners < len(self._sheet_of), self._sheet_of[np.minimum(corners, len(self._sheet_of) - 1)], -1
        )
        return sheet_of_corners, weights != 0

    def _packs(self, rows: list[tuple[int, int]], number: int) -> Array:
        """The packs of a batch that are of some bodies, (k,). rows: first and last + 1 of each body's vertices."""
        first = self._model.batches[number].index[:, 0]
        return np.flatnonzero(np.any([(first >= start) & (first < stop) for start, stop in rows], axis=0)) if rows else NONE

    def last_of_solids(self) -> list[SolidSystem]:
        """The systems of soft bodies that the last step has solved, with the matrices that they ended with."""
        return [system for system, _ in self._moved if isinstance(system, SolidSystem)]

    def moves(self, body: int) -> Callable[[State, Array], tuple[Array, Array]] | None:
        """Return, of a body that the last step has moved, a function: how forces on all vertices, (n + 4, 3) [N], would have
        moved it more, as vertices (k,) and their motions (k, 3) [m]; None for any other body."""
        for system, sheets in self._moved:
            if isinstance(system, SheetSystem) and body in [self._bodies[number] for number in sheets]:
                return lambda state, force: system.response(state, force, self._iterations)
        return None

    def elastic_response(self, state: State, contact) -> None:
        """Elastic response to contact forces: each sheet moves as a whole by what contacts, which the step does not know,
        have moved its vertices by one by one."""
        forces = contact.forces.at_vertices()
        for system, _ in self._moved:
            system.elastic_response(state, forces, self._iterations, self._target)

    def last_response(self, state: State) -> None:
        """Move ropes as a whole by all that has moved their vertices in the last sweep: a vertex that friction draws along
        by itself pulls its segments by many times the friction."""
        for system, _ in self._moved:
            if len(system.lines):
                nothing = np.zeros((self._model.n_vertices, 3))
                system.elastic_response(state, nothing, self._iterations, self._target)

    def moved_together(self, some: Array) -> Array:
        """Return the vertices, and all of stiff sheets that have any of them, (n,) bool."""
        together = some.copy()
        for start, stop in self.board_rows.tolist():
            together[start:stop] |= some[start:stop].any()
        return together


def make_global_step(model: Model) -> GlobalStep | None:
    """Make the global step; None without sheets that stretch, or where the settings have no iterations."""
    if not model.settings.global_iterations:
        return None
    step = GlobalStep(model, model.settings.global_iterations)
    return step if step.solves else None


def left_to_sweeps(model: Model) -> list[str]:
    """A sentence for each energy of a cloth's materials that the global step does not solve for; without its iterations
    for each sheet that sweeps would stretch."""
    if not model.settings.global_iterations:
        return short_of_load(model)
    known = {batch.energy.NAME: batch.energy for batch in model.batches}
    solved = {name for name, energy in known.items() if stretch_system(energy) or hasattr(energy, "bending_matrix")}
    sentences = []
    for sheet in (part.body for part in model.parts if part.kind.is_sheet):
        names = dict.fromkeys(name for material in sheet.materials for name in material.energies if name in known)
        whole = any(stretch_system(known[name]) not in (None, TetherSystem) for name in names)
        alone = set() if whole else {name for name in names if stretch_system(known[name]) is TetherSystem}
        for name in (names.keys() - solved) | alone:
            rest = "the rest of the cloth keeps its length" if whole else "no part of the cloth keeps its length by it"
            sentences.append(
                f"{sheet.name}: Keep Length (global_iterations) cannot solve for the energy '{name}' "
                f"({known[name].LABEL}): only iterations act on it, so it gives way where they or substeps are few; {rest}. "
                "Raise iterations or substeps if that shows."
            )
    return sorted(sentences)


def sheet_systems(model: Model) -> list[SheetSystem]:
    """One for each cloth with a membrane or springs."""
    dtype = np.dtype(model.settings.dtype)
    stretching: dict[int, list] = {}
    tethers: dict[int, list] = {}
    bends: dict[int, list] = {}
    for number, batch in enumerate(model.batches):
        system = stretch_system(batch.energy)
        if system is None and not hasattr(batch.energy, "bending_matrix"):
            continue
        for material, body, corners, places in batch_parts(model, batch):
            if hasattr(batch.energy, "bending_matrix"):
                bends.setdefault(body, []).append((number, batch, material))
            if system is not None and model.parts[body].kind.is_sheet:
                kind = tethers if system is TetherSystem else stretching
                kind.setdefault(body, []).append((number, system, batch, material, corners, places))
    return [
        SheetSystem(model, [SheetPart(model, model.parts[body], systems, tethers.get(body, []), bends.get(body, []), dtype)])
        for body, systems in sorted(stretching.items())
    ]
