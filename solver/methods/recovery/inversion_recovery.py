"""Inversion recovery: solids with inverted or flat tetrahedra are swept by Jacobi, with a volume that is soft meanwhile.

Gauss-Seidel leaves many elements of a solid inverted for ever; Jacobi, which treats all elements alike, does not. A nearly
incompressible neo-Hookean solid is soft in volume at first, and the stiffer the fewer inverted elements are left. At full
stiffness the local solves of 48,000 random elements blow some up to thousands of times their volume; soft to the end, 1,296
may come to rest with folds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ...elements.inversion import flipped_smallest_stretch
from ...model.model import ElementBatch, Model
from ...model.state import NOT_YET, State
from .inversion import count_small, volumes
from .jacobi_shares import jacobi_shares, rest_positions

#: An element counts as flat or inverted below this share of its rest volume.
FLAT = 0.02
#: Recovery begins when more than this share of a solid's elements are. Gauss-Seidel takes back the few per cent that a hard
#: landing inverts; by Jacobi, which converges so much slower, a jelly that falls on stairs stays at 70 % of its volume.
INVERTED = 0.05
#: It continues until no element is inverted, or their number has not decreased for some substeps: pins may prevent recovery.
#: The last few of 48,000, left to Gauss-Seidel, invert hundreds again.
PATIENCE = 200
#: A solid without inverted elements is full of stress. Its volume stays soft for so many substeps, swept by Gauss-Seidel
#: again, and stiffens by two in each RAMP of them.
RECOVERY, RAMP = 40, 4
#: The most that the stiffness of volume over mu is at first: as with Poisson's ratio 0.3.
SOFT = 1.5
#: Below this share of inverted elements it grows, in inverse proportion, by powers of two,
STIFFER = 1e-2
#: and it doubles each time that so many substeps brought no progress: soft folds can be at rest, stiff ones are not.
DOUBLES = 10


@dataclass(frozen=True)
class JacobiSweep:
    """A batch as it is swept by Jacobi, and the share of its local solve that each element moves by, (packs, LANES)."""

    batch: ElementBatch
    shares: np.ndarray


class InversionRecovery:
    """Recovery of inverted elements: keeps `State.inversion_recovery`, and gives the batches as they are swept meanwhile."""

    def __init__(self, model: Model):
        self.model = model
        self.least = {}  # of each batch of tetrahedra: six times the volume below which an element is flat, (packs, LANES)
        for number, batch in enumerate(model.batches):
            if batch.energy.ELEMENT == "tetrahedron":
                at_rest = volumes(batch.index, rest_positions(model))
                self.least[number] = (FLAT * at_rest).astype(model.settings.dtype)
        self._recovering: set[int] = set()
        self._softness: dict[int, int] = {}  # of batches whose volume is soft: its stiffness is SOFT times 2 to this
        self._jacobi_sweeps: dict[tuple[int, int | None], JacobiSweep] = {}

    def begin(self, state: State) -> None:
        """Look at a substep's start, not at the prediction: Gauss-Seidel restores elements that motion alone has
        inverted."""
        self._recovering, self._softness = set(), {}
        for number, least in self.least.items():
            batch = self.model.batches[number]
            elements = int((batch.element >= 0).sum())
            count = count_small(batch.index, least, state.x0)
            left, fewest = (int(n) for n in state.inversion_recovery[number])
            if count == 0:
                left = max(left - 1, 0) if fewest == NOT_YET else RECOVERY
                fewest = NOT_YET
            elif count < fewest and (left or count > INVERTED * elements):
                left, fewest = PATIENCE, count
            elif left:
                left -= 1
            state.inversion_recovery[number] = left, fewest
            if count and (left or count > INVERTED * elements):
                self._recovering.add(number)
            # Other energies have a rest at no volume at all, into which a soft solid of theirs collapses.
            if left and getattr(batch.energy, "inversion_recovery", None) is flipped_smallest_stretch:
                if count:
                    fewer = math.floor(math.log2(STIFFER * elements / count))
                    self._softness[number] = max(0, fewer, (PATIENCE - left) // DOUBLES)
                else:
                    self._softness[number] = (RECOVERY - left) // RAMP

    def is_recovering(self, number: int) -> bool:
        """Return whether a batch is to be swept by Jacobi in this substep."""
        return number in self._recovering

    def batch(self, number: int) -> ElementBatch:
        """A batch as soft as it is in this substep."""
        batch, softness = self.model.batches[number], self._softness.get(number)
        return batch if softness is None else _softened(batch, SOFT * 2.0**softness)

    def jacobi_sweep(self, number: int) -> JacobiSweep:
        """A batch for a sweep by Jacobi."""
        key = number, self._softness.get(number)
        if key not in self._jacobi_sweeps:
            batch = self.batch(number)
            self._jacobi_sweeps[key] = JacobiSweep(batch, jacobi_shares(self.model, batch))
        return self._jacobi_sweeps[key]


def _softened(batch: ElementBatch, most: float) -> ElementBatch:
    """The batch with a softer volume: its stiffness over mu is the first constant of every solid."""
    constants = batch.constants.copy()
    constants[:, 0] = np.minimum(constants[:, 0], most)
    return replace(batch, constants=constants)
