"""Ties: bonds between the surfaces of two bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray


@dataclass(frozen=True)
class Tie:
    """Bond between the surfaces of two bodies where these are near each other at the start.

    Each surface vertex of `body` within `distance` [m] of a triangle of `other` is tied to that triangle's nearest point by
    a spring of rest length zero. stiffness: force of a square metre over the gap [N/m^3]; ten times Young's modulus over the
    length of an edge is nearly rigid, and far more only slows the convergence of pbng and gpbd. If one of the two is a rigid
    body, vertices keep their distance from it, without a stiffness, and it moves and turns by their pull.
    vertices: those of `body` that are tied, (k,); None for all within the distance.

    Triangles with a tied corner have no contact with parts of the other body that start nearer than `distance` and the
    contact distance of the two: there the surfaces may overlap.
    """

    body: str
    other: str
    distance: float
    stiffness: float = 1e7
    vertices: Array | None = None

    def __post_init__(self) -> None:
        checks.text("Tie", "body", self.body)
        checks.text("Tie", "other", self.other)
        owner, tie = f"Tie from '{self.body}' to '{self.other}'", "in the tie"
        if self.body == self.other:
            raise SceneError(f"{owner}: both are the same body; wanted two bodies. Name another one.")
        distance = checks.number(owner, "distance", self.distance, "m", checks.NOT_NEGATIVE, tie)
        object.__setattr__(self, "distance", distance)
        object.__setattr__(self, "stiffness", checks.number(owner, "stiffness", self.stiffness, "N/m^3", where=tie))
        if self.vertices is not None:
            vertices = checks.indices(owner, "vertices", self.vertices, checks.MOST_WHOLE)
            object.__setattr__(self, "vertices", vertices)
