"""For how many substeps neighbour lists are made, and how thick the skin is that particles may leave their paths by."""

from __future__ import annotations

import numpy as np

from ...device import arrays
from ..surfaces.surfaces import Surfaces
from ..tolerances import (
    LIST_MOTION,
    LONGEST_LIFETIME,
    QUIET_LIST_MOTION,
    SKIN_EDGE_SHARE,
    SKIN_THICKNESS_SHARE,
)

Array = np.ndarray


def skins(surfaces: Surfaces, start: Array, touching: Array, dtype: np.dtype) -> tuple[Array, float]:
    """Skin of each particle [m], (count,), of colliders the largest of the bodies'; and the bodies' median edge [m].

    start: positions that bodies and colliders begin with [m], (count, 3). touching: half of what particles keep [m],
    (count,).
    """
    s = surfaces
    skin = np.zeros(s.count)
    mine = s.edges[: s.body_edges]
    lengths = np.linalg.norm(start[mine[:, 0]] - start[mine[:, 1]], axis=1)
    median = float(np.median(lengths)) if len(lengths) else float(touching.max(initial=1e-3))
    for number in range(len(s.rules)):
        of_object = s.owner == number
        edges = lengths[s.owner[mine[:, 0]] == number]
        thick = max(2 * float(s.half[of_object].max(initial=0)), float(touching[of_object].max(initial=0)))
        skin[of_object] = max(SKIN_THICKNESS_SHARE * thick, SKIN_EDGE_SHARE * float(np.median(edges)) if len(edges) else 0.0)
    skin[s.n :] = skin[: s.n].max(initial=0)
    skin[skin == 0] = skin.max(initial=0) or 1e-4
    return skin.astype(dtype), median


def quiet_substeps(steps: Array, median_edge: float) -> int:
    """Substeps in which particles move no further than is quiet, at most `LONGEST_LIFETIME`. steps: (k, 3) [m]."""
    fastest = float(arrays.largest(arrays.sqrt((steps * steps).sum(1)), 0))
    return int(QUIET_LIST_MOTION * median_edge / max(fastest, QUIET_LIST_MOTION * median_edge / LONGEST_LIFETIME))


def lifetime(steps: Array, median_edge: float, most: int, falling: bool) -> int:
    """Substeps that a list pays for: fewer where particles move far against each other.

    steps: of particles beside their mean motion [m], (k, 3). most: where they do. falling: what falls beside what does not
    soon is anywhere between.
    """
    quiet = quiet_substeps(steps, median_edge)
    return max(1, 0 if falling else min(LONGEST_LIFETIME, quiet), min(most, int(LIST_MOTION / QUIET_LIST_MOTION * quiet)))
