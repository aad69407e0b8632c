"""For how many substeps neighbour lists are made, and how thick the skin is that particles may leave their paths by."""

from __future__ import annotations

import numpy as np

from ...device import arrays
from ..surfaces.surfaces import Surfaces

Array = np.ndarray

#: Skin, as a share of an object's thickness and of its median edge, whichever is larger.
THICKNESS_SHARE = 0.35
EDGE_SHARE = 0.08
#: Median edges that particles may move against each other until lists are made anew.
FAR = 4.0
#: Where all is quiet lists are made for more than a frame: until particles move this share of the median edge against each
#: other, and for so many substeps at most.
QUIET = 0.25
LONGEST = 64


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
        skin[of_object] = max(THICKNESS_SHARE * thick, EDGE_SHARE * float(np.median(edges)) if len(edges) else 0.0)
    skin[s.n :] = skin[: s.n].max(initial=0)
    skin[skin == 0] = skin.max(initial=0) or 1e-4
    return skin.astype(dtype), median


def quiet_substeps(steps: Array, median_edge: float) -> int:
    """Substeps in which particles move no further than `QUIET` median edges, at most `LONGEST`. steps: (k, 3) [m]."""
    fastest = float(arrays.largest(arrays.sqrt((steps * steps).sum(1)), 0))
    return int(QUIET * median_edge / max(fastest, QUIET * median_edge / LONGEST))


def lifetime(steps: Array, median_edge: float, most: int, falling: bool) -> int:
    """Substeps that a list pays for: fewer where particles move far against each other.

    steps: of particles beside their mean motion [m], (k, 3). most: where they do. falling: what falls beside what does not
    soon is anywhere between.
    """
    quiet = quiet_substeps(steps, median_edge)
    return max(1, 0 if falling else min(LONGEST, quiet), min(most, int(FAR / QUIET * quiet)))
