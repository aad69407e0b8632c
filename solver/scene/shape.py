"""Shape inputs of a cloth or a rope in one frame, given by the caller frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .pressure import Pressure

Array = np.ndarray


@dataclass(frozen=True)
class ShapeInputs:
    """Shape inputs of one cloth or rope for the coming frame; None is the scene's value.

    rest_vertices: unstretched shape [m], (n, 3), of a cloth; its mass stays. shrink: see `Cloth`, a number or (n,).
    pressure: see `Pressure`. sewing_weight: see `Sewing`, a number or one of each stitch, (k,).
    """

    rest_vertices: Array | None = None
    shrink: Array | float | None = None
    pressure: Pressure | None = None
    sewing_weight: Array | float | None = None
