"""Response of one body to loads on the whole scene: gravity, force fields and air."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import checks
from .field import KINDS

#: Its name in messages.
OWNER = "Response"


@dataclass
class Response:
    """Response of a body to the loads on a scene.

    gravity: factor. fields: factor of all fields. kinds: factors of kinds of fields (`field.KINDS`), default 1; a field acts
    if the product is above 0. only: names of the acting fields, None for all. charge: of the body, for fields of charge.
    size: distance from a Lennard-Jones field at which its force changes its sign [m]. air_density [kg/m^3], drag, lift: None
    for those of the scene.
    """

    gravity: float = 1.0
    fields: float = 1.0
    kinds: Mapping[str, float] = field(default_factory=dict)
    only: Sequence[str] | None = None
    charge: float = 0.0
    size: float = 0.05
    air_density: float | None = None
    drag: float | None = None
    lift: float | None = None

    def __post_init__(self) -> None:
        for name in ("gravity", "fields", "charge"):
            setattr(self, name, checks.number(OWNER, name, getattr(self, name), "", checks.FINITE))
        kinds = checks.mapping(OWNER, "kinds", self.kinds)
        for kind, weight in kinds.items():
            checks.one_of(OWNER, "kinds", kind, KINDS)
            kinds[kind] = checks.number(OWNER, f"kinds['{kind}']", weight, "", checks.FINITE)
        self.kinds = kinds
        self.only = checks.names(OWNER, "only", self.only)
        self.size = checks.number(OWNER, "size", self.size, "m", checks.NOT_NEGATIVE)
        for name, unit in (("air_density", "kg/m^3"), ("drag", ""), ("lift", "")):
            if getattr(self, name) is not None:
                setattr(self, name, checks.number(OWNER, name, getattr(self, name), unit, checks.NOT_NEGATIVE))

    @property
    def number(self) -> float:
        """Return a number that is equal for equal responses."""
        return float(zlib.crc32(repr(self).encode()))

    def weight(self, kind: str, name: str) -> float:
        """Return the weight of a field; 0 if it does not act."""
        acts = self.only is None or name in self.only
        return max(self.fields * self.kinds.get(kind, 1.0), 0.0) if acts else 0.0


#: Of bodies that say nothing.
PLAIN = Response()
