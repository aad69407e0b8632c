"""The air around the bodies: wind that pushes on their surfaces."""

from __future__ import annotations

import numpy as np

from ..device import arrays
from ..model.model import Model
from ..model.state import State
from . import integrate


class Air:
    """Drag and lift of all surface triangles in a uniform wind. Each counts twice, by half."""

    def __init__(self, model: Model):
        scene = model.scene
        self.triangles = model.blown
        corners = model.blown.ravel()
        self.first = np.zeros(model.n_vertices + 1, np.int32)
        np.cumsum(np.bincount(corners, minlength=model.n_vertices), out=self.first[1:])
        self.incident = (np.argsort(corners, kind="stable") // 3).astype(np.int32)
        self.dtype = np.dtype(model.settings.dtype)
        self.numbers = [self.dtype.type(value) for value in (0.25 * scene.air_density, scene.drag, scene.lift)]

    def act(self, state: State, wind: np.ndarray, h: float) -> None:
        """Changes the velocities by what a wind [m/s], (3,), does in h seconds.

        With a history the air meets the velocity that is expected at the substep's end: second order, as the rest of BDF2.
        """
        uploaded, v = arrays.upload(wind, self.dtype, state.x), state.v
        ratio = h / self.dtype.type(state.step_before)
        seen = v + arrays.where(state.history[:, None], ratio * (v - state.v_before), self.dtype.type(0))
        integrate.add_air(state.x, v, seen, self.triangles, self.first, self.incident, uploaded, *self.numbers, h)


def make_air(model: Model) -> Air | None:
    """None in a vacuum."""
    return Air(model) if model.scene.air_density > 0 and len(model.surface) else None
