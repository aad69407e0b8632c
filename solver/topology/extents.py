"""Extents of sets of points."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: Points whose second extent is below this share of the first are on a line.
LINE = 1e-2


def has_rotation(points: Array, mass: Array) -> bool:
    """Return whether points, (n, 3), of these masses, (n,), extend in two directions, so that they have an
    orientation."""
    of = mass > 0
    if of.sum() < 3:
        return False
    q = points[of] - mass[of] @ points[of] / mass[of].sum()
    extents = np.linalg.eigvalsh((mass[of, None, None] * q[:, :, None] * q[:, None]).sum(0))
    return bool(extents[1] > LINE**2 * extents[2])
