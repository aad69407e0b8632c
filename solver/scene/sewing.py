"""Sewing: edges without faces that pull their ends together, and hold them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from . import checks
from .shares import each

Array = np.ndarray

OWNER, PLACE = "Sewing", "in the sewing"
#: Gap at which a seam breaks [m].
GAPE = 0.002


@dataclass(frozen=True)
class Sewing:
    """Stitches of a cloth: pairs of its vertices that come together and stay together.

    edges: vertices, (k, 2). force: most that a metre of open seam pulls by [N/m], None for any. weight: 0 to 1, a number or
    one of each stitch, (k,): share of the stiffness and the force; 0 is no stitch, and opens one that was closed.
    closing_time: in which an open seam closes but for a third [s], where the force allows it. stiffness: force of a metre of
    seam over its gap [N/m^2]. strength: force on a metre of closed seam at which its stitches break for good [N/m], None for
    never; one that may break gapes by `GAPE` at most before.
    """

    edges: Array
    force: float | None = None
    weight: Array = checks.until_checked(1.0)
    closing_time: float = 0.15
    stiffness: float = 1e5
    strength: float | None = None

    def __post_init__(self) -> None:
        edges = checks.indices(OWNER, "edges", self.edges, checks.MOST_WHOLE, ("k", 2))
        alike = np.flatnonzero(edges[:, 0] == edges[:, 1])
        if len(alike):
            raise checks.wrong(
                OWNER, f"edges[{alike[0]}]", f"from vertex {edges[alike[0], 0]} to itself", "two vertices", "Take it out."
            )
        object.__setattr__(self, "edges", edges)
        if self.force is not None:
            object.__setattr__(self, "force", checks.number(OWNER, "force", self.force, "N/m", where=PLACE))
        if self.strength is not None:
            object.__setattr__(self, "strength", checks.number(OWNER, "strength", self.strength, "N/m", where=PLACE))
        object.__setattr__(self, "weight", each(OWNER, "weight", self.weight, len(edges), where=PLACE, noun="stitch"))
        for name, unit in (("closing_time", "s"), ("stiffness", "N/m^2")):
            object.__setattr__(self, name, checks.number(OWNER, name, getattr(self, name), unit, where=PLACE))

    @property
    def holding_stiffness(self) -> float:
        """Return the force of a metre of seam over its gap [N/m^2], so high that it gapes little before it breaks."""
        return self.stiffness if self.strength is None else max(self.stiffness, self.strength / GAPE)

    def check(self, owner: str, triangles: Array, count: int) -> None:
        """triangles: of the cloth, (t, 3); count: its vertices. Raises: SceneError if an edge does not fit it."""
        checks.indices(owner, "sewing edges", self.edges, count, ("k", 2))
        if not np.isin(self.edges, triangles).any(1).all():
            loose = np.flatnonzero(~np.isin(self.edges, triangles).any(1))[0]
            raise SceneError(
                f"{owner}: sewing edge {loose} joins vertices {self.edges[loose, 0]} and {self.edges[loose, 1]}, which "
                "belong to no face; wanted an edge from a face. Delete it, or fill a face."
            )
