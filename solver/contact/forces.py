"""Forces of the contacts of a substep, for bodies that respond as a whole."""

from __future__ import annotations

import numpy as np

from .constraints.constraints import Constraints
from .constraints.coupled import CoupledContacts
from .constraints.linear import LinearContacts
from .constraints.pairs import PairContacts
from .constraints.tables import Array
from .surfaces.surfaces import Surfaces


class ContactForces:
    """Contacts of the current substep of a `Contact`, and their forces."""

    def __init__(self, surfaces: Surfaces, constraints: Constraints, n: int) -> None:
        """n: vertices of bodies."""
        self._owner, self._constraints, self._n = surfaces.owner, constraints, n

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

    def grow(self, factor: Array, x: Array) -> None:
        """Scale the forces of contacts by `factor` (bodies,) beyond those already returned. Written: x (n, 4) [m]."""
        self._constraints.warm_start.grow(self._owner, np.asarray(factor, x.dtype), x)

    @property
    def pushes_rigid(self) -> bool:
        """Return whether there are contacts of rigid bodies or embedded points in this substep."""
        return len(self._constraints.coupled) > 0

    def joined_bodies(self) -> Array:
        """Bodies of the two sides of each contact between what forces move, (k, 2)."""
        return self._constraints.warm_start.joined_bodies(self._owner)

    @property
    def tolerance(self) -> float:
        """Distance by which contacts of pairs may miss their targets after sweeps [m]."""
        return self._constraints.tolerance

    def meets_targets(self, x: Array) -> bool:
        """Return whether contacts of pairs, except separated ones, keep their distance to the sweeps' tolerance. x:
        (n, 4)."""
        return self._constraints.meets_targets(x)

    def linear_contacts(self) -> tuple[LinearContacts, ...]:
        """The contacts of this substep as linear inequalities; of coupled vertices there are none."""
        return self._constraints.linear()

    def pair_contacts(self) -> PairContacts:
        """Return the contacts of pairs in this substep."""
        return self._constraints.pairs

    def coupled_contacts(self) -> CoupledContacts:
        """Return the contacts of coupled vertices in this substep."""
        return self._constraints.coupled
