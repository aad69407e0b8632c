"""Grabs: vertices of a body that are drawn to where a hand has them, from one frame to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import checks

Array = np.ndarray

#: What messages call it.
OWNER = "Grab"


@dataclass(frozen=True)
class Grab:
    """What a hand does to a body in a frame: a spring from each vertex to its target, which begins where the vertex is as
    it is grabbed.

    vertices: simulated ones, (k,). moved: how far the targets go in the frame, in straight lines [m], (3,) or (k, 3).
    stiffness: of each spring [N/m], a number or (k,); infinite holds the vertex at its target. damping: of the springs, a
    time [s]: force of the distance's rate over that of the distance.
    Vertices that pins of the body hold wholly stay held by these.
    """

    vertices: Any
    stiffness: Any
    moved: Any = (0.0, 0.0, 0.0)
    damping: float = 0.0

    def __post_init__(self) -> None:
        vertices = checks.indices(OWNER, "vertices", self.vertices, checks.MOST_WHOLE)
        count = len(vertices)
        if len(np.unique(vertices)) != count:
            raise checks.wrong(OWNER, "a vertex", "listed twice", "each once", "Name each vertex once.")
        shape = (3,) if np.ndim(self.moved) == 1 else (count, 3)
        moved = checks.array(OWNER, "moved", self.moved, shape, "m", rows=("vertex",) if len(shape) > 1 else ())
        stiffness = (
            np.full(count, self.stiffness, float) if np.isscalar(self.stiffness) else np.asarray(self.stiffness, float)
        )
        if stiffness.shape != (count,) or np.isnan(stiffness).any() or (stiffness <= 0).any():
            found = checks.shown(self.stiffness)
            raise checks.wrong(OWNER, "stiffness", found, "more than 0 N/m, infinite to hold", "Give one, or one a vertex.")
        damping = checks.number(OWNER, "damping", self.damping, "s", checks.NOT_NEGATIVE, "in the grab")
        for name, value in (("vertices", vertices), ("moved", moved), ("stiffness", stiffness), ("damping", damping)):
            object.__setattr__(self, name, value)

    @property
    def springs(self) -> dict[str, Any]:
        """All but how far they go, as JSON values."""
        return {"vertices": self.vertices.tolist(), "stiffness": self.stiffness.tolist(), "damping": self.damping}
