"""Elements of one energy and one material, as a body, the pins or a tie brings them; `batches.py` packs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class ElementGroup:
    """energy: name of its file in `energies/`. values: its parameters (`catalog.energies()`), with its `table` if it has
    one. rest_positions: [m], (n, 3), which `elements` number, (k, corners), -1 for a corner that is missing. first_vertex:
    row of rest_positions[0] in the solver's arrays. axes: unit vectors of warp and weft at each element, (k, 2, 3), or
    None. fraction: of each element, what its energy's `rest` takes, (k,): usually how much of it there is [1]; of an
    attachment its stiffness [N/m], of a tether its length [m], of a tie its area [m^2].
    """

    energy: str
    values: Mapping[str, Any]
    rest_positions: np.ndarray
    elements: np.ndarray
    first_vertex: int
    axes: np.ndarray | None
    fraction: np.ndarray
