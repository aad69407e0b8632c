"""Colliders given by a formula: the signed distance to a resting solid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import checks
from .collider import check_contact

Array = np.ndarray


@dataclass
class ShapeCollider(ABC):
    """A solid that rests, and that bodies stay outside of. A kind of it is a dataclass below this with `signed_distance`.

    Vertices touch it, not the faces and edges between them; it should be larger than these. Rigid bodies and embedded
    meshes do not touch it. friction, thickness, touches, enabled: see `Collider`.
    """

    name: str
    friction: float = 0.4
    thickness: float = 0.0
    touches: Sequence[str] | None = None
    enabled: bool = True

    def __post_init__(self) -> None:
        self.name = checks.text(type(self).__name__, "name", self.name)
        check_contact(self)

    @abstractmethod
    def signed_distance(self, points: Array) -> tuple[Array, Array]:
        """Return the distance of points to the surface [m], (k,), negative inside, and its gradient, the unit normal that
        points away from the solid, (k, 3). points: [m], (k, 3), world space."""
