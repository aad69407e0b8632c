"""All substeps of a frame: shorter ones from where surfaces stall.

A substep in which the CCD clamp takes away much of the motion of some vertices, or that leaves pairs which it could not
keep apart, is taken back, and the frame continues in substeps of half the length, up to 8 times the number of the setting.
The next frame begins with as many: packed bodies stay so, and strained ones move by themselves where substeps change. After
a frame in which the clamp held no more than a few vertices there are half as many.

Where surfaces stall for most of a frame even with the most substeps, for a collider is pressed through everything or pins
squeeze something, there are half as many after each frame too, and no substep is taken back until a frame stalls less. An
impact stalls a few substeps of a frame: those after it are taken back still, or a body that hits a stack of thin stiff
sheets ejects it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ..contact.contact import Contact
from ..device.counters import counters
from ..errors import UnstableError
from ..global_step.global_step import GlobalStep, make_global_step
from ..methods import Method, make_method
from ..model.batches import at_substeps
from ..model.model import Model
from ..model.state import State
from ..report.error import ErrorEstimate
from ..report.report import first_not_finite
from ..scene.response import Response
from ..steering import MOST_TIMES, STALLED, STALLED_INEXTENSIBLE
from .cpu_stages import CpuStages, Inputs
from .following import follow
from .hooks import make_hook_loads
from .integrate import set_step
from .poses import Drivers, FrameInputs, Poses
from .pressure import PressureLoads
from .renewal import reshape
from .sleep import hold_rigid_bodies, put_to_sleep, wake_disturbed
from .snapshot import fitted, restore, snapshot, take_back
from .step import Done, substep
from .surroundings import Loads, Surroundings
from .tearing import make_tearing

#: A substep that is more times as long as the one before has nothing to extrapolate from: BDF2 is stable up to 1 + sqrt 2.
MOST_RATIO = 2.0
#: No rows.
NONE = np.zeros(0, np.int64)


class Substeps:
    """Stepper of a frame in one number of substeps, that of the model's settings."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.method: Method = make_method(model)
        self.global_step: GlobalStep | None = make_global_step(model)
        self.estimate = ErrorEstimate(model, self.global_step)
        self.tearing = make_tearing(model)
        self.hook_loads = make_hook_loads(model)


class _Course(NamedTuple):
    """Inputs that all substeps of a frame share. start, last: poses at its ends; began: its time [s]. changes: whether the
    force fields do. lengths: of the last frame and of this one [s]."""

    drivers: Drivers
    inputs: FrameInputs
    start: Poses
    last: Poses
    began: float
    wind: np.ndarray
    gravity: np.ndarray
    responses: list[Response]
    response_numbers: np.ndarray
    changes: bool
    lengths: tuple[float, float]

    def poses(self, number: int, model: Model, speed: float) -> Poses:
        """Return the poses at the end of a substep, its number in the frame."""
        count = model.settings.substeps
        if number >= count:
            return self.last
        share, time = number / count, self.began + number * model.h / speed
        return self.drivers.between(self.start, self.last, share, time, self.inputs)


class AdaptiveSubsteps:
    """Substeps of one simulation by their number, each made when it is first needed. times: of the substeps of the setting,
    now; that of the state. speed: simulated time over that of the scene; behind: the lag so far [s]. warnings:
    of the simulation; one is added where something is too fast for all of them. on_the_way: the model at a share of the next
    frame, whose ropes shorten; None where none does, or from the frame's end on. samples: positions within the last frame
    [m], (n, 3) each, without that at its end. part: tears the state and the model where edges break, lets the pins of
    vertices go, and returns contact and surroundings of these."""

    def __init__(self, model: Model, part: Callable[[list[int], np.ndarray], tuple[Contact | None, Surroundings]]) -> None:
        self._part = part
        self._made = {1: Substeps(model)}
        self._warned = self._warned_of_pins = False
        self._quiet = True  # whether the clamp took away little in the last frame
        self.times = 1
        self.speed, self.behind = 1.0, 0.0
        self.on_the_way: Callable[[float], Model] | None = None
        self._speed_before = 1.0  # in the last frame
        self.samples: list[np.ndarray] = []
        self.warnings = model.warnings

    @property
    def now(self) -> Substeps:
        return self._made[self.times]

    def _take(self, times: int) -> None:
        if times not in self._made:
            first = self._made[1].model
            self._made[times] = Substeps(at_substeps(first, times * first.settings.substeps))
        self.times = times

    def change(self, times: int, state: State) -> None:
        """Change to so many times the substeps of the setting. Written: the dependent parts of the state; displacements do
        not, which are forces."""
        if times == self.times:
            return
        self._take(times)
        state.times = times
        set_step(self.now.model, state)

    def go_on(self, model: Model, state: State, speed: float) -> None:
        """Take over a model with other numbers, at a frame's start."""
        self._made = {1: Substeps(model)}
        self._take(self.times)
        self.speed = speed
        if self.now.model.h > MOST_RATIO * state.step_before:
            state.history[:] = False
        set_step(self.now.model, state)

    def reshape(self, model: Model) -> None:
        """Continue with a model that differs in its rest shapes."""
        self._made = {1: Substeps(model)}
        self._take(self.times)

    def tear(self, model: Model, state: State) -> None:
        """Continue with a model that is torn, or whose pins have let go."""
        self.reshape(model)
        set_step(self.now.model, state)

    def restore(self, saved: Mapping[str, np.ndarray], state: State, drivers: Drivers, contact: Contact | None) -> None:
        """Take over a snapshot. Raises: CacheError if it does not fit; then nothing is written."""
        restore(saved, self.now.model, state, drivers, contact)
        self._go_on(state)

    def restore_changed(
        self, saved: Mapping[str, np.ndarray], state: State, drivers: Drivers, contact: Contact | None
    ) -> None:
        """Take over a snapshot of the same meshes under other settings. Raises: as `restore`."""
        restore(fitted(saved, self.now.model, state, drivers, contact), self.now.model, state, drivers, contact)
        if contact is not None:
            contact.forget_pairs()  # those that are near depend on the settings
        self._go_on(state)

    def _go_on(self, state: State) -> None:
        self._take(state.times)
        self._speed_before = self.speed
        if state.rigid is not None:
            state.rigid.set_step(self.now.model.h)
            hold_rigid_bodies(self.now.model, state)

    def end_frame(self, state: State) -> None:
        """Choose the substeps after a frame: half as many where these will do, and where the most do not help."""
        if self.times > 1 and (self._quiet or state.stall_stayed):
            self.change(self.times // 2, state)

    def advance(
        self, state: State, drivers: Drivers, contact: Contact | None, surroundings: Surroundings,
        pressure: PressureLoads | None, inputs: FrameInputs,
    ) -> Done:  # fmt: skip
        """Advance the state by a frame, in as many substeps as it takes; `end_frame` goes back to fewer.

        Raises: UnstableError if it leaves the finite numbers.
        """
        course, longest = self._course(state, drivers, inputs), self._made[1].model
        sweeps, parts, stalled, self._quiet = 0, 0, 0, True
        ended: set[bool | None] = set()
        if contact is not None:
            contact.begin_frame()
        self._forget()
        self.samples = []
        before = course.start
        while parts < MOST_TIMES * longest.settings.substeps:  # of the shortest substep's length
            each, count = MOST_TIMES // self.times, self.now.model.settings.substeps
            number = parts // each + 1
            if self.on_the_way is not None:
                self.reshape(self.on_the_way(number / count))
                reshape(self.now.model, state)
            step = self.now
            after = course.poses(number, step.model, self.speed)
            may_be_shorter = contact is not None and self.times < MOST_TIMES and not state.stall_stayed
            saved = snapshot(step.model, state, drivers, contact, lists=False) if may_be_shorter else None
            loads = Loads(course.wind, course.gravity, after.fields, course.responses, state.frame)
            done = self._substep(state, contact, surroundings, pressure, course, (before, after), loads, number)
            if contact is not None and _is_stalled(contact, step, STALLED, STALLED_INEXTENSIBLE):
                if saved is not None:
                    take_back(saved, step.model, state, drivers, contact)
                    self.change(2 * self.times, state)
                    self._forget()
                    continue
                stalled += each
                if contact.results.failures:
                    colliders = before.collider_vertices, after.collider_vertices
                    self._warn_of_speed(inputs.called(state.frame + 1), state, drivers, contact, colliders)
            self._quiet = self._quiet and (contact is None or not _is_stalled(contact, step, 0.0))
            sweeps, ended = sweeps + done.sweeps, ended | {done.converged}
            self._sample(state, parts, each)
            before, parts = after, parts + each
            if number == count:
                self.on_the_way = None
            broken = [] if step.tearing is None else step.tearing.cracks(state)
            failing = NONE if step.hook_loads is None else step.hook_loads.failing(state, loads)
            if broken or len(failing):
                contact, surroundings = self._part(broken, failing)
        state.stall_stayed = stalled > 0.5 * parts  # shorter ones do not help
        self.behind += longest.settings.substeps * longest.h * (1.0 / self.speed - 1.0)
        drivers.now, self._speed_before = course.last, self.speed
        state.frame += 1
        self._check(state, inputs.called(state.frame))
        put_to_sleep(self.now.model, state, contact)
        return Done(sweeps, None if None in ended else False not in ended)

    def _course(self, state: State, drivers: Drivers, inputs: FrameInputs) -> _Course:
        """Return the inputs of a frame, from now on."""
        longest, began, start = self._made[1].model, state.time + self.behind, drivers.now
        last = drivers.at(began + longest.settings.substeps * longest.h / self.speed, inputs)
        wind, gravity = drivers.wind(began, inputs), drivers.gravity(inputs)
        changes = not last.fields.equals(start.fields)
        return _Course(
            drivers, inputs, start, last, began, wind, gravity, *drivers.responses(inputs), changes, self._frame_lengths()
        )

    def _substep(
        self, state: State, contact: Contact | None, surroundings: Surroundings, pressure: PressureLoads | None,
        course: _Course, poses: tuple[Poses, Poses], loads: Loads, number: int,
    ) -> Done:  # fmt: skip
        """Advance the state by a substep, its number in the frame. poses: at its start and end."""
        step, inputs = self.now, course.inputs
        (before, after), model = poses, step.model
        if inputs.references:
            follow(model, state, inputs.references, (number - 1) * model.h, course.lengths)
        known = course.drivers.collider_rows, course.wind, course.gravity, course.response_numbers, course.changes
        wake_disturbed(model, state, contact, poses, *known)
        colliders, left = (before.collider_vertices, after.collider_vertices), model.settings.substeps - number + 1
        inputs_of_substep = Inputs(before.pins, after.pins, *colliders, loads, left, inputs.shapes)
        counters.substeps += 1
        parts_of_substep = step.method, contact, surroundings, pressure, inputs_of_substep, step.global_step
        return substep(CpuStages(model, state, *parts_of_substep, step.estimate))

    def end_device_frame(
        self, state: State, contact: Contact | None, inputs: FrameInputs, samples: list[np.ndarray], quiet: bool
    ) -> bool:
        """End a frame that another device has done, in which nothing stalled. samples: positions within it. quiet: whether
        the CCD clamp took away little. Returns whether it changes the state. Raises: UnstableError."""
        self.samples, self._quiet, state.stall_stayed = samples, quiet, False
        self._check(state, inputs.called(state.frame))
        before = 0 if state.sleep is None else int(state.sleep.asleep.sum())
        put_to_sleep(self.now.model, state, contact)  # which wakes nobody
        return state.sleep is not None and int(state.sleep.asleep.sum()) != before

    def _sample(self, state: State, parts: int, each: int) -> None:
        """Keep where vertices are at the samples that a substep leads to: its end, or a point on the straight way there.
        parts: of the frame, done before; each: of the substep."""
        settings, n = self._made[1].model.settings, self.now.model.n_vertices
        whole = MOST_TIMES * settings.substeps
        while (len(self.samples) + 1) * whole < settings.samples * whole:
            due = (len(self.samples) + 1) * whole / settings.samples
            if due > parts + each:
                return
            share = state.x.dtype.type((parts + each - due) / each)
            at = state.x[:n, :3] + share * (state.x0[:n, :3] - state.x[:n, :3])
            self.samples.append(self.now.model.followed(at))

    def _frame_lengths(self) -> tuple[float, float]:
        """Simulated time of the last frame, and of this one [s]."""
        longest = self._made[1].model
        frame = longest.settings.substeps * longest.h
        return frame / self.speed * self._speed_before, frame

    def _forget(self) -> None:
        """Forget the last substep before the first one of a length in a frame, so that a restored simulation continues with
        the same bits."""
        if self.now.global_step is not None:
            self.now.global_step.forget()

    def _check(self, state: State, called: int) -> None:
        """Check the state after a frame. called: its name in messages. Raises: UnstableError."""
        if not self._warned_of_pins and state.clamped_pins.any():
            self._warn_of_pins(called, state)
        _check_finite(self.now.model, state, called)

    def _warn_of_pins(self, frame: int, state: State) -> None:
        """Warn once that pins do not follow their targets."""
        self._warned_of_pins = True
        parts = self.now.model.parts
        held = [(part.body.name, int(state.clamped_pins[part.start : part.stop].sum())) for part in parts]
        names = ", ".join(f"{count} of '{name}'" for name, count in held if count)
        self.warnings.append(
            f"Frame {frame}: pins stop where they would pass through something ({names}); they catch up as soon as "
            "there is room. Give them more room, or a longer or softer body."
        )

    def _warn_of_speed(
        self, frame: int, state: State, drivers: Drivers, contact: Contact, colliders: tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Warn once if something is too fast even for the most substeps. colliders: at the start and the end
        of the substep [m]."""
        n, edge = self.now.model.n_vertices, contact.median_edge
        furthest = fastest_step(colliders[1] - colliders[0], state.x_pred[:n, :3] - state.x0[:n, :3])
        if self._warned or self.times < MOST_TIMES or furthest <= 0.5 * edge:
            return
        self._warned = True
        names = ", ".join(drivers.collider_names)
        what = f"colliders ({names}) or bodies" if names else "bodies"
        self.warnings.append(
            f"Frame {frame}: {what} move up to {furthest:.3g} m in a substep, "
            f"{furthest / edge:.2g} edges of the bodies, even with {MOST_TIMES} times the substeps asked for: "
            f"{contact.results.statistics().unresolved} pairs could not be kept apart. Slow the animation down, or raise "
            "Substeps."
        )


def _is_stalled(contact: Contact, step: Substeps, share: float, of_any: float | None = None) -> bool:
    """Return whether the last substep left pairs that it could not keep apart, or took away more than a share of the median
    edge from the motion of more than a few vertices of a body; of_any: from that of any vertex of a sheet that is stiff or
    has limits. A vertex pulled out of an intersection is held all the time."""
    if contact.results.failures > 0:
        return True
    if contact.results.clamped == 0:
        return False
    inextensible = frozenset() if step.global_step is None or of_any is None else step.global_step.inextensible
    for number, part in enumerate(step.model.parts):
        rows, is_any = (part.start, part.stop), number in inextensible
        least = (of_any if is_any and of_any is not None else share) * contact.median_edge
        if contact.results.is_stalled(*rows, least, is_any) and not contact.results.is_separating(*rows):
            return True
    return False


def _check_finite(model: Model, state: State, frame: int) -> None:
    """Raises: UnstableError if a vertex is not where a simulation can have moved it. frame: what messages call it."""
    bad = first_not_finite(state.x, model.n_vertices)
    if bad >= 0:
        part = next(part for part in model.parts if part.start <= bad < part.stop)
        raise UnstableError(
            f"Frame {frame}: vertex {bad - part.start} of '{part.body.name}' has left the finite numbers. "
            f"Raise Substeps above {model.settings.substeps}, or add damping to its material. "
            "Frames before this one are good."
        )


def fastest_step(driven: np.ndarray, predicted: np.ndarray) -> float:
    """Return the largest motion of a vertex in a substep, beside the mean motion of the bodies [m].

    driven: motion of driven vertices [m], (m, 3). predicted: of the bodies' [m], (n, 3).
    """
    mean = predicted.mean(0, dtype=float)
    return max(_longest(driven - mean), _longest(predicted - mean))


def _longest(vectors: np.ndarray) -> float:
    return float(np.sqrt((vectors**2).sum(1).max(initial=0.0)))
