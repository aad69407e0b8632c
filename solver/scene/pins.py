"""Pins: vertices that follow a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SceneError
from .motion import Targets


@dataclass
class Pins:
    """Vertices that follow a target.

    indices: (k,). weight: 0 (free) .. 1 (fixed to the target), a number or (k,). In between, the pin is a spring that
    is softer the smaller the weight. targets: see `Targets`; shape (k, 3) per frame.
    """

    indices: Any
    weight: Any = 1.0
    targets: Targets = None

    def __post_init__(self) -> None:
        self.indices = np.array(self.indices, dtype=np.int64).ravel()
        self.weight = np.broadcast_to(np.asarray(self.weight, float), self.indices.shape).copy()

    def check(self, owner: str, n_vertices: int) -> None:
        """Raises: SceneError if an index or a weight is out of range."""
        bad = self.indices[(self.indices < 0) | (self.indices >= n_vertices)]
        if len(bad):
            raise SceneError(f"{owner}: pin index {bad[0]} is outside 0..{n_vertices - 1}. Name vertices that exist.")
        if len(np.unique(self.indices)) != len(self.indices):
            raise SceneError(f"{owner}: a pin index is listed twice. Name each pinned vertex once.")
        bad = np.flatnonzero(~((self.weight >= 0) & (self.weight <= 1)))
        if len(bad):
            raise SceneError(
                f"{owner}: the pin of vertex {self.indices[bad[0]]} has weight {self.weight[bad[0]]:g}; wanted 0 to 1."
            )
