"""Stitches of a cloth as elements."""

from __future__ import annotations

import numpy as np

from ...energies import sewing
from ...scene import Cloth
from ..element_group import ElementGroup

Array = np.ndarray

#: Bound of a force that has none [N/m]: the largest of the energy.
ANY = 1e12


def stitch_group(body: Cloth, edges: Array, lengths: Array, first_vertex: int) -> list[ElementGroup]:
    """Of a cloth's stitches, each of which holds as much of the seam as the edges of faces at its ends are long in the mean.

    edges: of faces, (e, 2); lengths: of these [m], (e,).
    """
    made = body.sewing
    if made is None or not len(made.edges):
        return []
    count = np.bincount(edges.ravel(), minlength=len(body.vertices))
    share = np.bincount(edges.ravel(), np.repeat(lengths, 2), len(body.vertices)) / np.maximum(count, 1)
    ends = count[made.edges] > 0
    seam = np.where(ends, share[made.edges], 0.0).sum(1) / ends.sum(1)
    values = {"stiffness": made.stiffness, "force": ANY if made.force is None else made.force}
    return [ElementGroup(sewing.NAME, values, body.rest, made.edges.astype(np.int32), first_vertex, None, seam)]
