"""Elements of one energy and one material, as a body, the pins or a tie brings them; `batches.py` packs them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from .bodies.painted import Share


def energy_module(name: str) -> ModuleType:
    """Return the file of an energy."""
    return importlib.import_module(f"..energies.{name}", __package__)


#: Parameters of an energy by name, numbers, and its `table`, a `FabricTable`.
EnergyValues: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class ElementGroup:
    """Elements of one energy and material. energy: name of its file in `energies/`. values: its parameters
    (`catalog.energies()`), with its `table` if it has one. rest_positions: [m], (n, 3), which `elements` number, (k,
    corners), -1 for a corner that is missing. first_vertex: row of rest_positions[0] in the solver's arrays. axes: unit
    vectors of warp and weft at each element, (k, 2, 3), or None. fraction: of each element, argument of its energy's `rest`,
    (k,): usually the share of it [1]; of an attachment its stiffness [N/m], of a tether its length [m], of a tie its area
    [m^2]. owner: body and number of the material of the values, and their factors; None for those of pins and ties. scale:
    of each element, its rest size over that of rest_positions, (k,); None for 1. painted: for a fraction from maps, the
    `bodies.painted.Share` of these, and the fraction without maps, (k,). cells: of elements that change, the elements that
    regions of the body number, (m, corners); None for elements that stay (`changing_elements.py`). across: of a cloth that
    may tear, the edge of `tearing_edges.TearingEdges` that an element spans towards each of its last corners, -1 for none,
    (k, m); of a face the edge at each of its sides, twice its number and 1 for the edge's second face, (k, 4);
    copies: of a face its corners before anything is torn, as `elements`.
    """

    energy: str
    values: EnergyValues
    rest_positions: np.ndarray
    elements: np.ndarray
    first_vertex: int
    axes: np.ndarray | None
    fraction: np.ndarray
    owner: tuple[str, int, Mapping[str, float]] | None = None
    scale: np.ndarray | None = None
    painted: tuple[Share, np.ndarray] | None = None
    cells: np.ndarray | None = None
    across: np.ndarray | None = None
    copies: np.ndarray | None = None

    def rest(self, energy: ModuleType) -> np.ndarray:
        """Return the rest data of each element, (k, REST)."""
        if self.scale is None:
            return energy.rest(self.rest_positions, self.elements, self.values, self.axes, self.fraction)
        if energy.ELEMENT == "tether":
            return energy.rest(self.rest_positions, self.elements, self.values, self.axes, self.fraction * self.scale)
        x = self.rest_positions[self.elements] * self.scale[:, None, None]  # each by itself
        corner_rows = np.arange(self.elements.size).reshape(self.elements.shape)
        elements = np.where(self.elements < 0, -1, corner_rows)
        return energy.rest(x.reshape(-1, 3), elements, self.values, self.axes, self.fraction)
