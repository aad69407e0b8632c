"""Contacts as linear inequalities, for a solver that takes many of them at once instead of sweeping them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .tables import Array


class LinearRows(NamedTuple):
    """Some contacts: gap + normal . d >= 0 for the motion d = sum w_c (x_c - x0_c) of their point, and friction.

    normal: (k, 3). gap: over the target, at the start [m], (k,). drift: motion of the other side [m], (k, 3): slip is d less
    this, across the normal. friction: (k,). last: force in the last substep along the normal and, three numbers, across it
    [N], 0 for new contacts, (k, 4). All float64.
    """

    normal: Array
    gap: Array
    drift: Array
    friction: Array
    last: Array


class LinearContacts(Protocol):
    """Contacts of one kind in the present substep, and their forces."""

    def joined(self) -> tuple[Array, Array]:
        """Vertices that each contact joins, and their weights, (c, 4) each; a weight of 0 means no vertex."""

    def without_force(self) -> Array:
        """Return which contacts have no force yet, (c,) bool."""

    def rows(self, which: Array) -> LinearRows:
        """The contacts `which`, (k,) int64."""

    def set_forces(self, which: Array, forces: Array) -> None:
        """Give contacts a force along the normal and one across it, three numbers [N], (k, 4); sweeps continue from
        these."""

    def settle(self, which: Array, missing: Array) -> None:
        """Count contacts as met: the gaps lose their missing part, (k,) [m], and friction has done its part. Sweeps push
        them along the normal only."""
