"""Shape-matched body: a mesh as it is, whose vertices return to where its rest shape fits, as a user gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from . import checks
from .deformable import Deformable, Region
from .maps import Map
from .material import Material
from .pins import Pins
from .response import Response

Array = np.ndarray


@dataclass
class ShapeMatched(Deformable):
    """Any mesh: open, thin, in pieces. It swings about its rest shape, moved and turned as fits best.

    vertices: start positions [m], (n, 3), world space. triangles: (t, 3), for contact and air; the material's density is
    their mass for each area [kg/m^2]. flexibility: 0 returns to the rest shape as a whole, 1 only cluster by cluster, so
    that it bends softly; cluster_size: spacing of these clusters [m], None for a third of the body's size. pins,
    rest_vertices, velocities, thickness, self_thickness, friction, self_contact, without_contact, touches, layer, response,
    maps: as of `Cloth`; regions: none.
    """

    kind: ClassVar[str] = "shape_matched"
    name: str
    vertices: Array
    triangles: Array
    material: Material
    flexibility: float = 0.5
    cluster_size: float | None = None
    pins: Pins | None = None
    rest_vertices: Array | None = None
    velocities: Array | None = None
    thickness: float | None = None
    self_thickness: float | None = None
    friction: float | None = None
    regions: Sequence[Region] = ()
    self_contact: bool = False
    without_contact: Array = checks.until_checked(())
    touches: Sequence[str] | None = None
    layer: int | None = None
    response: Response | None = None
    maps: Mapping[str, Map] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.check_deformable("shape")
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(self.vertices))
        if len(self.regions):
            raise checks.wrong(self.name, "regions", f"{len(self.regions)}", "none", "Give the whole body one material.")
        self.flexibility = checks.number(self.name, "flexibility", self.flexibility, "", checks.SHARE)
        if self.cluster_size is not None:
            self.cluster_size = checks.number(self.name, "cluster_size", self.cluster_size, "m")
