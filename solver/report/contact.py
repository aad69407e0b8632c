"""Contact in the report of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.contact import Contact
from .location import locations


def report(contact: Contact, origin: np.ndarray) -> dict[str, Any]:
    """The fields of `report.Report` that are of contact, for the frame that ended. origin: [m], (3,)."""
    unresolved, numbers = contact.results.unresolved(), contact.results.statistics()
    return {
        "unresolved_locations": locations(unresolved.one, unresolved.other, unresolved.points + origin, contact.names),
        "contacts": numbers.contacts,
        "pairs": numbers.pairs,
        "deepest": numbers.deepest,
        "clamped": numbers.clamped,
        "unresolved": numbers.unresolved,
    }
