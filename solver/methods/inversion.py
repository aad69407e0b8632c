"""How many tetrahedra are inverted, from the packs of an energy."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES, kernel
from ..device.lanes import corner, gather
from ..mathlib import vec3


@kernel
def count_inverted(index, x):
    """Number of elements without positive volume. index: (packs, 4 * LANES), of elements that are positive at rest."""
    lanes = np.empty(16 * LANES, x.dtype)
    volumes = np.empty(LANES, x.dtype)
    zero = x.dtype.type(0)
    count = 0
    for pack in range(len(index)):
        gather(x, index, pack, 4, lanes)
        for lane in range(LANES):
            x0 = corner(lanes, 0, lane)
            a = vec3.sub(corner(lanes, 1, lane), x0)
            b = vec3.sub(corner(lanes, 2, lane), x0)
            c = vec3.sub(corner(lanes, 3, lane), x0)
            volumes[lane] = vec3.dot(a, vec3.cross(b, c))
        for lane in range(LANES):
            if volumes[lane] <= zero:
                count += 1
    return count
