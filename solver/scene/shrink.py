"""Shrink: the share by which the rest shape of a cloth or a rope is smaller than its mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .shares import each

Array = np.ndarray

#: A body that shrinks by more is as good as none; one that grows by more was not meant to.
SHRINK = checks.Range(-10.0, 0.95)


def checked_shrink(owner: str, value: ArrayLike | None, count: int) -> Array | None:
    """The share of each vertex, (count,), of a number or one of each; None where none shrinks. Raises: SceneError."""
    if value is None:
        return None
    shares = each(owner, "shrink", value, count, SHRINK)
    return shares if shares.any() else None
