"""External actions on all of a scene beside the scene's gravity: air, fields, and the responses of bodies to these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.model import Model
from ..model.state import State
from ..scene import Response
from .air import Air, numbers_of
from .field_poses import FieldPoses
from .fields import Fields

Array = np.ndarray


@dataclass(frozen=True)
class Loads:
    """Actions in one substep. wind [m/s], gravity [m/s^2]: (3,). fields: now. responses: of each body. frame: its number,
    by which noise changes."""

    wind: Array
    gravity: Array
    fields: FieldPoses
    responses: list[Response]
    frame: int


class Surroundings:
    """Surroundings of a model; nothing is done, and no bit changed, where nothing acts."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._fields = Fields(model)
        self._air: Air | None = None

    def push(self, state: State, loads: Loads, h: float) -> None:
        """Apply all surroundings over h seconds to the velocities of vertices."""
        air = self._air_of(loads)
        if air is not None:
            air.act(state, loads.wind, self._fields.air(state, loads.fields, loads.responses, loads.frame), h)
        if self._has_fields(loads):
            self._fields.push(state, loads.fields, loads.responses, loads.gravity, h, loads.frame)

    def push_rigid(self, state: State, loads: Loads, h: float) -> None:
        """The same of rigid bodies, which feel no air."""
        if state.rigid is not None and self._has_fields(loads):
            self._fields.push_rigid(state.rigid, loads.fields, loads.responses, loads.gravity, h, loads.frame)

    def load(self, state: State, loads: Loads) -> None:
        """Add to the forces of a quasi-static solve, in which no air acts. Written: state.load."""
        if self._has_fields(loads):
            self._fields.load(state, loads.fields, loads.responses, loads.gravity, loads.frame)

    def _air_of(self, loads: Loads) -> Air | None:
        """The air with the numbers of now; None in a vacuum."""
        if not len(self._model.surface):
            return None
        numbers = numbers_of(self._model, loads.responses)
        if not any(density > 0 for density, _, _ in numbers):
            return None
        if self._air is None or self._air.numbers != numbers:
            self._air = Air(self._model, loads.responses)
        return self._air

    @staticmethod
    def _has_fields(loads: Loads) -> bool:
        pushes = any(not one.as_air for one in loads.fields.fields)
        return pushes or any(response.gravity != 1.0 for response in loads.responses)
