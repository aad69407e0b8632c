"""The linear system of soft bodies in the global step: one body, or several that touch each other."""

from __future__ import annotations

import numpy as np

from ..model.state import State
from ..steering import ITERATIONS, LATER_LEFT, SLIGHT, STIFFNESS_BELOW_BODIES
from .body_springs import BodySprings
from .contact_springs import ContactSprings
from .sheet_system import SheetSystem
from .solid_part import SolidPart

Array = np.ndarray


class SolidSystem(SheetSystem):
    """The system of some soft bodies."""

    parts: list[SolidPart]  # type: ignore[assignment]
    is_solid = True
    share_of_target = SLIGHT  # errors of a step continue as vibration of solids

    def begin(self, state: State, x0: Array, bodies: bool) -> None:
        """See `SheetSystem.begin`."""
        for part in self.parts:
            part.take_strains(state)

    def stiffen(self, contacts: ContactSprings, bodies: BodySprings | None) -> None:
        """See `SheetSystem.stiffen`."""
        contacts.stiffen(STIFFNESS_BELOW_BODIES)

    def linearise(self, state: State, x0: Array, move: Array) -> Array:
        """See `SheetSystem.linearise`."""
        return np.concatenate([part.force() for part in self.parts])

    def assemble(self, inertia: Array, exact: Array | None = None) -> None:
        """See `SheetSystem.assemble`. exact: of each group whether with the true second derivatives, (groups,) bool."""
        self._eliminated, self.couplings = self._none_eliminated, self._no_couplings
        of_bodies = np.zeros(len(self.rows), bool) if exact is None else exact[self.groups.label]
        for part, rows, blocks, bodies in zip(self.parts, self._of_parts, self._blocks, self._bodies, strict=True):
            part.assemble(inertia[rows], self.values[blocks], of_bodies[bodies])

    def store_displacements(self, state: State, swept: frozenset[int], x0: Array, move: Array) -> None:
        """None: elements that are swept on continue from their own forces (`SolidPart.go_on`)."""

    def remaining(self, left: Array, iterations: int) -> Array:
        """The motion that takes away the force left after the step, (n, 3) [m], in the order of rows, with the matrix that
        the step ended with. left: of all vertices [N], (n, 3)."""
        force = np.where(self.free[:, None], left[self.order], 0.0).astype(self.values.dtype)
        return self.solve(force, None, ITERATIONS * iterations, LATER_LEFT)
