"""All substeps of a frame: done again in twice as many, while surfaces stall and that may help.

It may where something is fast, and where only impact zones keep surfaces apart. Where these are left even with the most
substeps, for a collider is pressed through everything or pins squeeze something, the frames that follow are done once, if
nothing is fast, until one ends without any: so a frame costs at most 15 times the substeps asked for (1 + 2 + 4 + 8), and
zones that stay cost that once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..contact.contact import Contact
from ..device import arrays
from ..errors import UnstableError
from ..global_step.global_step import GlobalStep, make_global_step
from ..methods import make_method
from ..model.batches import at_substeps
from ..model.model import Model
from ..model.state import State
from ..report.error import ErrorEstimate
from ..report.report import first_not_finite
from .air import Air
from .integrate import set_step
from .poses import Drivers, FrameInputs
from .sleep import put_to_sleep, wake_disturbed
from .snapshot import restore, snapshot
from .step import Done, Inputs, substep

#: Median edges that something may move in a substep, beside the bodies, before more substeps can help.
FAST = 0.5
#: Times the substeps asked for, at most.
MOST = 8


class Substeps:
    """What steps a frame in one number of substeps, that of the model's settings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.method: Any = make_method(model)
        self.global_step: GlobalStep | None = make_global_step(model)
        self.estimate = ErrorEstimate(model, self.global_step)


class AdaptiveSubsteps:
    """The numbers of substeps of one simulation, each made when it is first needed. times: of the substeps asked for, now.
    warnings: of the simulation; one is added where something is too fast for all of them."""

    def __init__(self, model: Model) -> None:
        self._made = {1: Substeps(model)}
        self._warned = self._warned_of_pins = False
        self.times = 1
        self.warnings = model.warnings

    @property
    def now(self) -> Substeps:
        return self._made[self.times]

    def change(self, times: int, state: State) -> None:
        """Goes on with so many times the substeps asked for. Written: what of the state depends on it; displacements do not,
        which are forces."""
        if times == self.times:
            return
        if times not in self._made:
            first = self._made[1].model
            self._made[times] = Substeps(at_substeps(first, times * first.settings.substeps))
        self.times = times
        set_step(self.now.model, state)

    def advance(self, state: State, drivers: Drivers, contact: Contact | None, air: Air | None, inputs: FrameInputs) -> Done:
        """Advances the state by a frame, in as many substeps as it takes; `change` goes back to those asked for.

        Raises: UnstableError if it leaves the finite numbers.
        """
        before = None if contact is None else snapshot(self.now.model, state, drivers, contact)
        while True:
            done = self._attempt(state, drivers, contact, air, inputs)
            if done is not None:
                if not self._warned_of_pins and state.clamped_pins.any():
                    self._warn_of_pins(inputs.called(state.frame), state)
                return done
            assert before is not None, "only contact asks for another attempt"
            times = 2 * self.times
            self.change(1, state)
            restore(before, self.now.model, state, drivers, contact)
            self.change(times, state)

    def _attempt(
        self, state: State, drivers: Drivers, contact: Contact | None, air: Air | None, inputs: FrameInputs
    ) -> Done | None:
        """All substeps of a frame; None as soon as surfaces stall where more substeps may help."""
        step, began, start = self.now, state.time, drivers.now
        model, count = step.model, step.model.settings.substeps
        last = drivers.at(began + count * model.h, inputs)
        wind, gravity = drivers.wind(began, inputs), drivers.gravity(inputs)
        sweeps, ended, furthest, zoned = 0, set(), 0.0, False
        if contact is not None:
            contact.begin_frame()
        if step.global_step is not None:
            step.global_step.forget()
        before = start
        for number in range(1, count + 1):
            after = last
            if number < count:
                after = drivers.between(start, last, number / count, began + number * model.h, inputs)
            colliders = before.collider_vertices, after.collider_vertices
            wake_disturbed(model, state, contact, (before, after), drivers.collider_rows, wind, gravity)
            acting = Inputs(before.pins, after.pins, *colliders, wind, gravity, count - number + 1)
            done = substep(model, state, step.method, contact, air, acting, step.global_step, step.estimate)
            sweeps, ended = sweeps + done.sweeps, ended | {done.converged}
            if contact is not None and _is_stalled(contact, model):
                n = model.n_vertices
                predicted = state.x_pred[:n, :3] - state.x0[:n, :3]
                furthest = max(furthest, fastest_step(after.collider_vertices - before.collider_vertices, predicted))
                zoned = zoned or contact.needs_zones
                again = _is_fast(furthest, contact) or (contact.needs_zones and not state.zones_stayed)
                if again and self.times < MOST:
                    return None
            before = after
        state.zones_stayed = zoned
        drivers.now = last
        if contact is not None and contact.statistics().unresolved and _is_fast(furthest, contact):
            self._warn_of_speed(inputs.called(state.frame + 1), drivers, contact, furthest)
        state.frame += 1
        _check_finite(model, state, inputs.called(state.frame))
        put_to_sleep(model, state, contact)
        return Done(sweeps, None if None in ended else False not in ended)

    def _warn_of_pins(self, frame: int, state: State) -> None:
        """Once: tells that pins do not follow their targets."""
        self._warned_of_pins = True
        parts = self.now.model.parts
        held = [(part.body.name, int(state.clamped_pins[part.start : part.stop].sum())) for part in parts]
        names = ", ".join(f"{count} of '{name}'" for name, count in held if count)
        self.warnings.append(
            f"Frame {frame}: pins stop where they would pass through something ({names}); they catch up as soon as "
            "there is room. Give them more room, or a longer or softer body."
        )

    def _warn_of_speed(self, frame: int, drivers: Drivers, contact: Contact, furthest: float) -> None:
        """Once: tells that something is too fast even for the most substeps."""
        if self._warned:
            return
        self._warned = True
        names = ", ".join(drivers.collider_names)
        what = f"colliders ({names}) or bodies" if names else "bodies"
        self.warnings.append(
            f"Frame {frame}: {what} move up to {furthest:.3g} m in a substep, "
            f"{furthest / contact.median_edge:.2g} edges of the bodies, even with {MOST} times the substeps asked for: "
            f"{contact.statistics().unresolved} pairs could not be kept apart. Slow the animation down, or raise the "
            "substeps."
        )


def _is_stalled(contact: Contact, model: Model) -> bool:
    """Whether the last substep had impact zones, or clamped more than a few vertices of a body."""
    return contact.needs_zones or any(contact.is_stalled(part.start, part.stop) for part in model.parts)


def _is_fast(furthest: float, contact: Contact) -> bool:
    """Whether more substeps can help where something moves so far in one [m]."""
    return furthest > FAST * contact.median_edge


def _check_finite(model: Model, state: State, frame: int) -> None:
    """Raises: UnstableError if a vertex is not where a simulation can have moved it. frame: what messages call it."""
    bad = first_not_finite(state.x, model.n_vertices)
    if bad >= 0:
        part = next(part for part in model.parts if part.start <= bad < part.stop)
        raise UnstableError(
            f"Frame {frame}: vertex {bad - part.start} of '{part.body.name}' has left the finite numbers. "
            f"Raise substeps above {model.settings.substeps}, or add damping to its material. "
            "Frames before this one are good."
        )


def fastest_step(driven: np.ndarray, predicted: np.ndarray) -> float:
    """How far anything moves in a substep, at most, beside the mean motion of the bodies [m].

    driven: motion of driven vertices [m], (m, 3). predicted: of the bodies' [m], (n, 3).
    """
    mean = predicted.mean(0, dtype=float)
    return max(_longest(driven - mean), _longest(predicted - mean))


def _longest(vectors: np.ndarray) -> float:
    return float(arrays.sqrt(arrays.largest((vectors**2).sum(1), 0.0)))
