"""Common part of cloth and soft bodies: materials with energies, pins, velocities, regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ..errors import SceneError
from . import checks
from .body import Body
from .maps import Map, checked_maps
from .material import Material
from .pins import Pins

Array = np.ndarray


@dataclass(frozen=True)
class Region:
    """Elements of a body with another material than the rest.

    elements: numbers of triangles (of a cloth) or tetrahedra (of a soft body), (k,). Their density and their energies are
    those of `material`; thickness and friction stay the body's. An edge between two materials is the region's.
    """

    elements: Array
    material: Material

    def __post_init__(self) -> None:
        checks.instance("Region", "material", self.material, Material, "Use load_material or Material.fabric.")
        owner = f"Region of '{self.material.name}'"
        elements = checks.indices(owner, "elements", self.elements, checks.MOST_WHOLE, noun="element")
        object.__setattr__(self, "elements", elements)


class Deformable(Body):
    """A body with energies. velocities: [m/s], (n, 3). friction: None takes the material's. maps: painted factors
    (`maps.py`)."""

    material: Material
    pins: Pins | None
    velocities: Array | None
    friction: float | None
    regions: Sequence[Region]
    maps: Mapping[str, Map] = MappingProxyType({})

    @property
    def materials(self) -> list[Material]:
        """Return its material, then those of its regions."""
        return [self.material, *(region.material for region in self.regions)]

    def check_deformable(self, kind: str) -> None:
        """Convert the common fields of these bodies to their working types. kind: of material. Raises: SceneError."""
        self.check()
        n = len(self.vertices)
        use = f"Use load_material or Material.{kind}."
        checks.instance(self.name, "material", self.material, Material, use)
        if self.material.kind != kind:
            raise SceneError(
                f"{self.name}: material '{self.material.name}' is a {self.material.kind}; wanted a {kind}. Choose one."
            )
        if self.rest_vertices is not None:
            self.rest_vertices = checks.vertices(self.name, "rest_vertices", self.rest_vertices, (n, 3))
        if self.velocities is not None:
            arguments = self.name, "velocities", self.velocities, (n, 3), "m/s"
            self.velocities = checks.array(*arguments, most=checks.FASTEST, rows=("vertex",))
        if self.pins is not None:
            checks.instance(self.name, "pins", self.pins, Pins, "Use Pins(indices).")
            self.pins.check(self.name, self.vertices)
        if self.friction is not None:
            self.friction = checks.number(self.name, "friction", self.friction, "", checks.NOT_NEGATIVE)
        self.maps = checked_maps(self.name, self.maps, n)


def checked_regions(owner: str, regions: Sequence[Region], kind: str, count: int) -> list[Region]:
    """The same regions with checked element numbers; no element may be of two."""
    in_region = np.zeros(count, bool)
    checked = checks.sequence(owner, "regions", regions, (Region,), "a list of Regions", "Put Region(...) in brackets.")
    for region in checked:
        name = region.material.name
        if region.material.kind != kind:
            raise SceneError(
                f"{owner}: the material '{name}' of a region is a {region.material.kind}; wanted a {kind}. Choose one."
            )
        elements = checks.indices(owner, f"elements of region '{name}'", region.elements, count, noun="element")
        if in_region[elements].any():
            twice = elements[in_region[elements]][0]
            raise SceneError(
                f"{owner}: element {twice} is of two regions, one of them '{name}'; wanted one at the most. Take it out of "
                "one."
            )
        in_region[elements] = True
    return checked
