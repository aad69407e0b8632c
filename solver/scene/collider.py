"""Colliders, which bodies touch and do not move: animated meshes and planes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..errors import SceneError
from . import checks
from .motion import Motion, Targets

Array = np.ndarray

#: Where bodies belong that start inside a closed collider, see `Collider`.
SIDES = ("automatic", "outside", "inside")


@dataclass
class Collider:
    """A triangle mesh that bodies cannot enter, with prescribed motion.

    vertices: (n, 3) [m] world space, (frames, n, 3), or a function of time in seconds. triangles: (t, 3).
    thickness: distance that bodies keep from it [m], beside their own. touches: names of the bodies that it collides with,
    None for all. without_contact: (k,) vertices whose triangles have no contact. one_sided: contact acts on both sides, but
    penetrating vertices leave through the front of its faces, from up to `depth` [m] behind them; closed surfaces use
    `side`, whatever the orientation of their faces.
    side: side of bodies that start inside a closed surface. "automatic": inside if all of the body starts there, else
    outside; "outside": they are moved out; "inside": if any of the body starts there. enabled: whether it collides.
    """

    name: str
    vertices: Targets
    triangles: Array
    friction: float = 0.4
    thickness: float = 0.0
    touches: Sequence[str] | None = None
    without_contact: Array = checks.until_checked(())
    one_sided: bool = False
    depth: float = 0.2
    side: str = "automatic"
    enabled: bool = True

    def __post_init__(self) -> None:
        self.name = checks.text("Collider", "name", self.name)
        start = Motion(self.vertices, self.name).at(0.0, 1.0)
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(start))
        self.without_contact = np.unique(checks.indices(self.name, "without_contact", self.without_contact, len(start)))
        if not len(self.touchable):
            raise SceneError(
                f"{self.name}: without_contact leaves no triangle that could be touched; wanted one. Name fewer vertices."
            )
        self.one_sided = checks.flag(self.name, "one_sided", self.one_sided)
        self.depth = checks.number(self.name, "depth", self.depth, "m")
        check_contact(self)
        self.side = checks.one_of(self.name, "side", self.side, SIDES)

    @property
    def count(self) -> int:
        """Return the number of its vertices."""
        return len(self.vertices(0.0)) if callable(self.vertices) else np.asarray(self.vertices).shape[-2]

    @property
    def touchable(self) -> np.ndarray:
        """Return its triangles without those that have no contact, (t, 3)."""
        return self.triangles[~np.isin(self.triangles, self.without_contact).any(1)]


@dataclass
class Plane:
    """An infinite ground that bodies stay above. point [m], normal (any length), both (3,). touches, enabled: see
    `Collider`."""

    name: str
    point: Array = checks.until_checked((0.0, 0.0, 0.0))
    normal: Array = checks.until_checked((0.0, 0.0, 1.0))
    friction: float = 0.4
    thickness: float = 0.0
    touches: Sequence[str] | None = None
    enabled: bool = True

    def __post_init__(self) -> None:
        self.name = checks.text("Plane", "name", self.name)
        self.point = checks.array(self.name, "point", self.point, (3,), "m", checks.FARTHEST)
        normal = checks.array(self.name, "normal", self.normal, (3,))
        length = np.linalg.norm(normal)
        if not 0.0 < length < np.inf:
            shown = checks.shown(normal)
            raise checks.wrong(self.name, "normal", shown, "a direction", "Give one of a length that is not zero.")
        self.normal = normal / length
        check_contact(self)


class HasContact(Protocol):
    """A collider, of whatever shape."""

    name: str
    friction: float
    thickness: float
    touches: Sequence[str] | None
    enabled: bool


def check_contact(item: HasContact) -> None:
    """Convert the common fields of colliders to their working types. Raises: SceneError."""
    item.friction = checks.number(item.name, "friction", item.friction, "", checks.NOT_NEGATIVE)
    item.thickness = checks.number(item.name, "thickness", item.thickness, "m", checks.NOT_NEGATIVE)
    item.touches = checks.names(item.name, "touches", item.touches)
    item.enabled = checks.flag(item.name, "enabled", item.enabled)
