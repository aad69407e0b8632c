"""Soft body: a solid of tetrahedra as a user gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..errors import SceneError
from . import checks
from .deformable import Deformable, Region, checked_regions
from .maps import Map
from .material import Material
from .pins import Pins
from .response import Response

Array = np.ndarray


@dataclass
class SoftBody(Deformable):
    """A solid of tetrahedra, with an optional embedded visible surface.

    vertices: start positions [m], (n, 3), world space. tetrahedra: (t, 4), positively oriented. surface: start positions [m]
    of the visible mesh, (m, 3), of any resolution; it is embedded by barycentric weights. surface_triangles: of the visible
    mesh, (s, 3). contact_surface: surface for contact, the skin of the "tetrahedra", or the visible "mesh", whose contacts
    act on the tetrahedra around it. volume_fraction: filled share of each tetrahedron, (t,), in (0, 1]; scales its mass and
    its stiffness. thickness, self_thickness, friction, self_contact, without_contact, touches, layer, response, maps: as
    of `Cloth`.
    """

    kind: ClassVar[str] = "soft_body"
    name: str
    vertices: Array
    tetrahedra: Array
    material: Material
    pins: Pins | None = None
    surface: Array | None = None
    surface_triangles: Array | None = None
    contact_surface: str = "tetrahedra"
    volume_fraction: Array | None = None
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
        self.check_deformable("solid")
        self.tetrahedra = checks.elements(self.name, "tetrahedra", self.tetrahedra, 4, len(self.vertices))
        self.regions = checked_regions(self.name, self.regions, "solid", len(self.tetrahedra))
        if self.surface is not None:
            self.surface = checks.vertices(f"{self.name} (surface)", "vertices", self.surface)
        self._check_contact_surface()
        if self.volume_fraction is not None:
            shape = (len(self.tetrahedra),)
            filled = checks.array(self.name, "volume_fraction", self.volume_fraction, shape, rows=("tetrahedron",))
            bad = np.flatnonzero((filled <= 0) | (filled > 1))
            if len(bad):
                what, shown = f"volume_fraction[{bad[0]}]", checks.shown(filled[bad[0]])
                raise checks.wrong(self.name, what, shown, "more than 0, to 1", "Leave empty tetrahedra out.")
            self.volume_fraction = filled

    def _check_contact_surface(self) -> None:
        checks.one_of(self.name, "contact_surface", self.contact_surface, ("tetrahedra", "mesh"))
        if self.surface_triangles is not None:
            if self.surface is None:
                raise SceneError(
                    f"{self.name}: surface_triangles are given without surface; wanted both or neither. Give its vertices "
                    "too."
                )
            owner = f"{self.name} (surface)"
            self.surface_triangles = checks.elements(owner, "triangles", self.surface_triangles, 3, len(self.surface))
        elif self.contact_surface == "mesh":
            raise SceneError(
                f"{self.name}: contact_surface is 'mesh', but there is no mesh; wanted surface and surface_triangles. "
                "Give both, or let the tetrahedra touch."
            )
