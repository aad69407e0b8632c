"""Seams of cloths: sewn vertices, and their positions in the closed seam."""

from __future__ import annotations

import numpy as np

from ..device.cpu import LANES
from ..energies import sewing
from ..topology.components import label_components
from .model import Model

Array = np.ndarray


def stitches(model: Model) -> Array:
    """The vertices of all stitches, (k, 2)."""
    rows = [part.body.sewing.edges + part.start for part in model.parts if part.body.sewing is not None]
    return model.rows(np.concatenate([np.zeros((0, 2), np.int64), *rows]))


def broken_stitches(model: Model, strains: list[Array]) -> int:
    """Return the number of stitches that have broken. strains: of each batch, at the substep's start."""
    broken = 0
    for batch, numbers in zip(model.batches, strains, strict=True):
        if batch.energy is sewing:
            lengths = numbers[:, 2 * LANES : 3 * LANES]
            broken += int(((lengths >= sewing.UNPICKED) & (batch.element.reshape(-1, LANES) >= 0)).sum())
    return broken


def met(x: Array, pairs: Array) -> Array:
    """Return positions (n, 3) with vertices joined by stitches at their mean: contact leaves out pairs of elements with a
    common point, which it would keep apart otherwise. pairs: (k, 2)."""
    if not len(pairs):
        return x
    label = label_components(pairs, len(x))
    count = np.bincount(label, minlength=label.max() + 1)
    mean = np.stack([np.bincount(label, x[:, axis]) / np.maximum(count, 1) for axis in range(3)], 1)
    sewn = np.zeros(len(x), bool)
    sewn[pairs] = True
    return np.where(sewn[:, None], mean[label], x)
