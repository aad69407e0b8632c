"""Tables of contacts of pairs from a row of numbers a contact, and back."""

import numpy as np

from solver.contact.constraints.packing import Packing
from solver.contact.constraints.tables import PAIR, PairTable, by_contact
from solver.device.cpu import LANES

#: Of one contact alone.
ALONE = Packing(np.zeros(1, np.int64), np.ones(1, np.int64), np.array([0, 1]), np.array([0, 1]))


def table_of(corners, rows, keys):
    """One pack. corners: (k, 4), rows: (k, PAIR.width), keys: (k,), of up to 16 contacts."""
    table = PairTable(
        np.zeros((1, 4 * LANES), np.int32), np.zeros((1, PAIR.width * LANES)), -1 - np.arange(LANES, dtype=np.int64)
    )
    by_contact(table.corners)[0, : len(rows)] = corners
    by_contact(table.packs)[0, : len(rows)] = rows
    table.keys[: len(rows)] = keys
    return table


def rows_of(table):
    """The numbers of all contacts, a row each, (k, PAIR.width); those of lanes without one are left out."""
    return by_contact(table.packs).reshape(-1, PAIR.width)[table.keys >= 0]
