"""Segments of the rows of a system: of no more than one body each, and small enough that threads share them."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: Rows of a segment, and of a piece of segments, at most.
ROWS = 512


def segments_of(sizes: Array) -> tuple[Array, Array, Array]:
    """Segments of so many rows of each body in turn: up to `ROWS` rows of one body, and pieces of some segments, which have
    no more rows. Returns the first row of each segment and the end, the body of each, and the first segment of each piece
    and the end."""
    bodies: list[int] = []
    starts, pieces, row, rows = [0], [0], 0, 0
    for body, size in enumerate(sizes.tolist()):
        while size > 0:
            part = min(size, ROWS)
            if rows and rows + part > ROWS:
                pieces.append(len(bodies))
                rows = 0
            size, row, rows = size - part, row + part, rows + part
            starts.append(row)
            bodies.append(body)
    pieces.append(len(bodies))
    return np.array(starts), np.array(bodies), np.array(pieces)
