"""Grabs: springs that pull vertices of a body along with a hand, from one frame to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from . import checks

Array = np.ndarray

#: What messages call it.
OWNER = "Grab"


class Springs(TypedDict):
    """Springs of a grab, as JSON."""

    vertices: list[int]
    stiffness: list[float]
    damping: float


@dataclass(frozen=True)
class Grab:
    """Grab of a body in a frame: a spring from each vertex to its target, which starts at the vertex's position.

    vertices: simulated ones, (k,). moved: displacement of the targets in the frame, in straight lines [m], (3,) or (k, 3).
    stiffness: of each spring [N/m], a number or (k,); infinite holds the vertex at its target. damping: of the springs, a
    time [s]: force of the distance's rate over that of the distance.
    Vertices that pins of the body hold wholly stay held by these.
    """

    vertices: Array
    stiffness: Array
    moved: Array = checks.until_checked((0.0, 0.0, 0.0))
    damping: float = 0.0

    def __post_init__(self) -> None:
        vertices = checks.indices(OWNER, "vertices", self.vertices, checks.MOST_WHOLE)
        count = len(vertices)
        if len(np.unique(vertices)) != count:
            raise checks.wrong(OWNER, "one of its vertices", "listed twice", "each once", "Name each vertex once.")
        each = isinstance(self.moved, (list, tuple, np.ndarray)) and len(self.moved) > 0 and np.ndim(self.moved[0]) > 0
        moved = checks.array(OWNER, "moved", self.moved, (count, 3) if each else (3,), "m", rows=("vertex",))
        stiffness = _stiffness(self.stiffness, count)
        damping = checks.number(OWNER, "damping", self.damping, "s", checks.NOT_NEGATIVE, "in the grab")
        for name, value in (("vertices", vertices), ("moved", moved), ("stiffness", stiffness), ("damping", damping)):
            object.__setattr__(self, name, value)

    @property
    def springs(self) -> Springs:
        """All but how far they go, as JSON values."""
        return {"vertices": self.vertices.tolist(), "stiffness": self.stiffness.tolist(), "damping": self.damping}


def _stiffness(stiffness: ArrayLike, count: int) -> Array:
    """Return the stiffness of each spring [N/m], (count,). Raises: SceneError."""
    if not isinstance(stiffness, (list, tuple, np.ndarray)):
        if isinstance(stiffness, (float, np.floating)) and stiffness == np.inf:
            return np.full(count, np.inf)
        return np.full(count, checks.number(OWNER, "stiffness", stiffness, "N/m", where="in the grab"))
    try:
        values = np.asarray(stiffness)
    except (ValueError, TypeError):  # reported by the check
        values = np.zeros(0)
    held = values == np.inf if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    finite = np.where(held, 1.0, values) if held.any() else stiffness
    springs = checks.array(OWNER, "stiffness", finite, (count,), "N/m", rows=("vertex",))
    bad = np.flatnonzero(springs <= 0)
    if len(bad):
        wanted = "more than 0 N/m, infinite to hold"
        raise checks.wrong(OWNER, f"stiffness of row {bad[0]}", f"{springs[bad[0]]:g}", wanted, "Raise it.")
    return np.where(held, np.inf, springs)
