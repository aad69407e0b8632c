"""What bodies touch and do not move: animated meshes and planes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks
from .motion import Motion, Targets

#: Where bodies belong that start inside a closed collider, see `Collider`.
SIDES = ("automatic", "outside", "inside")


@dataclass
class Collider:
    """A triangle mesh that bodies cannot enter; it moves as it is told.

    vertices: (n, 3) [m] world space, (frames, n, 3), or a function of time in seconds. triangles: (t, 3).
    thickness: distance that bodies keep from it [m], beside their own. touches: names of the bodies that it touches, None
    for all. without_contact: (k,) vertices whose triangles touch nothing. one_sided: it holds from both sides, but what
    passes through it comes out where its faces look to, from up to `depth` [m] behind them; closed surfaces go by `side`,
    to whichever side their faces look.
    side: where bodies belong that start inside a closed surface. "automatic": inside where all of the body starts there,
    else outside; "outside": they are led out; "inside": where any of the body starts there.
    """

    name: str
    vertices: Targets
    triangles: Any
    friction: float = 0.4
    thickness: float = 0.0
    touches: Sequence[str] | None = None
    without_contact: Any = ()
    one_sided: bool = False
    depth: float = 0.2
    side: str = "automatic"

    def __post_init__(self) -> None:
        start = Motion(self.vertices, self.name).at(0.0, 1.0)
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(start))
        self.without_contact = checks.numbers(self.name, "without_contact", self.without_contact, len(start))
        if not len(self.touchable):
            raise SceneError(f"{self.name}: without_contact leaves no triangle that could be touched. Name fewer vertices.")
        if self.side not in SIDES:
            raise SceneError(f"{self.name}: side is {self.side!r}; wanted one of {', '.join(SIDES)}.")
        checks.positive(self.name, "depth", self.depth, "m")
        checks.positive(self.name, "friction", self.friction, "", zero=True)
        checks.positive(self.name, "thickness", self.thickness, "m", zero=True)

    @property
    def touchable(self) -> np.ndarray:
        """Its triangles without those that touch nothing, (t, 3)."""
        return self.triangles[~np.isin(self.triangles, self.without_contact).any(1)]


@dataclass
class Plane:
    """An infinite ground that bodies stay above. point [m], normal (any length), both (3,). touches: see `Collider`."""

    name: str
    point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)
    friction: float = 0.4
    thickness: float = 0.0
    touches: Sequence[str] | None = None

    def __post_init__(self) -> None:
        self.point = np.array(self.point, float)
        normal = np.array(self.normal, float)
        length = np.linalg.norm(normal)
        if not np.isfinite(self.point).all() or not np.isfinite(length) or length == 0:
            raise SceneError(
                f"{self.name}: plane through {self.point} with normal {normal}; wanted finite, non-zero values."
            )
        self.normal = normal / length
        checks.positive(self.name, "friction", self.friction, "", zero=True)
        checks.positive(self.name, "thickness", self.thickness, "m", zero=True)
