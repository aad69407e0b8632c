"""What a frame's contact is told as."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.contact import Contact
from ..contact.intersections.edge_triangle import piercing
from .location import Place, places


def report(contact: Contact, origin: np.ndarray) -> dict[str, Any]:
    """The fields of `diagnostics.Report` that are of contact, for the frame that ended. origin: [m], (3,)."""
    s, x = contact.surfaces, contact.x1[:, :3]
    contact.intersections = 0
    tangles: tuple[Place, ...] = ()
    if contact.suspicious.any() and np.isfinite(x).all():
        edge, triangle = piercing(contact.candidates, contact.x1, contact.suspicious).T
        contact.intersections = len(edge)
        one, other = s.owner[s.edges[edge, 0]], s.owner[s.triangles[triangle, 0]]
        tangles = places(one, other, x[s.triangles[triangle]].mean(1) + origin, contact.names)
    pinched = np.concatenate([np.zeros((0, 4), np.int32), *contact.pinched])
    pairs = s.owner[pinched[:, 0]], s.owner[pinched[:, 3]]
    return {
        "tangles": tangles,
        "pinched": places(*pairs, x[pinched].mean(1) + origin, contact.names),
        "contacts": contact.count,
        "pairs": contact.pairs,
        "deepest": contact.deepest,
        "held_back": contact.held,
        "intersections": contact.intersections,
        "unresolved": contact.unresolved,
    }
