"""Elements that an energy file finds, of the kind that it brings."""

from __future__ import annotations

import numpy as np

from ..errors import MaterialError
from ..scene import catalog
from .element_group import EnergyValues, energy_module

Array = np.ndarray

#: Functions that need elements which stay.
OF_FIXED_ELEMENTS = ("linearise", "bending_matrix", "excess_at_start", "flow_at_start")


def elements_at(energy: str, x: Array, cells: Array | None, values: EnergyValues) -> Array:
    """Return the elements that the file which brings their kind finds, (k, corners).

    energy: of the elements. x: positions [m], (n, 3). cells: the elements that regions of the body number, (m, corners).
    values: parameters of the energy. Raises: MaterialError if they are no vertices, or need to stay.
    """
    kind, module = catalog.element_kinds()[catalog.energies()[energy].element], energy_module(energy)
    elements = np.asarray(energy_module(kind.brought_by).find_elements(x, cells, values))
    if elements.ndim != 2 or elements.shape[1] != module.CORNERS or not np.issubdtype(elements.dtype, np.integer):
        raise MaterialError(
            f"{kind.brought_by}.py: find_elements returns {elements.dtype} of shape {elements.shape}; wanted vertices, "
            f"(k, {module.CORNERS})."
        )
    if len(elements) and not -1 <= elements.min() <= elements.max() < len(x):
        raise MaterialError(
            f"{kind.brought_by}.py: find_elements returns vertices {elements.min()} to {elements.max()}; wanted 0 to "
            f"{len(x) - 1}, or -1 for none."
        )
    fixed = [name for name in OF_FIXED_ELEMENTS if hasattr(module, name)]
    if kind.changes and fixed:
        raise MaterialError(
            f"{energy}.py: has {fixed[0]}, which needs elements that stay; its elements change in each substep. Take it out."
        )
    return elements.astype(np.int32)
