"""Numbers that go for all of something or for each of it alike: of vertices, of stitches."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import checks

Array = np.ndarray


def each(
    owner: str, what: str, value: ArrayLike, count: int | str, within: checks.Range = checks.SHARE,
    where: str = checks.OBJECT, noun: str = "vertex",
) -> Array:  # fmt: skip
    """Return the number of each, (count,), or (1,) for a single number if the count is unknown, a letter.

    within: range of each. where: place of the remedy. noun: their owners in messages. Raises: SceneError.
    """
    if np.ndim(value) == 0:
        return np.full(count if isinstance(count, int) else 1, checks.number(owner, what, value, "", within, where))
    numbers = checks.array(owner, what, value, (count,), rows=(noun,))
    bad = np.flatnonzero((numbers < within.low) | (numbers > within.high))
    if len(bad):
        shown = checks.shown(numbers[bad[0]])
        raise checks.wrong(owner, f"{what}[{bad[0]}]", shown, within.words(), f"Change it {where}.")
    return numbers
