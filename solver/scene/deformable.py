"""What cloth and soft bodies share: materials with energies, pins, velocities, regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks
from .body import Body
from .material import Material
from .pins import Pins


@dataclass(frozen=True)
class Region:
    """Elements of a body that are of another material than the rest.

    elements: numbers of triangles (of a cloth) or tetrahedra (of a soft body), (k,). Their density and their energies are
    those of `material`; thickness and friction stay the body's. An edge between two materials is of the region's.
    """

    elements: Any
    material: Material


class Deformable(Body):
    """A body whose energies pull its vertices. velocities: [m/s], (n, 3). friction: None takes the material's."""

    material: Material
    pins: Pins | None
    velocities: Any
    friction: float | None
    regions: Sequence[Region]

    @property
    def materials(self) -> list[Material]:
        """Its own, then those of its regions."""
        return [self.material, *(region.material for region in self.regions)]

    def check_deformable(self, kind: str) -> None:
        """Turns what these bodies share into its working types. kind: of material. Raises: SceneError."""
        self.check()
        n = len(self.vertices)
        if not isinstance(self.material, Material):
            raise SceneError(
                f"{self.name}: material is {type(self.material).__name__}; wanted a Material. "
                f"Use load_material or Material.{kind}."
            )
        if self.material.kind != kind:
            raise SceneError(
                f"{self.name}: material '{self.material.name}' is a {self.material.kind}; wanted a {kind}. Choose one."
            )
        for key in ("rest_vertices", "velocities"):
            if getattr(self, key) is not None:
                values = checks.vertices(f"{self.name} ({key})", getattr(self, key))
                if len(values) != n:
                    raise SceneError(f"{self.name}: {key} has {len(values)} rows for {n} vertices. Give one row a vertex.")
                setattr(self, key, values)
        if self.pins is not None:
            self.pins.check(self.name, n)
        if self.friction is not None:
            checks.positive(self.name, "friction", self.friction, "", zero=True)
        if self.layer is not None and (int(self.layer) != self.layer or self.layer < 1):
            raise SceneError(f"{self.name}: layer is {self.layer!r}; wanted None, or a whole number from 1 (innermost) on.")


def checked_regions(owner: str, regions: Sequence[Region], kind: str, count: int) -> list[Region]:
    """The same regions with checked element numbers; no element may be of two."""
    taken = np.zeros(count, bool)
    checked = []
    for region in regions:
        name, material = region.material.name, region.material
        if material.kind != kind:
            raise SceneError(f"{owner}: the material '{name}' of a region is a {material.kind}; wanted a {kind}.")
        elements = np.asarray(region.elements)
        if elements.ndim != 1 or not np.issubdtype(elements.dtype, np.integer):
            raise SceneError(f"{owner}: elements of region '{name}' have shape {elements.shape}; wanted (k,) whole numbers.")
        wrong = elements[(elements < 0) | (elements >= count)]
        if len(wrong):
            raise SceneError(f"{owner}: region '{name}' has element {wrong[0]}; wanted 0 to {count - 1}.")
        if taken[elements].any():
            twice = elements[taken[elements]][0]
            raise SceneError(f"{owner}: element {twice} is of two regions, one of them '{name}'; wanted one at the most.")
        taken[elements] = True
        checked.append(Region(elements, material))
    return checked
