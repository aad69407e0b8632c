"""Tearing of a cloth: its strength, the energy of a tear, and which of its vertices are copies of one point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray

OWNER, PLACE = "Tearing", "in the tearing"


@dataclass(frozen=True)
class Tearing:
    """Tearing of a cloth along the edges of its faces.

    strength: tension across an edge at which it breaks [N/m], of the unstretched width; of a rope its tension [N].
    fracture_energy: of a metre of tear [J/m]; with 0 the tension of single edges decides, which is the higher the finer a
    mesh is at the end of a tear. points: number of the point of each vertex, (n,): vertices of one point are copies of it,
    one beside each face that may part from the others there, and are one vertex until these do (`split_edges`).
    precut: edges of a line that is cut in advance, any copies of their ends, (k, 2); precut_share: of the strength and the
    fracture energy that is left there.
    """

    strength: float
    fracture_energy: float = 0.0
    points: Array | None = None
    precut: Array | None = None
    precut_share: float = 0.1

    def __post_init__(self) -> None:
        checked: dict[str, float | Array] = {
            "strength": checks.number(OWNER, "strength", self.strength, "N/m", checks.POSITIVE, PLACE),
            "fracture_energy": checks.number(
                OWNER, "fracture_energy", self.fracture_energy, "J/m", checks.NOT_NEGATIVE, PLACE
            ),
            "precut_share": checks.number(OWNER, "precut_share", self.precut_share, "", checks.NOT_NEGATIVE, PLACE),
        }
        if self.precut is not None:
            checked["precut"] = checks.indices(OWNER, "precut", self.precut, checks.MOST_WHOLE, ("k", 2))
        if self.points is not None:
            checked["points"] = checks.indices(OWNER, "points", self.points, checks.MOST_WHOLE, noun="point")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def check(self, owner: str, vertices: Array, rest: Array) -> None:
        """vertices, rest: of the cloth [m], (n, 3). Raises: SceneError if copies of a point are apart."""
        if self.precut is not None:
            checks.indices(owner, "precut edges", self.precut, len(vertices), ("k", 2))
        if self.points is None:
            return
        if len(self.points) != len(vertices):
            raise SceneError(
                f"{owner}: tearing has {len(self.points)} points for {len(vertices)} vertices; wanted one of each vertex. "
                "Give as many."
            )
        weld = self.weld(len(vertices))
        for name, x in (("vertices", vertices), ("rest_vertices", rest)):
            apart = np.flatnonzero((x[weld] != x).any(1))
            if len(apart):
                raise SceneError(
                    f"{owner}: {len(apart)} of its {name} are not where the others of their point are (first: vertex "
                    f"{apart[0]}, a copy of vertex {weld[apart[0]]}); wanted copies at one place. Move them together."
                )

    def weld(self, count: int) -> Array:
        """Return the first vertex of the point of each, (count,)."""
        if self.points is None:
            return np.arange(count)
        _, first, number = np.unique(self.points, return_index=True, return_inverse=True)
        return first[number.reshape(-1)]
