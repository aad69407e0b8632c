"""Motion of all particles in a substep, for contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class SubstepMotion(NamedTuple):
    """Straight motion from the start of a substep to its end, predicted or final.

    x0, x1: positions of bodies' and colliders' particles at the start and the end [m], the inverse mass times h^2 [m/N]
    in the last column, 0 for fixed particles, (count, 4).
    """

    x0: np.ndarray
    x1: np.ndarray
