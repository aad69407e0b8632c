"""Stitches in the global step's linear system: springs, of which sweeps keep the force as a vector."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES
from .springs import SpringSystem

Array = np.ndarray


class StitchSystem(SpringSystem):
    """The stitches of one body."""

    def store_displacement(self, move: Array, displacement: Array) -> None:
        """Write the force on each stitch's second vertex [N], in the linear model at a further motion (n, 3) [m]."""
        data = self.data.astype(float)
        longer = ((move[self.ends[:, 1]] - move[self.ends[:, 0]]) * data[:, :3]).sum(1)
        force = -(data[:, 3] + data[:, 5] * longer)[:, None] * data[:, :3]
        for axis in range(3):
            displacement[self.places // LANES, axis * LANES + self.places % LANES] = force[:, axis]
