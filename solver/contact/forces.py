"""Forces of the contacts of a substep, for bodies that respond as a whole."""

from __future__ import annotations

from .constraints.constraints import Constraints
from .constraints.coupled import CoupledContacts
from .constraints.linear import LinearContacts
from .constraints.pairs import PairContacts
from .constraints.tables import Array
from .constraints.tied_bodies import TiedBodies


class ContactForces:
    """Contacts of the current substep of a `Contact`, and their forces."""

    def __init__(self, constraints: Constraints, n: int) -> None:
        """n: vertices of bodies."""
        self._constraints, self._n = constraints, n

    def near(self) -> Array:
        """The vertices that the contacts of this substep may push, (n,) bool. After `begin_substep`."""
        return self._constraints.near()

    def at_vertices(self) -> Array:
        """Return the forces between surfaces that both move beyond the warm start, or beyond those already returned, on each
        vertex, (n, 3) [N]; of rigid bodies and embedded points nothing."""
        return self._constraints.warm_start.forces_since(self._n)

    def count_as_answered(self) -> None:
        """Sheets have taken up the forces of now as a whole: `at_vertices` counts from here on."""
        self._constraints.warm_start.count_as_answered()

    @property
    def pushes_rigid(self) -> bool:
        """Return whether there are contacts of rigid bodies or embedded points, or ties of these, in this substep."""
        return len(self._constraints.coupled) + len(self._constraints.tied_bodies) > 0

    def linear_contacts(self) -> tuple[LinearContacts, ...]:
        """The contacts of this substep as linear inequalities; of coupled vertices there are none."""
        return self._constraints.linear()

    def pair_contacts(self) -> PairContacts:
        """Return the contacts of pairs in this substep."""
        return self._constraints.pairs

    def tied_bodies(self) -> TiedBodies:
        """Return the ties to rigid bodies in this substep."""
        return self._constraints.tied_bodies

    def coupled_contacts(self) -> CoupledContacts:
        """Return the contacts of coupled vertices in this substep."""
        return self._constraints.coupled
