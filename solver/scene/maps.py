"""Painted numbers: a factor at each vertex of a body, by which a number of its material changes smoothly over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray

#: What can be painted -> what it is a factor of.
PAINTED = {
    "stretch": "the stiffness against stretch: of membranes Young's moduli, of springs and solids their stiffness",
    "shear": "the stiffness of membranes against shear",
    "bending": "the stiffness against bending",
    "damping": "the damping of every energy",
    "density": "the density",
    "friction": "the friction",
    "pin_stiffness": "the stiffness of pins that give",
}


@dataclass
class Map:
    """weights: of each vertex, 0 to 1, (n,). The factor is `low` where the weight is 0, `high` where it is 1, and in a
    straight line between; an element has the mean of its corners.

    source: what it is painted by. Where weights change from frame to frame, maps that begin alike and go apart have to name
    different ones.
    """

    weights: Any
    low: float
    high: float
    source: str = ""

    def __post_init__(self) -> None:
        self.low, self.high = (
            checks.number("Map", name, getattr(self, name), "", checks.NOT_NEGATIVE, "in the map")
            for name in ("low", "high")
        )

    def is_as(self, other: Map) -> bool:
        """Whether both are painted alike."""
        return self.source == other.source and np.array_equal(self.weights, other.weights)

    @property
    def factors(self) -> Array:
        """At each vertex, (n,)."""
        return self.low + (self.high - self.low) * self.weights

    def check(self, owner: str, name: str, count: int) -> None:
        """count: vertices of the body. Raises: SceneError if the weights do not fit."""
        what = f"map '{name}'"
        self.weights = checks.array(owner, what, self.weights, (count,), rows=("vertex",))
        bad = np.flatnonzero((self.weights < 0) | (self.weights > 1))
        if len(bad):
            found = f"{self.weights[bad[0]]:g} at vertex {bad[0]}"
            raise checks.wrong(owner, what, found, "0 to 1", "Change the weights.")


def checked_maps(owner: str, maps: Any, count: int) -> dict[str, Map]:
    """The same maps, by what they are factors of. Raises: SceneError."""
    found = checks.mapping(owner, "maps", maps)
    for name, given in found.items():
        if name not in PAINTED:
            raise SceneError(f"{owner}: map '{name}' is unknown; wanted one of {', '.join(PAINTED)}. Name one of these.")
        checks.instance(owner, f"map '{name}'", given, Map, "Use Map(weights, low, high).").check(owner, name, count)
    return found


def repainted(owner: str, maps: Mapping[str, Map], weights: Mapping[str, Any]) -> dict[str, Map]:
    """The same maps with other weights, by name. Raises: SceneError if there is no such map, weights do not fit, or two of
    one source go apart."""
    found = dict(maps)
    for name, given in weights.items():
        if name not in maps:
            raise SceneError(
                f"{owner}: has no map '{name}' whose weights could change; wanted one of {', '.join(maps) or 'none'}. Give "
                "it Map(weights, low, high)."
            )
        found[name] = replace(maps[name], weights=given)
        found[name].check(owner, name, len(maps[name].weights))
    for name in found:
        apart = [other for other in found if maps[name].is_as(maps[other]) and not found[name].is_as(found[other])]
        if apart:
            raise SceneError(
                f"{owner}: the maps '{name}' and '{apart[0]}' are alike at the start and not at another frame. Give each a "
                "source."
            )
    return found


def factors(maps: Mapping[str, Map], name: str, count: int) -> Array:
    """Of each of `count` vertices, 1 where nothing is painted."""
    return maps[name].factors if name in maps else np.ones(count)
