"""Stretch of a mesh's edges at its vertices; in NumPy, nothing is compiled."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: An edge shorter than this [m] at rest has no stretch.
SHORTEST = 1e-9


def edge_stretch(positions: Array, edges: Array, lengths: Array) -> Array:
    """Mean stretch of the edges at each vertex, l / l_rest - 1, signed, (n,); 0 where a vertex has none.

    positions: (n, 3) [m]. edges: (e, 2). lengths: at rest [m], (e,).
    """
    now = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1)
    share = np.where(lengths > SHORTEST, now / np.maximum(lengths, SHORTEST) - 1.0, 0.0)
    ends, n = edges.ravel(), len(positions)
    return np.bincount(ends, np.repeat(share, 2), n) / np.maximum(np.bincount(ends, minlength=n), 1)
