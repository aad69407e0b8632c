"""Locations of contact failures in a scene, by objects and points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Location:
    """A failure between two objects, or of one with itself (then `other` is `one`).

    count: of edges or pairs. point: the one that is nearest to the middle of all [m], world space.
    """

    one: str
    other: str
    count: int
    point: tuple[float, float, float]

    def __str__(self) -> str:
        x, y, z = self.point
        other = "itself" if self.one == self.other else self.other
        return f"{self.count} of {self.one} with {other} near ({x:.3g}, {y:.3g}, {z:.3g}) m"


def locations(one: Array, other: Array, points: Array, names: Sequence[str]) -> tuple[Location, ...]:
    """Group points by their pair of objects, the largest group first.

    one, other: numbers of objects, (k,). points: [m], (k, 3), world space. names: of all objects.
    """
    if not len(one):
        return ()
    low, high = np.minimum(one, other), np.maximum(one, other)
    groups, of = np.unique(np.stack([low, high], 1), axis=0, return_inverse=True)
    located = []
    for number, (a, b) in enumerate(groups.tolist()):
        mine = points[of.ravel() == number]
        typical = mine[np.argmin(((mine - np.median(mine, axis=0)) ** 2).sum(1))]
        located.append(Location(names[a], names[b], len(mine), (float(typical[0]), float(typical[1]), float(typical[2]))))
    return tuple(sorted(located, key=lambda location: (-location.count, location.one, location.other)))
