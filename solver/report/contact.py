"""What the report of a frame says of contact."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.contact import Contact
from ..contact.intersections.incidents import Incidents
from .location import Location, locations


def report(contact: Contact, origin: np.ndarray) -> dict[str, Any]:
    """The fields of `report.Report` that are of contact, for the frame that ended. origin: [m], (3,)."""

    def where(found: Incidents) -> tuple[Location, ...]:
        return locations(found.one, found.other, found.points + origin, contact.names)

    found = {"intersection_locations": where(contact.intersections()), "unresolved_locations": where(contact.unresolved())}
    numbers = contact.statistics()
    return found | {
        "contacts": numbers.contacts,
        "pairs": numbers.pairs,
        "deepest": numbers.deepest,
        "clamped": numbers.clamped,
        "intersections": numbers.intersections,
        "unresolved": numbers.unresolved,
    }
