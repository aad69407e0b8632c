"""Strips of a matrix's rows that several threads substitute at once, with the same arithmetic for any number of threads.

The rows of a strip are ordered from both of its ends to its middle in turn: so a processor need not wait for one row before
it begins with the next, and a strip depends on its neighbours only at its beginning. The next strip waits for the first rows
from the other end, the strip's head.
"""

from __future__ import annotations

import numpy as np

from .block_matrix import Pattern

Array = np.ndarray

#: Of a strip: its first row; where every second row from the next one on is of its head no longer; the next strip's first.
FIRST, BODY, END = range(3)


def strips_of(pattern: Pattern, ends: Array) -> Array:
    """(strips, 3). ends: of each strip, the next one's first row, (strips,). A single one if rows depend on others than
    neighbours: long edges, or strips of a few rows."""
    n = pattern.vertices
    row = np.repeat(np.arange(n), np.diff(pattern.rows))
    below = pattern.columns < row
    row, column = row[below], pattern.columns[below]
    first = np.append(0, ends[:-1])
    strip = np.searchsorted(ends, np.arange(n), side="right")
    other_end = (np.arange(n) - first[strip]) % 2 == 1
    same_strip = strip[row] == strip[column]
    body = first.copy()
    np.maximum.at(body, strip[column[~same_strip]], column[~same_strip] + 1)
    in_head = other_end & (np.arange(n) < body[strip])
    apart = same_strip & (in_head[row] | in_head[column]) & (other_end[row] != other_end[column])
    if in_head[column[~same_strip]].all() and not in_head[row[~same_strip]].any() and not apart.any():
        return np.column_stack([first, body, ends]).astype(np.int32)
    return np.array([[0, 0, n]], np.int32)
