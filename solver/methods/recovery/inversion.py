"""Number of tetrahedra that are inverted or pressed flat, from the packs of an energy."""

from __future__ import annotations

import numpy as np

from ...device.cpu import LANES, kernel
from ...device.lanes import corner, gather
from ...mathlib import vec3


def volumes(index: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Six times the volume of every element, negative where it is inverted, (packs, LANES). index: (packs, 4 * LANES)."""
    corners = x[index.reshape(-1, 4, LANES), :3].transpose(0, 2, 1, 3)
    return np.linalg.det(corners[:, :, 1:] - corners[:, :, :1])


@kernel
def count_small(index, least, x):
    """Number of elements whose volume, times six, is not above `least`, (packs, LANES)."""
    lanes = np.empty(16 * LANES, x.dtype)
    count = 0
    for pack in range(len(index)):
        gather(x, index, pack, 4, lanes)
        limit = least[pack]
        for lane in range(LANES):
            x0 = corner(lanes, 0, lane)
            a = vec3.sub(corner(lanes, 1, lane), x0)
            b = vec3.sub(corner(lanes, 2, lane), x0)
            c = vec3.sub(corner(lanes, 3, lane), x0)
            if vec3.dot(a, vec3.cross(b, c)) <= limit[lane]:
                count += 1
    return count
