"""Pressure in cloths: a force that is known before the substep, and its response to the resulting volume.

The substep begins with the pressure that the last one ended with, the first with none, as a force on the predicted motion.
Where a gas is inside, the pressure that belongs to the volume at the end is another one. Each pascal more moves the cloth
by Y = A^-1 g, where A is the matrix of the global step and g the push of a pascal; so the pressure p at the end is the root
of

    p + s = p(V(x + s Y))

with one unknown s for each cloth, V a polynomial of s. That is the implicit step of the gas against the whole cloth
(Sherman and Morrison), stable however stiff the gas is. At rest s is none, and p is that of the volume exactly. Vertices
that no global step moves respond by their mass alone, after the sweeps.
Source: Sherman and Morrison 1950, "Adjustment of an inverse matrix corresponding to a change in one element".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from ..global_step.global_step import GlobalStep
from ..model.enclosed import Enclosed
from ..model.model import BodyPart, Model
from ..model.state import State
from ..scene import Cloth, Pressure, ShapeInputs

Array = np.ndarray

#: Share of the target volume below which a gas presses no harder.
LEAST_VOLUME = 1e-3
#: Newton steps of the one equation for the pressure.
STEPS = 20


@dataclass
class Filled:
    """A cloth that something fills. number: of the body; rows: its vertices in the model. volume: at the start [m^3]."""

    part: BodyPart
    number: int
    rows: slice
    made: Pressure
    weights: Array
    enclosed: Enclosed
    volume: float

    def gas(self, pressure: Pressure, volume: float) -> tuple[float, float]:
        """The pressure of the gas over that around it [Pa], and its slope by the volume [Pa/m^3]."""
        target = self.volume if pressure.target_volume is None else pressure.target_volume
        if target <= 0 or pressure.ambient == 0:
            return 0.0, 0.0
        held = max(volume, LEAST_VOLUME * target)
        return pressure.ambient * (target / held - 1.0), -pressure.ambient * target / held**2 if volume > held * 0.5 else 0.0

    def of_frame(self, shapes: Mapping[str, ShapeInputs]) -> Pressure:
        """Return the pressure of a frame. shapes: of the frame."""
        shape = shapes.get(self.part.body.name)
        return self.made if shape is None or shape.pressure is None else shape.pressure

    def has_gas(self, pressure: Pressure) -> bool:
        """Return whether the pressure follows the volume."""
        return self.gas(pressure, self.volume)[1] != 0.0


class PressureLoads:
    """The pressures of a model's cloths. What changes is `State.pressure`."""

    def __init__(self, model: Model) -> None:
        """cloths: that something fills. Raises: SceneError if a cloth is to be filled and encloses nothing."""
        self.cloths = [_filled(model, number, part) for number, part in enumerate(model.parts) if _has(part)]
        self._shapes: Mapping[str, ShapeInputs] = {}
        self._push: dict[int, Array] = {}

    def has_gas(self, shapes: Mapping[str, ShapeInputs]) -> bool:
        """Return whether a cloth's pressure follows its volume in a frame. shapes: of the frame."""
        return any(cloth.has_gas(cloth.of_frame(shapes)) for cloth in self.cloths)

    def act(self, state: State, gravity: Array, h: float, shapes: Mapping[str, ShapeInputs]) -> None:
        """Apply the pressures over h seconds to the velocities, or to the load of a quasi-static solve.

        Where vertices are going counts: forces at the former positions would brake rotation. gravity: [m/s^2], (3,).
        """
        self._shapes, self._push = shapes, {}
        for cloth in self.cloths:
            inputs, rows = cloth.of_frame(self._shapes), cloth.rows
            x = state.x[rows, :3].astype(float)
            if state.inertia:
                x = x + h * state.v[rows].astype(float)
            pressure = inputs.uniform + state.pressure[cloth.number] + _of_fluid(inputs, x, gravity)
            force = cloth.enclosed.push(x, cloth.weights * pressure)
            self._push[cloth.number] = cloth.enclosed.push(x, cloth.weights)
            if state.inertia:
                state.v[rows] += (state.x[rows, 3:4].astype(float) / h * force).astype(state.v.dtype)
            else:
                state.load[rows] += force.astype(state.load.dtype)

    def equilibrate(self, state: State, global_step: GlobalStep | None, of_step: bool) -> None:
        """Let gases meet the volumes at the end of the substep. of_step: of cloths that the global step has moved, right
        after it, else of all others, after the sweeps. Written: x, the corrections and the pressures."""
        if not state.inertia:
            return
        for cloth in self.cloths:
            pressure = cloth.of_frame(self._shapes)
            if not cloth.has_gas(pressure):
                continue
            response = None if global_step is None else global_step.moves(cloth.number)
            if (response is not None) != of_step:
                continue
            force = np.zeros((len(state.x), 3))
            force[cloth.rows] = self._push[cloth.number]
            if response is None:
                order = np.arange(cloth.rows.start, cloth.rows.stop)
                displacement = state.x[order, 3:4].astype(float) * force[order]
            else:
                order, displacement = response(state, force)
            self._meet(state, cloth, pressure, order, displacement)

    def _meet(self, state: State, cloth: Filled, pressure: Pressure, order: Array, displacement: Array) -> None:
        """order: vertices that a pascal more moves by `displacement` [m/Pa], (k, 3)."""
        whole = np.zeros((len(state.x), 3))
        whole[order] = displacement
        x = state.x[cloth.rows, :3].astype(float)
        volume = np.polynomial.Polynomial(cloth.enclosed.volumes(x, whole[cloth.rows]))
        slope, begun, more = volume.deriv(), state.pressure[cloth.number], 0.0
        for _ in range(STEPS):
            wanted, stiffness = cloth.gas(pressure, volume(more))
            step = (wanted - begun - more) / (1.0 - stiffness * max(slope(more), 0.0))
            more += step
            if abs(step) <= 1e-9 * (abs(begun) + pressure.ambient):
                break
        state.pressure[cloth.number] = begun + more
        state.move(order, more * displacement)


def make_pressure(model: Model) -> PressureLoads | None:
    """None where nothing fills a cloth. Raises: SceneError."""
    return PressureLoads(model) if any(_has(part) for part in model.parts) else None


def _has(part: BodyPart) -> bool:
    return part.body.pressure is not None


def _filled(model: Model, number: int, part: BodyPart) -> Filled:
    body, rows = part.body, slice(part.start, part.stop)
    assert isinstance(body, Cloth) and body.pressure is not None
    if model.settings.quasi_static and body.pressure.ambient > 0:
        raise SceneError(
            f"{body.name}: a gas follows the volume from substep to substep, which a quasi-static solve does not have; "
            "wanted an ambient pressure of 0. Set it, or switch No Inertia (quasi_static) off."
        )
    weights = body.pressure.weights(body.name, len(body.vertices))
    enclosed = Enclosed(body.triangles, weights)
    volume = enclosed.volume(model.x_start[rows])
    if body.pressure.ambient > 0 and body.pressure.target_volume is None and volume <= 0:
        raise SceneError(
            f"{body.name}: encloses {volume:.3g} m^3; wanted more than none for a gas that is to keep its volume at the "
            "start. Turn its faces outwards, or give a target volume."
        )
    return Filled(part, number, rows, body.pressure, weights, enclosed, volume)


def _of_fluid(pressure: Pressure, x: Array, gravity: Array) -> Array | float:
    """[Pa] at the vertices, (n,): 0 at the highest."""
    if pressure.fluid_density == 0 or not gravity.any():
        return 0.0
    down = x @ np.asarray(gravity, float)
    return pressure.fluid_density * (down - down.min())
