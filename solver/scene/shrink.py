"""Shrink: by what share the rest shape of a cloth is smaller than its mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks

Array = np.ndarray

#: A cloth that shrinks by more is as good as none; one that grows by more was not meant to.
SHRINK = checks.Range(-10.0, 0.95)


def checked_shrink(owner: str, value: Any, count: int) -> Array | None:
    """The share of each vertex, (count,), of a number or one of each; None where none shrinks. Raises: SceneError."""
    if value is None:
        return None
    if np.ndim(value) == 0:
        shares = np.full(count, checks.number(owner, "shrink", value, "", SHRINK))
    else:
        shares = checks.array(owner, "shrink", value, (count,), rows=("vertex",))
        bad = np.flatnonzero((shares < SHRINK.low) | (shares > SHRINK.high))
        if len(bad):
            what, found = f"shrink[{bad[0]}]", checks.shown(shares[bad[0]])
            raise checks.wrong(owner, what, found, SHRINK.words(), "Change what is painted there.")
    return shares if shares.any() else None
