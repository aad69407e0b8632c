"""Warnings of coordinates so large that single precision cannot resolve a thickness."""

from __future__ import annotations

import numpy as np

from ...model.model import Model
from ...scene import Collider, Motion
from ...steering import SLIGHT


def far_away(model: Model) -> list[str]:
    """A sentence for each body whose results, and each collider whose faces, lie where numbers are too far apart.

    Bodies are simulated about the scene's middle, but given out in world space; colliders count from that middle.
    """
    texts = []
    finest = float(model.vertex_distance.min())
    for part in model.parts:
        own_distance = float(model.vertex_distance[part.start])
        furthest = float(np.abs(model.x_start[part.start : part.stop] + model.origin).max())
        texts += _sentence(part.body.name, furthest, "the world's origin", own_distance, "Move the scene there")
    for c in model.scene.colliders:
        if isinstance(c, Collider) and model.settings.dtype == "float32":
            furthest = float(np.abs(Motion(c.vertices, c.name).at(0.0, 1.0) - model.origin).max())
            texts += _sentence(c.name, furthest, "the bodies", finest + c.thickness, "Make it smaller, or move it nearer")
    return texts


def _sentence(name: str, furthest: float, centre: str, distance: float, advice: str) -> list[str]:
    step = float(np.spacing(np.float32(furthest)))
    if step <= SLIGHT * distance:
        return []
    return [
        f"{name}: has vertices {furthest:.3g} m from {centre}, where numbers are {step:.2g} m apart in single precision; "
        f"the distance it keeps is {distance:.2g} m. {advice}, or raise the thickness."
    ]
