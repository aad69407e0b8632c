"""The air around the bodies: wind that pushes on their surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model.model import Model
from ..model.state import State
from ..scene import Response
from . import integrate

Array = np.ndarray
#: Density [kg/m^3], drag and lift.
Numbers = tuple[float, float, float]


class Air:
    """Drag and lift of all surface triangles in a wind. Each counts twice, by half. Bodies whose numbers are the same are
    blown on together."""

    def __init__(self, model: Model, responses: Sequence[Response]):
        self._model = model
        self.numbers = numbers_of(model, responses)
        self.dtype = np.dtype(model.settings.dtype)
        body = model.body_of_vertex[model.blown[:, 0]]
        self._groups = []
        for numbers in dict.fromkeys(self.numbers):
            here = np.array([numbers_of_body == numbers for numbers_of_body in self.numbers])
            if numbers[0] > 0 and here[body].any():
                self._groups.append(self._group(model.blown if here.all() else model.blown[here[body]], numbers))

    def _group(self, triangles: Array, numbers: Numbers) -> tuple[Array, Array, Array, list]:
        corners, first = triangles.ravel(), np.zeros(self._model.n_vertices + 1, np.int32)
        np.cumsum(np.bincount(corners, minlength=self._model.n_vertices), out=first[1:])
        incident = (np.argsort(corners, kind="stable") // 3).astype(np.int32)
        return triangles, first, incident, [self.dtype.type(value) for value in (0.25 * numbers[0], *numbers[1:])]

    def act(self, state: State, wind: Array, local: Array | None, h: float) -> None:
        """Change the velocities by what a wind [m/s], (3,), and one of each vertex, (n, 3), do in h seconds.

        With a history the air meets the velocity that is expected at the substep's end: second order, as the rest of BDF2.
        """
        if not self._groups:
            return
        uploaded, v = np.asarray(wind, self.dtype), state.v
        ratio = h / self.dtype.type(state.step_before)
        seen = v + np.where(state.history[:, None], ratio * (v - state.v_before), self.dtype.type(0))
        if local is not None:  # only what differs from the wind counts
            seen[: self._model.n_vertices] -= np.asarray(local, self.dtype)
        for triangles, first, incident, numbers in self._groups:
            integrate.add_air(state.x, v, seen, triangles, first, incident, uploaded, *numbers, h)


def numbers_of(model: Model, responses: Sequence[Response]) -> list[Numbers]:
    """Return the air numbers of each body: its own, or those of the scene."""
    scene = model.scene
    default = scene.air_density, scene.drag, scene.lift
    numbers = [(response.air_density, response.drag, response.lift) for response in responses]
    filled = {o: tuple(d if value is None else value for value, d in zip(o, default, strict=True)) for o in set(numbers)}
    return [filled[o] for o in numbers]
