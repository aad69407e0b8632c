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
    """Return the group of a cloth's stitches; each has the mean length of the faces' edges at its ends as its share of the
    seam.

    edges: of faces, (e, 2), at the first of all copies of a point; lengths: of these [m], (e,).
    """
    seam_of_body = body.sewing
    if seam_of_body is None or not len(seam_of_body.edges):
        return []
    count = np.bincount(edges.ravel(), minlength=len(body.vertices))
    share = np.bincount(edges.ravel(), np.repeat(lengths, 2), len(body.vertices)) / np.maximum(count, 1)
    sewn = seam_of_body.edges if body.tearing is None else body.tearing.weld(len(body.vertices))[seam_of_body.edges]
    ends = count[sewn] > 0
    seam = np.where(ends, share[sewn], 0.0).sum(1) / ends.sum(1)
    most = ANY if seam_of_body.force is None else seam_of_body.force
    values = {"stiffness": seam_of_body.holding_stiffness, "force": most}
    return [ElementGroup(sewing.NAME, values, body.rest, seam_of_body.edges.astype(np.int32), first_vertex, None, seam)]
