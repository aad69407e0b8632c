"""Cloth: a sheet of triangles as a user gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from . import checks
from .deformable import Deformable, Region, checked_regions
from .maps import Map
from .material import Material
from .pins import Pins
from .pressure import Pressure
from .response import Response
from .sewing import Sewing
from .shrink import checked_shrink
from .tearing import Tearing

Array = np.ndarray


@dataclass
class Cloth(Deformable):
    """A sheet of triangles.

    vertices: start positions [m], (n, 3), world space. triangles: (t, 3). uv: (n, 2) in metres-like units, its u axis is the
    warp; without it the warp is the mesh's world X, projected on each triangle. rest_vertices: unstretched shape [m], (n,
    3); default: the start. velocities: [m/s], (n, 3).
    thickness: distance kept from other surfaces [m]; None chooses one from the mesh. self_thickness: distance kept from
    itself, and, by half of it, from other bodies [m]; None for `thickness`. friction: None takes the material's.
    self_contact: whether the sheet collides with itself. without_contact: (k,) vertices whose triangles have no contact.
    touches: names of the bodies and colliders that it collides with, None for all; two objects collide if both do so. layer:
    of bodies worn over one another, from 1, innermost, on: intersections at the start are resolved so that the higher layer
    is on the front side of the other's faces; None resolves them by the shorter way.
    response: to gravity, air and fields; None is that of the scene.
    maps: painted factors, by the quantity that they scale, of `maps.PAINTED`.
    shrink: share by which the rest shape is smaller, a number or one of each vertex, (n,); below 0 it is larger. The mass
    stays. pressure: of the enclosed gas or fluid. sewing: its stitches. tearing: of a mesh with a copy of its vertices for
    each face that may part; None for a cloth that does not tear.
    """

    kind: ClassVar[str] = "cloth"
    name: str
    vertices: Array
    triangles: Array
    material: Material
    pins: Pins | None = None
    uv: Array | None = None
    rest_vertices: Array | None = None
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
    shrink: Array | None = None
    pressure: Pressure | None = None
    sewing: Sewing | None = None
    tearing: Tearing | None = None

    def __post_init__(self) -> None:
        self.check_deformable("fabric")
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(self.vertices))
        self.regions = checked_regions(self.name, self.regions, "fabric", len(self.triangles))
        if self.uv is not None:
            self.uv = checks.array(self.name, "uv", self.uv, (len(self.vertices), 2), rows=("vertex",))
        self.shrink = checked_shrink(self.name, self.shrink, len(self.vertices))
        if self.pressure is not None:
            checks.instance(self.name, "pressure", self.pressure, Pressure, "Use Pressure(...).")
            self.pressure.weights(self.name, len(self.vertices))
        if self.sewing is not None:
            checks.instance(self.name, "sewing", self.sewing, Sewing, "Use Sewing(edges).")
            self.sewing.check(self.name, self.triangles, len(self.vertices))
        if self.tearing is not None:
            checks.instance(self.name, "tearing", self.tearing, Tearing, "Use Tearing(strength).")
            self.tearing.check(self.name, self.vertices, self.rest)

    @property
    def whole_triangles(self) -> np.ndarray:
        """Its triangles before anything is torn: of the first of all copies of a point, (t, 3)."""
        return self.triangles if self.tearing is None else self.tearing.weld(len(self.vertices))[self.triangles]
