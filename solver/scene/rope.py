"""Rope: edges with a radius, as a user gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .deformable import Deformable, Region, checked_regions
from .maps import Map
from .material import Material
from .pins import Pins
from .response import Response
from .shrink import checked_shrink
from .tearing import Tearing

Array = np.ndarray


@dataclass
class Rope(Deformable):
    """Ropes, cables or a net: edges, each an elastic rod of a round cross section.

    vertices: start positions [m], (n, 3), world space. edges: (e, 2); where more than two meet, forces continue, bending and
    twist do not. radius: of all, or of each vertex, (n,) [m]. is_straight: whether the rest shape is straight; else it
    keeps the curvature of the rest positions. shrink: share by which the rest lengths are smaller, a number or one of each
    vertex, (n,); below 0 they are larger. The mass stays. turn_start, turn_end: angles by which the first and the last
    segment of each strand are turned about its direction [rad], if both of their vertices are pinned. roll: angle of the
    width of a flat section from the horizontal, at the first segment of each strand [rad]; None for any. tearing: of a rope
    whose segments have vertices of their own; it parts between two where its tension exceeds the strength, in N of a rope.
    rest_vertices, velocities, friction, regions (of edges), self_contact, without_contact, touches, layer, response, maps:
    as of `Cloth`. thickness: distance kept between the surfaces of ropes and other objects [m]; None for none beyond the
    radius. self_thickness: that of the rope from itself, and, by half of it, from other bodies; None for `thickness`.
    """

    kind: ClassVar[str] = "rope"
    name: str
    vertices: Array
    edges: Array
    radius: Array
    material: Material
    pins: Pins | None = None
    rest_vertices: Array | None = None
    is_straight: bool = True
    turn_start: float = 0.0
    turn_end: float = 0.0
    roll: float | None = None
    tearing: Tearing | None = None
    shrink: Array | None = None
    velocities: Array | None = None
    thickness: float | None = None
    self_thickness: float | None = None
    friction: float | None = None
    regions: Sequence[Region] = ()
    self_contact: bool = True
    without_contact: Array = checks.until_checked(())
    touches: Sequence[str] | None = None
    layer: int | None = None
    response: Response | None = None
    maps: Mapping[str, Map] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.check_deformable("rope")
        n = len(self.vertices)
        self.edges = checks.elements(self.name, "edges", self.edges, 2, n)
        self.regions = checked_regions(self.name, self.regions, "rope", len(self.edges))
        self.is_straight = checks.flag(self.name, "is_straight", self.is_straight)
        for name in ("turn_start", "turn_end"):
            setattr(self, name, checks.number(self.name, name, getattr(self, name), "rad", checks.FINITE))
        if self.tearing is not None:
            checks.instance(self.name, "tearing", self.tearing, Tearing, "Use Tearing(strength).")
            self.tearing.check(self.name, self.vertices, self.rest)
        if self.roll is not None:
            self.roll = checks.number(self.name, "roll", self.roll, "rad", checks.FINITE)
        self.shrink = checked_shrink(self.name, self.shrink, n)
        self.radius = checked_radius(self.name, self.radius, n)

    @property
    def whole_edges(self) -> np.ndarray:
        """Its edges before it parts: of the first of all copies of a point, (e, 2)."""
        edges: np.ndarray = self.edges
        return edges if self.tearing is None else self.tearing.weld(len(self.vertices))[edges]


def checked_radius(owner: str, radius: ArrayLike | None, count: int) -> Array:
    """The radius at each vertex [m], (count,), of a number or one of each. Raises: SceneError."""
    if radius is None or not np.ndim(radius):
        return np.full(count, checks.number(owner, "radius", radius, "m"))
    radii = checks.array(owner, "radius", radius, (count,), "m", rows=("vertex",))
    bad = np.flatnonzero(radii <= 0)
    if len(bad):
        what, shown = f"radius[{bad[0]}]", checks.shown(radii[bad[0]])
        raise checks.wrong(owner, what, shown, "more than 0 m", "Give each vertex a radius.")
    return radii
