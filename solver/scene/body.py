"""Base class of a scene's bodies; each kind of body is a file of its own beside this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from . import checks
from .material import Material
from .pins import Pins
from .pressure import Pressure
from .response import PLAIN, Response
from .sewing import Sewing

Array = np.ndarray


class Body:
    """A kind of body is a dataclass below this, in a file of its own; `model/bodies/<kind>.py` implements its simulation.

    kind: the name of that file. vertices: start positions [m], (n, 3), world space. A kind without one of the other fields
    keeps the value here; `cloth.py` documents each.
    """

    kind: ClassVar[str]
    name: str
    vertices: Array
    pins: Pins | None = None
    rest_vertices: Array | None = None
    thickness: float | None = None
    self_thickness: float | None = None
    self_contact: bool = False
    without_contact: Array = checks.until_checked(())
    touches: Sequence[str] | None = None
    layer: int | None = None
    response: Response | None = None

    @property
    def resolved_response(self) -> Response:
        """Return its response to gravity, air and fields."""
        return PLAIN if self.response is None else self.response

    shrink: Array | None = None
    pressure: Pressure | None = None
    sewing: Sewing | None = None

    @property
    def rest(self) -> Array:
        """Unstretched positions [m], (n, 3)."""
        return self.vertices if self.rest_vertices is None else self.rest_vertices

    @property
    def materials(self) -> list[Material]:
        """Every material that its energies come from; none of a body without energies."""
        return []

    def check(self) -> None:
        """Convert the common fields to their working types. Raises: SceneError."""
        self.name = checks.text(type(self).__name__, "name", self.name)
        self.vertices = checks.vertices(self.name, "vertices", self.vertices)
        n = len(self.vertices)
        for name in ("thickness", "self_thickness"):
            if getattr(self, name) is not None:
                setattr(self, name, checks.number(self.name, name, getattr(self, name), "m"))
        self.self_contact = checks.flag(self.name, "self_contact", self.self_contact)
        self.without_contact = np.unique(checks.indices(self.name, "without_contact", self.without_contact, n))
        self.touches = checks.names(self.name, "touches", self.touches)
        if self.layer is not None:
            self.layer = checks.whole(self.name, "layer", self.layer, 1, none=True)
        if self.response is not None:
            checks.instance(self.name, "response", self.response, Response, "Use Response(...).")
