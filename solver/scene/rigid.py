"""Rigid body: a closed surface that keeps its shape, as a user gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from . import checks
from .body import Body
from .response import Response

Array = np.ndarray


@dataclass
class Rigid(Body):
    """A rigid body with contact.

    vertices: start positions [m], (n, 3), world space. triangles: (t, 3), a closed surface; its volume gives the centre and
    the inertia. density: [kg/m^3]; mass: of the whole body [kg], instead of it. velocity [m/s], angular_velocity [rad/s]: at
    the start, (3,). friction: Coulomb coefficient. thickness: distance kept from other surfaces [m]. without_contact: (k,)
    vertices whose triangles have no contact. touches, response: as of `Cloth`.
    """

    kind: ClassVar[str] = "rigid"
    name: str
    vertices: Array
    triangles: Array
    density: float = 1000.0
    mass: float | None = None
    velocity: Array = checks.until_checked((0.0, 0.0, 0.0))
    angular_velocity: Array = checks.until_checked((0.0, 0.0, 0.0))
    friction: float = 0.4
    thickness: float = 0.001
    without_contact: Array = checks.until_checked(())
    touches: Sequence[str] | None = None
    response: Response | None = None

    def __post_init__(self) -> None:
        self.check()
        self.triangles = checks.elements(self.name, "triangles", self.triangles, 3, len(self.vertices))
        self.density = checks.number(self.name, "density", self.density, "kg/m^3")
        if self.mass is not None:
            self.mass = checks.number(self.name, "mass", self.mass, "kg")
        self.friction = checks.number(self.name, "friction", self.friction, "", checks.NOT_NEGATIVE)
        self.thickness = checks.number(self.name, "thickness", self.thickness, "m")
        self.velocity = checks.array(self.name, "velocity", self.velocity, (3,), "m/s", checks.FASTEST)
        spin = self.name, "angular_velocity", self.angular_velocity, (3,), "rad/s"
        self.angular_velocity = checks.array(*spin, most=checks.FASTEST)
