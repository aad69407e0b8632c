"""Vertices that a sheet's elements join, and the order of the rows of its system."""

from __future__ import annotations

import numpy as np

from ..topology.strands import find_strands

Array = np.ndarray

#: Lines of vertices in a strip at least, and strips at most: the more, the more threads can work at once, and the more
#: iterations it takes (8 strips of 16 lines: a fiftieth more, and a tenth of a fabric that bends stiffly). There are 1, 2, 4
#: and so on, so that 2 or 4 threads have as many each.
LINES, MOST_STRIPS = 24, 16


def pairs_of_corners(elements: Array) -> Array:
    """Every pair of different corners, (k, 2)."""
    corners = elements.shape[1]
    pairs = np.concatenate([elements[:, [a, b]] for a in range(corners) for b in range(a)])
    return pairs[pairs[:, 0] != pairs[:, 1]]


def along_longest_side(points: Array, edges: Array) -> tuple[Array, Array]:
    """The vertices row by row along the longest side, as incomplete factors want it, in strips (`linalg/strips.py`); and
    where each strip ends, (strips,)."""
    size = np.ptp(points, axis=0)
    first, second, third = np.argsort(-size, kind="stable")
    step = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean() if len(edges) else 1.0
    row = np.floor((points[:, first] - points[:, first].min()) / max(step, 1e-30) + 0.5)
    order = np.lexsort((points[:, third], points[:, second], row))
    count = min(max(1, int(row.max()) // LINES), MOST_STRIPS)
    strips = np.array_split(order, 1 << (count.bit_length() - 1))
    return np.concatenate([_from_both_ends(strip) for strip in strips]), np.cumsum([len(strip) for strip in strips])


def along_lines(edges: Array, n: int) -> Array:
    """The n vertices strand by strand, each once, in the order of the strands from both ends to the middle: the factors need
    no other blocks than from one end to the other, and a processor need not wait for one row before it begins with the next.
    edges: (e, 2), each once."""
    alone = np.setdiff1d(np.arange(n), edges)
    path = np.concatenate([*(_from_both_ends(strand) for strand in find_strands(edges, n)), alone])
    _, first = np.unique(path, return_index=True)
    return path[np.sort(first)]


def _from_both_ends(order: Array) -> Array:
    ends, half = np.empty_like(order), (len(order) + 1) // 2
    ends[0::2], ends[1::2] = order[:half], order[half:][::-1]
    return ends
