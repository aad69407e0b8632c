"""Elements of each material of a batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..model.batches import ElementBatch
from ..model.model import Model
from .membrane import rows_of

Array = np.ndarray


def batch_parts(model: Model, batch: ElementBatch) -> Iterator[tuple[int, int, Array, Array]]:
    """Iterate over materials: the number, that of its body, its elements' corners, (k, corners), the first where one is
    missing, and their places, pack * 16 + lane, (k,). Packs are of one material, a batch's materials are of one body
    each."""
    index = rows_of(batch.index, batch.energy.CORNERS)
    index = np.where(index < model.n_vertices, index, index[:, :1])
    material = np.repeat(batch.material, len(index) // batch.packs)
    for number in range(len(batch.constants)):
        places = np.flatnonzero((batch.element >= 0) & (material == number))
        body = next(k for k, part in enumerate(model.parts) if part.start <= index[places[0], 0] < part.stop)
        yield number, body, index[places], places
