"""Air around the bodies: drag and lift of surfaces and ropes in the wind."""

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
    """Drag and lift of all surface triangles, each twice with half its area, and drag of all rope segments. Bodies with
    equal numbers form one group."""

    def __init__(self, model: Model, responses: Sequence[Response]):
        self._model = model
        self.numbers = numbers_of(model, responses)
        self.dtype = np.dtype(model.settings.dtype)
        self._groups: list[_Blown] = []
        for elements in (model.blown, model.blown_lines):
            body = model.body_of_vertex[elements[:, 0]]
            for numbers in dict.fromkeys(self.numbers):
                here = np.array([numbers_of_body == numbers for numbers_of_body in self.numbers])[body]
                if numbers[0] > 0 and here.any():
                    diameters = model.line_diameters[here] if elements is model.blown_lines else None
                    self._groups.append(_Blown(elements[here], diameters, numbers, model.n_vertices, self.dtype))

    def act(self, state: State, wind: Array, local: Array | None, h: float) -> None:
        """Apply the air forces of a wind [m/s], (3,), and of one at each vertex, (n, 3), over h seconds to the velocities.

        With a history, the forces use the expected velocity at the substep's end: second order, as BDF2.
        """
        if not self._groups:
            return
        uploaded, v = np.asarray(wind, self.dtype), state.v
        ratio = h / self.dtype.type(state.step_before)
        seen = v + np.where(state.history[:, None], ratio * (v - state.v_before), self.dtype.type(0))
        if local is not None:  # only the velocity relative to the wind counts
            seen[: self._model.n_vertices] -= np.asarray(local, self.dtype)
        for group in self._groups:
            group.act(state.x, v, seen, uploaded, h)


class _Blown:
    """Triangles, or segments with their diameters [m], of bodies with the same numbers."""

    def __init__(self, elements: Array, diameters: Array | None, numbers: Numbers, n: int, dtype: np.dtype) -> None:
        self._elements, corners = elements, elements.ravel()
        self._first = np.zeros(n + 1, np.int32)
        np.cumsum(np.bincount(corners, minlength=n), out=self._first[1:])
        self._incident = (np.argsort(corners, kind="stable") // elements.shape[1]).astype(np.int32)
        density, *self._coefficients = (dtype.type(number) for number in numbers)
        self._diameters = None if diameters is None else diameters.astype(dtype)
        self._pressure = dtype.type(0.25 if diameters is None else 0.5) * density
        self._rate, self._push = np.empty(len(elements), dtype), np.empty((len(elements), 3), dtype)

    def act(self, x: Array, v: Array, seen: Array, wind: Array, h: float) -> None:
        drag, lift = self._coefficients
        if self._diameters is None:
            parts = self._elements, wind, self._pressure, drag, lift
            integrate.blow_on_triangles(x, seen, *parts, self._rate, self._push)
        else:
            parts = self._elements, self._diameters, wind, self._pressure, drag
            integrate.blow_on_segments(x, seen, *parts, self._rate, self._push)
        integrate.add_air(x, v, seen, self._first, self._incident, wind, self._rate, self._push, h)


def numbers_of(model: Model, responses: Sequence[Response]) -> list[Numbers]:
    """Return the air numbers of each body: its own, or those of the scene."""
    scene = model.scene
    return [
        (
            scene.air_density if response.air_density is None else response.air_density,
            scene.drag if response.drag is None else response.drag,
            scene.lift if response.lift is None else response.lift,
        )
        for response in responses
    ]
