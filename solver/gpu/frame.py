"""A frame on a device: what goes up, all substeps as launches, what comes down; and what the CPU has to do instead.

Nothing comes back within a frame. What only the host can decide, such as how to recover inverted elements, is found at the
frame's end: the frame is then done again by the CPU, from the state that the host still has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.cuda.device import Array, SerialDevice
from ..energies import attachment, sewing
from ..methods.recovery.inversion_recovery import INVERTED
from ..model.model import Model
from ..model.state import State
from ..scene import Plane, Response
from ..stepping.air import numbers_of
from ..stepping.integrate import bdf2_coefficients
from ..stepping.poses import Drivers, FrameInputs, Poses
from ..stepping.step import Done
from . import air, integrate, predict, strains
from .arrays import StateArrays, attached_rows, incident
from .contact import planes
from .global_step import step as keep_length
from .gpbd import GpbdSweeps
from .pbng import PbngSweeps
from .predict import NOW

#: Methods that have sweeps on a device.
METHODS = ("gpbd", "gpbd_jacobi", "pbng")


def why_not(model: Model, contact: Any, global_step: Any, pressure: Any) -> str:
    """Why no frame of a simulation can be done on a device; empty where it can."""
    settings = model.settings
    reasons = {
        f"method '{settings.method}'": settings.method not in METHODS,
        f"dtype '{settings.dtype}'": settings.dtype != "float32",
        "contact": contact is not None and not of_planes_only(model),
        "pressure": pressure is not None,
        "rigid bodies": bool(model.rigid),
        "a quasi-static solve": settings.quasi_static,
        "a tolerance": settings.tolerance is not None or settings.error_tolerance is not None,
        "sleeping bodies": settings.sleep,
        "samples within a frame": settings.samples > 1,
        "local iterations": settings.local_iterations > 1,
        "sewing": any(batch.energy is sewing for batch in model.batches),
    }
    found = next((name for name, holds in reasons.items() if holds), "")
    return found or ("" if global_step is None else keep_length.why_not(global_step, contact))


def of_planes_only(model: Model) -> bool:
    """Whether nothing can touch but one body's vertices infinite planes."""
    (part, *others), colliders = model.parts, model.scene.colliders
    alone = not others and not part.body.self_contact and part.surface_rows is None
    return alone and all(isinstance(collider, Plane) for collider in colliders)


class DeviceFrames:
    """Frames of one model on one device; a model with other numbers needs another one. contact, global_step: None where
    there is none."""

    def __init__(
        self, device: SerialDevice, model: Model, method: Any, state: State, contact: Any, global_step: Any = None
    ) -> None:
        assert all(len(batch.clusters) == batch.packs + 1 for batch in model.batches), "a launch takes a whole colour"
        self.device, self.model = device, model
        self.state = StateArrays(device, model, state)
        if model.settings.method == "pbng":
            self.sweeps: Any = PbngSweeps(method, self.state)
        else:
            self.sweeps = GpbdSweeps(method, self.state, model.settings.method == "gpbd_jacobi")
        counts = [0 if part.body.pins is None else len(part.body.pins.indices) for part in model.parts]
        self._first_pins = [int(sum(counts[:k])) for k in range(len(counts))]
        self._pins = sum(counts)
        self._pin_of = device.upload(self._exact_pins())
        self._attached = self._attachments()
        self._air = self._blown()
        self._places = integrate.Places(self.state.x, self.state.x_pred, self.state.correction)
        self._of, self._contact = contact, None if contact is None else planes.PlaneContacts(device, contact, model.h)
        self._keep_length = None
        if global_step is not None:
            iterations = model.settings.global_iterations
            self._keep_length = keep_length.DeviceGlobalStep(device, model, self.state, global_step, iterations)
            self.sweeps.solved = self._keep_length.solved
        self._inputs: dict[str, Array] = {}
        self._is_current = False

    def _exact_pins(self) -> np.ndarray:
        found = np.full(self.state.rows, -1, np.int32)
        for part, first in zip(self.model.parts, self._first_pins, strict=True):
            found[part.pinned] = part.pinned_rows + first
        return found

    def _attachments(self) -> list[tuple[Any, Array, Array]]:
        found = []
        for batch in self.state.batches:
            if batch.host.energy is attachment:
                rows, damping = attached_rows(self.model, batch.host, self._first_pins)
                found.append((batch, self.device.upload(rows), self.device.upload(damping)))
        return found

    def _blown(self) -> dict[str, Array] | None:
        blown = self.model.blown
        if not len(blown):
            return None
        first, rows = incident(blown, self.state.rows)
        up = self.device.upload
        return {
            "triangles": up(blown, np.int32),
            "owner": up(self.model.body_of_vertex[blown[:, 0]], np.int32),
            "pushes": self.device.zeros((len(blown), 4), np.float32),
            "first": up(first),
            "incident": up(rows // 3, np.int32),
            "velocities": self.device.zeros((self.state.rows, 3), np.float32),
        }

    def is_of(self, model: Model, contact: Any) -> bool:
        """Whether these are its frames."""
        return self.model is model and self._of is contact

    def forget(self) -> None:
        """The state of the host has been changed by others."""
        self._is_current = False

    def advance(self, state: State, drivers: Drivers, inputs: FrameInputs, responses: list[Response]) -> Done | None:
        """Advances the state by a frame; None where it has to be done by the CPU, and nothing is written then."""
        model, settings = self.model, self.model.settings
        if not self._is_current:
            self.state.take(state)
        began, start = state.time, drivers.now
        last = drivers.at(began + settings.substeps * model.h, inputs)
        poses, rows = self._poses(start, last, drivers, inputs, began)
        table = self._table(state, drivers, inputs, began, len(poses) - 1)
        motion = self._motion(poses.reshape(-1, 3), rows, self._sent("table", table))
        wind = self._wind(motion, responses)
        self.sweeps.begin_frame()
        self._is_current = False  # until all has come down
        for step in range(settings.substeps):
            self._substep(motion._replace(step=np.int32(step)), wind)
        if self._has_inverted():
            return None
        self.state.give(state)
        if self._contact is not None:
            self._contact.give(state)
        self._is_current = True
        if settings.integrator == "bdf2":
            state.step_before = model.h
        state.time = began
        for _ in range(settings.substeps):
            state.time += model.h
        drivers.now = last
        state.frame += 1
        return Done(settings.substeps * settings.iterations, None)

    def _sent(self, name: str, values: np.ndarray) -> Array:
        """Values of the frame on the device, at the same place in every frame, as a captured graph would want them."""
        kept = self._inputs.get(name)
        if kept is None or kept.shape != values.shape:
            self._inputs[name] = kept = self.device.upload(values)
        else:
            self.device.update(kept, values)
        return kept

    def _poses(
        self, start: Poses, last: Poses, drivers: Drivers, inputs: FrameInputs, began: float
    ) -> tuple[np.ndarray, int]:
        """Targets of all pins at the frame's ends, or of every substep where they do not move in straight lines between
        those: (poses, rows, 3); and how many rows there are."""
        model, count = self.model, self.model.settings.substeps
        found = [start.pins, last.pins]
        if drivers.bend_within(inputs):
            between = [drivers.between(start, last, k / count, began + k * model.h, inputs) for k in range(1, count)]
            found = [start.pins, *(poses.pins for poses in between), last.pins]
        return np.array([np.concatenate([np.zeros((0, 3)), *pins]) for pins in found], np.float32), self._pins

    def _table(self, state: State, drivers: Drivers, inputs: FrameInputs, began: float, intervals: int) -> np.ndarray:
        """The numbers of every substep: (substeps, NOW.width)."""
        model, settings = self.model, self.model.settings
        h, found = model.h, np.zeros((settings.substeps, NOW.width))
        found[:, NOW.gravity : NOW.gravity + 3] = drivers.gravity(inputs)
        found[:, NOW.wind : NOW.wind + 3] = drivers.wind(began, inputs)
        found[:, NOW.h], found[:, NOW.inverse_h], found[:, NOW.keep] = h, 1.0 / h, np.exp(-settings.damping * h)
        for k, row in enumerate(found):
            ratio = h / (state.step_before if k == 0 else h)
            lag, share, carry = bdf2_coefficients(ratio)
            row[NOW.share], row[NOW.carry], row[NOW.more], row[NOW.ratio] = share, carry, 1.0 + lag, ratio
            row[NOW.start], row[NOW.end] = intervals * k / settings.substeps, intervals * (k + 1) / settings.substeps
        return found.astype(np.float32)

    def _motion(self, poses: np.ndarray, rows: int, table: Array) -> predict.Motion:
        s = self.state
        own = s.x, s.v, s.x0, s.x_pred, s.correction, s.remainder, s.motion, s.v_before, s.history, s.weight
        second_order = np.int32(self.model.settings.integrator == "bdf2")
        pins = self._pin_of, self._sent("poses", poses if rows else np.zeros((2, 3), np.float32)), np.int32(max(rows, 1))
        return predict.Motion(*own, s.v, *pins, second_order, table, np.int32(0))

    def _wind(self, motion: predict.Motion, responses: list[Response]) -> air.Air | None:
        """What the air does; None in a vacuum."""
        numbers = np.array(numbers_of(self.model, responses), np.float32)
        if self._air is None or not (numbers[:, 0] > 0).any():
            return None
        numbers[:, 0] *= 0.25
        arrays = {name: array for name, array in self._air.items() if name != "velocities"}
        return air.Air(motion=motion, numbers=self._sent("air", numbers), **arrays)

    def _substep(self, motion: predict.Motion, wind: air.Air | None) -> None:
        """The stages of `stepping.step.substep`."""
        self._set_strains()
        self._predict(motion, wind)
        self._act(planes.begin, motion)
        self.sweeps.begin()
        if self._keep_length is not None:
            self._keep_length.launch()
        for iteration in range(self.model.settings.iterations):
            self.sweeps.sweep(iteration)
            self._act(planes.project, motion)
        self._end(motion)

    def _set_strains(self) -> None:
        for batch, given in zip(self.state.batches, self.sweeps.elements, strict=True):
            if batch.host.damped:
                energy = batch.host.energy
                self.device.launch(strains.set_strains(energy), batch.threads, given._replace(x=self.state.x))
        self.sweeps.begin_limits()

    def _act(self, stage: Any, motion: predict.Motion) -> None:
        """A stage of contact, where there is any."""
        if self._contact is not None:
            self._contact.launch(stage, motion)

    def _predict(self, motion: predict.Motion, wind: air.Air | None) -> None:
        device, s = self.device, self.state
        if wind is not None and self._air is not None:
            motion = motion._replace(blown=self._air["velocities"])
            wind = wind._replace(motion=motion)
            device.launch(air.blow, len(self.model.blown), wind)
            device.launch(air.add_wind, s.rows, wind)
        device.launch(predict.predict, s.rows, motion)
        sheets = len(self.model.flat_sheets.anchors)
        device.launch(predict.disturb, sheets, predict.Sheets(s.flat_sheets, s.x0, s.flat_compression, s.x_pred))
        self._embed(s.x_pred)
        if sheets or len(self.model.embedded.rows):
            device.launch(integrate.place, s.rows, self._places)
        for batch, rows, damping in self._attached:
            given = strains.Attachments(motion, batch.corners, rows, damping, batch.strains)
            device.launch(strains.draw, batch.threads, given)

    def _embed(self, x: Array) -> None:
        rows, corners, shares = self.state.embedded
        self.device.launch(predict.embed, len(rows), predict.Points(rows, corners, shares, x))

    def _end(self, motion: predict.Motion) -> None:
        s = self.state
        self._act(planes.end, motion)
        self.device.launch(integrate.place, s.rows, self._places)
        self._embed(s.x)
        self.device.launch(integrate.end, s.rows, motion)
        self._act(planes.stop, motion)

    def _has_inverted(self) -> bool:
        """Whether a solid had so many inverted elements in the frame that the CPU has to recover it."""
        for k, most in getattr(self.sweeps, "most_inverted", {}).items():
            elements = int((self.model.batches[k].element >= 0).sum())
            if int(self.device.download(most)[0]) > INVERTED * elements:
                return True
        return False
