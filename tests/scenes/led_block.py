"""A metre of rubber with driven ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver import Material, Pins, SoftBody
from tests.validation.meshes import cube

#: Duration of the ends' motion [s].
LED = 0.2


def led_block(poisson: float, motion: str, n: int = 4, young: float = 1e5, damping: float = 0.0, **more: Any) -> SoftBody:
    """One end is moved by half a metre ("stretch") or turned by a right angle. n: cells a side. more: of `SoftBody`."""
    rest, tetrahedra = cube(n)
    ends = np.flatnonzero((rest[:, 0] == 0) | (rest[:, 0] == 1))
    right = rest[ends, 0] == 1

    def targets(time: float) -> np.ndarray:
        share, at = min(time / LED, 1.0), rest[ends].copy()
        if motion == "stretch":
            at[right, 0] += 0.5 * share
        else:
            (y, z), a = at[right, 1:].T - 0.5, 0.5 * np.pi * share
            at[right, 1:] = np.stack([np.cos(a) * y - np.sin(a) * z, np.sin(a) * y + np.cos(a) * z], 1) + 0.5
        return at

    material = Material.solid(1000, young, poisson, damping=damping)
    return SoftBody("block", rest, tetrahedra, material, pins=Pins(ends, 1.0, targets), **more)
