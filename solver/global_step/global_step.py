"""Global stage: one implicit step of each sheet as a whole, before the sweeps.

Sweeps carry a load a few triangles far; here it crosses the sheet at once. The step is backward Euler of the membrane, or
of springs, and of bending, linearised at the substep's start (the prediction has false stretch in it), then where that leads
to, until little is left; each system is solved by a fixed number of conjugate gradient iterations, its step shortened where
it would raise the potential. Each contact then takes over its share of the force, and the sweeps go on from there with
attachments and contacts. Each body is a system of its own.

The sweeps leave out what the stage has solved for: where a fine, stiff sheet has folds they double the compression that is
left, and the next substeps more, until the sheet bursts. Bending alone, swept after a stage that did not know of it, drew
single edges out to four times their length. Only rounds that a tolerance asks for sweep that too, each element from its
share of the force. A sheet that is jammed, of which the last substep had to hold vertices back, is left to the sweeps for a
substep: with all its strength it would be drawn through where contact has no room for it. For one only: what few sweeps
stretch then jams the more, and the sheet would never be solved again. One that is pulled out of a tangle needs to give way,
and is left to them as long. Its bending starts from its last displacement while that lasts: a few sweeps leave it short.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..energies import spring, stvk_membrane
from ..model.model import Model
from ..model.state import State
from ..scene import Cloth
from .contact_springs import planes_of
from .membrane import MembraneSystem, rows_of
from .sheet_system import Sheet
from .springs import SpringSystem

Array = np.ndarray

#: Energies of stretch that the stage solves for, and their part in the system. With them it solves for all bending.
SYSTEMS = {stvk_membrane: MembraneSystem, spring: SpringSystem}


class GlobalStage:
    """The sheets of a model. solves: the numbers of the batches that it solves for."""

    def __init__(self, model: Model, iterations: int):
        self._model, self._iterations = model, iterations
        self._sheets = _sheets(model)
        solved: Counter[int] = Counter()
        for sheet in self._sheets:
            for number, system in (*sheet.systems, *sheet.bends):
                solved[number] += len(system.places)
        self.solves = frozenset(solved)
        # A soft body may have springs too; then sweeps do all of them.
        self._whole = frozenset(n for n, count in solved.items() if count == (model.batches[n].element >= 0).sum())

    def forget(self) -> None:
        """Before each frame, so that a restored simulation goes on with the same bits."""
        for sheet in self._sheets:
            sheet.is_at_start = sheet.was_left = False

    def begin(self, state: State) -> None:
        """Before the other displacements start: what the stage solves for starts from none."""
        bends = {number for sheet in self._sheets for number, _ in sheet.bends}
        self._kept = {number: state.displacements[number].copy() for number in bends}
        for number in self.solves:
            state.displacements[number][:] = 0

    def act(self, state: State, contact=None) -> frozenset[int]:
        """Moves x from the prediction to the step's end; elements that are swept afterwards have their forces.

        contact: the contact system after `begin_substep`; its contacts hold the sheets, and take over their forces.
        Returns the numbers of the batches that need no sweep: none where a sheet is jammed or tangled.
        """
        rows = [(sheet.part.start, sheet.part.stop) for sheet in self._sheets]
        left_out = [
            contact is not None and (contact.is_tangled(*own) or (contact.is_jammed(*own) and not sheet.was_left))
            for sheet, own in zip(self._sheets, rows, strict=True)
        ]
        solved = frozenset() if any(left_out) else self._whole
        swept = self.solves if self._model.settings.tolerance is not None else self.solves - solved
        for sheet, is_left in zip(self._sheets, left_out, strict=True):
            sheet.was_left = is_left
            if is_left:
                sheet.is_at_start = False
                for number, bend in sheet.bends:
                    bend.resume(self._kept[number], state.displacements[number], state.x)
                continue
            planes = planes_of(contact, sheet.order, sheet.rank, sheet.free, sheet.pattern)
            sheet.step(state, self._iterations, planes, swept)
        return solved

    def answer(self, state: State, contact) -> None:
        """Between contacts and contacts: each sheet takes up as a whole what moving surfaces, which the step does not know,
        have pushed it with."""
        forces = contact.forces()
        for sheet in self._sheets:
            sheet.answer(state, forces, self._iterations)


def make_global_stage(model: Model) -> GlobalStage | None:
    """None without sheets that stretch, or where the settings ask for no iterations."""
    if not model.settings.global_iterations:
        return None
    stage = GlobalStage(model, model.settings.global_iterations)
    return stage if stage.solves else None


def _sheets(model: Model) -> list[Sheet]:
    """One for each cloth with a membrane or springs: packs are of one material, a batch's materials are of one body each."""
    dtype = np.dtype(model.settings.dtype)
    found: dict[int, list] = {}
    bends: dict[int, list] = {}
    for number, batch in enumerate(model.batches):
        if batch.energy not in SYSTEMS and not hasattr(batch.energy, "flat_hessian"):
            continue
        index = rows_of(batch.index, batch.energy.CORNERS)
        material = np.repeat(batch.material, len(index) // batch.packs)
        for own in range(len(batch.constants)):
            places = np.flatnonzero((batch.element >= 0) & (material == own))
            body = next(k for k, part in enumerate(model.parts) if part.start <= index[places[0], 0] < part.stop)
            if batch.energy not in SYSTEMS:
                bends.setdefault(body, []).append((number, batch, own))
            elif isinstance(model.parts[body].body, Cloth):
                found.setdefault(body, []).append((number, SYSTEMS[batch.energy], batch, own, index[places], places))
    return [Sheet(model, model.parts[body], systems, bends.get(body, []), dtype) for body, systems in sorted(found.items())]
