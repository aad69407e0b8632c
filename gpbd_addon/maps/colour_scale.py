"""The scale of colours that maps on meshes share."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

#: Colours (linear RGB) from nothing to the full range, at equal distances.
COLOURS = np.array([(0.02, 0.06, 0.45), (0.02, 0.45, 0.55), (0.05, 0.55, 0.08), (0.85, 0.65, 0.02), (0.75, 0.02, 0.01)])


def colours(values: Array, full: float) -> Array:
    """RGBA of each value, (n, 4) float32: blue up to 0, red from `full` on."""
    place = np.clip(values / full, 0.0, 1.0) * (len(COLOURS) - 1)
    steps = np.arange(len(COLOURS))
    rgb = [np.interp(place, steps, COLOURS[:, k]) for k in range(3)]
    return np.stack([*rgb, np.ones(len(values))], axis=1).astype(np.float32)
