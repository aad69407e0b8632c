"""Pressure of a gas or fluid in a cloth on its faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import checks
from .shares import each

Array = np.ndarray

OWNER, PLACE = "Pressure", "in the pressure"


@dataclass(frozen=True)
class Pressure:
    """The pressure inside a cloth over that around it, along the faces' normals.

    uniform: [Pa], at any volume. ambient: pressure around the cloth [Pa], which a gas inside balances at the target volume:
    at a volume V it adds ambient (target_volume / V - 1). target_volume: [m^3]; None is that at the start, and 0 takes the
    gas away. fluid_density: of a fluid inside [kg/m^3], less than 0 for one outside: the pressure grows by it along gravity,
    from none at the cloth's highest vertex. weight: share of the pressure, 0 to 1, a number or one of each vertex, (n,);
    faces with a corner of weight 0 do not count for the volume. A hole is closed by a fan to the mean of its corners for
    the volume, and nothing presses on the fan.
    """

    uniform: float = 0.0
    ambient: float = 0.0
    target_volume: float | None = None
    fluid_density: float = 0.0
    weight: Array = checks.until_checked(1.0)

    def __post_init__(self) -> None:
        for name, unit, within in (
            ("uniform", "Pa", checks.FINITE),
            ("ambient", "Pa", checks.NOT_NEGATIVE),
            ("fluid_density", "kg/m^3", checks.FINITE),
        ):
            object.__setattr__(self, name, checks.number(OWNER, name, getattr(self, name), unit, within, PLACE))
        if self.target_volume is not None:
            volume = checks.number(OWNER, "target_volume", self.target_volume, "m^3", checks.NOT_NEGATIVE, PLACE)
            object.__setattr__(self, "target_volume", volume)
        object.__setattr__(self, "weight", each(OWNER, "weight", self.weight, "n", where=PLACE))

    def weights(self, owner: str, count: int) -> Array:
        """Return the weights of a cloth's vertices, (count,). Raises: SceneError, naming it, for another number of
        weights."""
        if len(self.weight) not in (1, count):
            shape_text = f"of shape {self.weight.shape}"
            raise checks.wrong(
                owner, "pressure weight", shape_text, f"a number, or one of {count} vertices", "Give each one."
            )
        return np.broadcast_to(self.weight, count)
