"""Limit on the number of candidate pairs, which bounds the memory of densely packed contact."""

from __future__ import annotations

import numpy as np

from ...errors import ContactMemoryError
from ...steering import MOST_PAIRS_A_PARTICLE, MOST_PAIRS_AT_LEAST
from ..surfaces.surfaces import Surfaces

Array = np.ndarray

#: Largest memory of a candidate pair [bytes]: 40 in each of two alternating lists, 50 in the blocks of its search, 40 in the
#: result of the search, 10 for its distance.
PAIR_BYTES = 180


class PairLimit:
    """most: largest number of candidate pairs at one time."""

    def __init__(self, surfaces: Surfaces) -> None:
        self._surfaces = surfaces
        self.most = max(MOST_PAIRS_AT_LEAST, MOST_PAIRS_A_PARTICLE * int(np.count_nonzero(surfaces.active)))

    def check(self, count: int, where: Array) -> None:
        """where: some particles of pairs, of any shape.

        Raises: ContactMemoryError above the limit; the message names the object with most of the particles.
        """
        if count <= self.most:
            return
        s = self._surfaces
        name = s.names[int(np.bincount(s.owner[where].ravel(), minlength=1).argmax())]
        raise ContactMemoryError(
            f"{name}: {count:,} pairs of surface elements are near each other, most of them here; wanted at most "
            f"{self.most:,}, which take {1e-9 * self.most * PAIR_BYTES:.1f} GB. Lower its Collision Distance, take fewer "
            "vertices where it is crushed together, or raise the substeps."
        )
