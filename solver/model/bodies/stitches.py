"""Stitches of a cloth as elements."""

from __future__ import annotations

import numpy as np

from ...energies import sewing
from ...scene import Cloth
from ...topology.seam_lengths import seam_lengths
from ..element_group import ElementGroup

Array = np.ndarray

#: Bound of a force that has none [N/m]: the largest of the energy.
ANY = 1e12


def stitch_group(body: Cloth, first_vertex: int) -> list[ElementGroup]:
    """Return the group of a cloth's stitches."""
    seam_of_body = body.sewing
    if seam_of_body is None or not len(seam_of_body.edges):
        return []
    sewn = seam_of_body.edges if body.tearing is None else body.tearing.weld(len(body.vertices))[seam_of_body.edges]
    seam = seam_lengths(body.rest, body.whole_triangles, sewn)
    most = ANY if seam_of_body.force is None else seam_of_body.force
    values = {"stiffness": seam_of_body.holding_stiffness, "force": most}
    return [ElementGroup(sewing.NAME, values, body.rest, seam_of_body.edges.astype(np.int32), first_vertex, None, seam)]
