"""Triangles of yarn fabrics with strains beyond their table's data, where the force is extrapolated."""

from __future__ import annotations

import numpy as np

from ..global_step.membrane import rows_of
from ..methods.batch import set_strains
from ..model.model import Model
from ..model.state import State
from ..scene.fabric_table import FabricTable

Array = np.ndarray

#: Names of the strains of the five axes.
NAMES = ("stretch along U", "shear", "stretch along V", "curvature along U", "curvature along V")


class BeyondData:
    """Check once a frame; each fabric is reported once."""

    def __init__(self) -> None:
        self._told: set[tuple[int, int]] = set()  # place among the batches with tables, which stays, and material

    def look(self, model: Model, state: State) -> list[str]:
        """Return a sentence for each fabric that has triangles beyond its data now, and was not reported before."""
        sentences = []
        tables = [k for k, batch in enumerate(model.batches) if getattr(batch.energy, "TABLE", False)]
        for place, number in enumerate(tables):
            batch = model.batches[number]
            if len(batch.values) == sum(key[0] == place for key in self._told):
                continue
            strains = np.zeros_like(state.strains_at_start[number])
            set_strains(batch, strains, state.x)
            rows = rows_of(strains, batch.energy.START_STRAINS)
            material = np.repeat(batch.material, len(rows) // batch.packs)
            for number_of_material, values in enumerate(batch.values):
                mine = rows[(material == number_of_material) & (batch.element >= 0)]
                if (place, number_of_material) not in self._told and len(mine):
                    sentence = _sentence(mine, values["table"], state.frame)
                    if sentence:
                        self._told.add((place, number_of_material))
                        sentences.append(sentence)
        return sentences


def _sentence(strains: Array, table: FabricTable, frame: int) -> str:
    """Empty where all are within. strains: (k, 6)."""
    strains, ranges = table.at_heights(strains), table.ranges()
    mean, half = 0.5 * (strains[:, 3] + strains[:, 5]), 0.5 * (strains[:, 3] - strains[:, 5])
    radius = np.hypot(half, strains[:, 4])
    low, high = mean - radius, mean + radius
    smallest = np.column_stack([strains[:, :3], low, low])
    largest = np.column_stack([strains[:, :3], high, high])
    beyond = (smallest < ranges[:, 0]) | (largest > ranges[:, 1])
    if not beyond.any():
        return ""
    name = table.name
    axis = int(beyond.sum(0).argmax())
    return (
        f"Frame {frame}: {int(beyond.any(1).sum())} of {len(strains)} triangles of the fabric '{name}' are strained beyond "
        f"its data, most in {NAMES[axis]} (data from {ranges[axis, 0]:.3g} to {ranges[axis, 1]:.3g}): there its force no "
        "longer grows. Use a stronger fabric, or pull it less."
    )
