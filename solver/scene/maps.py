"""Painted numbers: a factor at each vertex of a body, by which a number of its material changes smoothly over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray

#: Painted quantities -> the values that they scale.
PAINTED = {
    "stretch": "the stretch stiffness of membranes, springs and solids",
    "shear": "the stiffness of membranes against shear",
    "bending": "the stiffness against bending",
    "damping": "the damping of every energy",
    "yield": "the yield of bends and stretch",
    "density": "the density",
    "friction": "the friction",
    "pin_stiffness": "the stiffness of pins that give",
    "pin_strength": "the strength of pins",
    "tear_strength": "the strength against tearing",
}


@dataclass
class Map:
    """A painted factor. weights: of each vertex, 0 to 1, (n,). The factor is linear in the weight, `low` at 0 and `high` at
    1; an element has the mean of its corners.

    source: name of the painted weights. If weights change from frame to frame, maps that are equal at first and differ later
    need different sources.
    """

    weights: Array
    low: float
    high: float
    source: str = ""

    def __post_init__(self) -> None:
        self.low, self.high = (
            checks.number("Map", name, getattr(self, name), "", checks.NOT_NEGATIVE, "in the map")
            for name in ("low", "high")
        )

    def is_as(self, other: Map) -> bool:
        """Return whether both are painted alike."""
        return self.source == other.source and np.array_equal(self.weights, other.weights)

    @property
    def factors(self) -> Array:
        """Return the factor at each vertex, (n,)."""
        return self.low + (self.high - self.low) * self.weights

    def check(self, owner: str, name: str, count: int) -> None:
        """count: vertices of the body. Raises: SceneError if the weights do not fit."""
        what = f"map '{name}'"
        self.weights = checks.array(owner, what, self.weights, (count,), rows=("vertex",))
        bad = np.flatnonzero((self.weights < 0) | (self.weights > 1))
        if len(bad):
            problem = f"{self.weights[bad[0]]:g} at vertex {bad[0]}"
            raise checks.wrong(owner, what, problem, "0 to 1", "Change the weights.")


def checked_maps(owner: str, maps: Mapping[str, Map], count: int) -> dict[str, Map]:
    """Return the same maps, by the quantities that they scale. Raises: SceneError."""
    checked = checks.mapping(owner, "maps", maps)
    for name, one in checked.items():
        if name not in PAINTED:
            raise SceneError(f"{owner}: map '{name}' is unknown; wanted one of {', '.join(PAINTED)}. Name one of these.")
        checks.instance(owner, f"map '{name}'", one, Map, "Use Map(weights, low, high).").check(owner, name, count)
    return checked


def repainted(owner: str, maps: Mapping[str, Map], weights: Mapping[str, Any]) -> dict[str, Map]:
    """The same maps with other weights, by name. Raises: SceneError if there is no such map, weights do not fit, or two of
    one source go apart."""
    changed = dict(maps)
    for name, new_weights in weights.items():
        if name not in maps:
            raise SceneError(
                f"{owner}: has no map '{name}' whose weights could change; wanted one of {', '.join(maps) or 'none'}. Give "
                "it Map(weights, low, high)."
            )
        changed[name] = replace(maps[name], weights=new_weights)
        changed[name].check(owner, name, len(maps[name].weights))
    for name in changed:
        apart = [other for other in changed if maps[name].is_as(maps[other]) and not changed[name].is_as(changed[other])]
        if apart:
            raise SceneError(
                f"{owner}: the maps '{name}' and '{apart[0]}' are alike at the start and not at another frame. Give each a "
                "source."
            )
    return changed


def factors(maps: Mapping[str, Map], name: str, count: int) -> Array:
    """Return the factor of each of `count` vertices, 1 without a map."""
    return maps[name].factors if name in maps else np.ones(count)
