"""Simulation: a scene, advanced frame by frame."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .contact.contact import Contact
from .contact.setup import make_contact
from .device.threads import set_threads
from .errors import CacheError, SceneError, UnstableError
from .global_step.global_step import left_to_sweeps
from .model.build import build
from .model.model import BodyPart
from .model.state import start_state
from .report import report as diagnostics
from .report.contact import report as contact_report
from .report.report import Report
from .scene import Collider, Motion, Scene, Settings
from .stepping.adaptive_substeps import FAST, MOST, Paces, fastest_step
from .stepping.air import make_air
from .stepping.step import Done, Inputs, substep
from .topology.embedding import reconstruct

Array = np.ndarray

#: Below this many packs of 16 elements a parallel region costs more than the second thread brings.
SMALL = 400


@dataclass(frozen=True)
class FrameInputs:
    """Poses at the end of a frame, for what a caller animates itself; the rest comes from the scene.

    pins: body name -> targets (k, 3) [m]. colliders: name -> vertices (n, 3) [m]. wind [m/s], gravity [m/s^2]: (3,).
    Poses move in straight lines over the frame's substeps.
    """

    pins: Mapping[str, Any] = field(default_factory=dict)
    colliders: Mapping[str, Any] = field(default_factory=dict)
    wind: Any = None
    gravity: Any = None


@dataclass(frozen=True)
class Frame:
    """One frame. positions: body name -> simulated vertices [m], (n, 3) float32, world space. surfaces: body name ->
    visible mesh, the embedded one where there is one. report: how good the frame is."""

    number: int
    positions: dict[str, Array]
    surfaces: dict[str, Array]
    report: Report


class Simulation:
    """The bodies of a scene, moving.

    Raises: SceneError, TopologyError or MaterialError if the scene cannot be simulated; `advance_frame` raises
    UnstableError when it leaves the finite numbers. warnings: what was odd but could be dealt with.
    """

    def __init__(self, scene: Scene, settings: Settings | None = None):
        self.scene = scene
        self.settings = settings or Settings()
        self.model = build(scene, self.settings)
        self.warnings = self.model.warnings
        self.warnings += left_to_sweeps(self.model)
        self.paces = Paces(self.model)
        self.state = start_state(self.model, self.paces.now.method.state_numbers)
        self.air = make_air(self.model)
        self._told_of_speed = False
        self._pins = [self._pin_motion(part) for part in self.model.parts]
        meshes = [c for c in scene.colliders if isinstance(c, Collider)]
        self._colliders = {c.name: Motion(c.vertices, c.name) for c in meshes}
        self.contact = make_contact(self.model, self.state.rigid)
        self._poses = self._poses_at(0.0)
        packs = sum(batch.packs for batch in self.model.batches)
        self._threads = 1 if packs < SMALL else self.settings.threads

    def start(self) -> Frame:
        """The frame that the state is at: frame 1, unless it was advanced or restored."""
        return self._frame(Report())

    def frames(self, first: int = 1, last: int = 1) -> Iterator[Frame]:
        """Frames `first` to `last`; the start state is frame 1. Frames before `first` are simulated, not given."""
        if last < first or first < 1:
            raise SceneError(f"Frames {first} to {last} were asked for; wanted 1 <= first <= last.")
        if self.state.frame > first:
            raise SceneError(f"The simulation is at frame {self.state.frame}, past {first}. Make a new one.")
        if self.state.frame == first:
            yield self.start()
        while self.state.frame < last:
            frame = self.advance_frame()
            if frame.number >= first:
                yield frame

    def advance_frame(self, inputs: FrameInputs | None = None) -> Frame:
        """The next frame."""
        began = time.perf_counter()
        inputs = inputs or FrameInputs()
        set_threads(self._threads)
        done = self._substeps(inputs)
        report = self._report(done, inputs, began)
        self.paces.go(1, self.state)
        return self._frame(report)

    def _substeps(self, inputs: FrameInputs) -> Done:
        """All substeps of a frame; again with twice as many where something is fast and surfaces jam."""
        self._check_names(inputs)
        before = None if self.contact is None else self.snapshot()
        while True:
            done = self._attempt(inputs)
            if done is not None:
                return done
            assert before is not None, "only contact asks for another attempt"
            times = 2 * self.paces.times
            self.paces.go(1, self.state)
            self.restore(before)
            self.paces.go(times, self.state)

    def _attempt(self, inputs: FrameInputs) -> Done | None:
        """All substeps of a frame at the present pace; None as soon as surfaces jam where a faster pace may help."""
        pace, state, contact = self.paces.now, self.state, self.contact
        count, h = pace.model.settings.substeps, pace.model.h
        start, sweeps, converged, began, furthest = self._poses, 0, True, state.time, 0.0
        last = self._poses_at(began + count * h, inputs)
        wind = self.scene.wind_at(began) if inputs.wind is None else _vector("wind", inputs.wind)
        gravity = self._gravity(inputs)
        if contact is not None:
            contact.begin_frame()
        if pace.global_step is not None:
            pace.global_step.forget()
        before = start
        for number in range(1, count + 1):
            after = last
            if number < count:
                after = self._between(start, last, number / count, began + number * h, inputs)
            done = substep(
                pace.model,
                state,
                pace.method,
                contact,
                self.air,
                Inputs(after.pins, before.collider_vertices, after.collider_vertices, wind, gravity, count - number + 1),
                pace.global_step,
            )
            sweeps, converged = sweeps + done.sweeps, converged and done.converged
            if contact is not None and (
                contact.statistics().failures or any(contact.is_stalled(p.start, p.stop) for p in self.model.parts)
            ):
                n = self.model.n_vertices
                predicted = state.x_pred[:n, :3] - state.x0[:n, :3]
                furthest = max(furthest, fastest_step(after.collider_vertices - before.collider_vertices, predicted))
                if furthest > FAST * contact.median_edge and self.paces.times < MOST:
                    return None
            before = after
        self._poses = last
        if contact is not None and contact.statistics().unresolved and furthest > FAST * contact.median_edge:
            self._warn_of_speed(contact, furthest)
        state.frame += 1
        bad = diagnostics.first_not_finite(state.x, self.model.n_vertices)
        if bad >= 0:
            part = next(part for part in self.model.parts if part.start <= bad < part.stop)
            raise UnstableError(
                f"Frame {state.frame}: vertex {bad - part.start} of '{part.body.name}' has left the finite numbers. "
                f"Raise substeps above {count}, or add damping to its material. "
                "Frames before this one are good."
            )
        return Done(sweeps, converged)

    def _warn_of_speed(self, contact: Contact, furthest: float) -> None:
        """Once: tells that something is too fast even for the most substeps."""
        if self._told_of_speed:
            return
        self._told_of_speed = True
        what = f"colliders ({', '.join(self._colliders)}) or bodies" if self._colliders else "bodies"
        self.warnings.append(
            f"Frame {self.state.frame + 1}: {what} move up to {furthest:.3g} m in a substep, "
            f"{furthest / contact.median_edge:.2g} edges of the bodies, even with {MOST} times the substeps asked for: "
            f"{contact.statistics().unresolved} pairs could not be kept apart. Slow the animation down, or raise the "
            "substeps."
        )

    def _gravity(self, inputs: FrameInputs) -> Array:
        return self.scene.gravity if inputs.gravity is None else _vector("gravity", inputs.gravity)

    def snapshot(self) -> dict[str, Array]:
        """The exact state, for `restore`: continuing from it gives the same bits as not having stopped."""
        s = self.state
        arrays = {"x": s.x, "v": s.v, "frame": np.array(s.frame), "time": np.array(s.time)}
        arrays["inversion_recovery"] = s.inversion_recovery
        arrays |= {f"displacements_{i}": d for i, d in enumerate(s.displacements)}
        arrays |= {f"strains_at_start_{i}": m for i, m in enumerate(s.strains_at_start)}
        arrays |= {f"pins_{i}": p for i, p in enumerate(self._poses.pins)}
        arrays["collider_vertices"] = self._poses.collider_vertices
        if self.settings.integrator == "bdf2":
            arrays |= {"x_before": s.x_before, "v_before": s.v_before, "history": np.array(s.history)}
        if self.contact is not None:
            arrays |= self.contact.state()
        if s.rigid is not None:
            arrays |= s.rigid.memory
        return {key: np.array(value) for key, value in arrays.items()}

    def restore(self, snapshot: Mapping[str, Array]) -> None:
        """Takes a snapshot of a simulation of the same scene and settings. Raises: CacheError if it does not fit."""
        mine = self.snapshot()
        for key, value in mine.items():
            other = snapshot.get(key)
            # Pairs of surfaces that are near come and go.
            free = 1 if key.startswith("pair_") else 0
            if other is None or other.shape[free:] != value.shape[free:] or other.dtype != value.dtype:
                found = "missing" if other is None else f"of shape {other.shape} and type {other.dtype}"
                raise CacheError(
                    f"Checkpoint: '{key}' is {found}; wanted shape {value.shape} and type {value.dtype}. The scene or its "
                    "settings have changed since it was written: clear the cache and bake again."
                )
        s = self.state
        s.x[:], s.v[:] = snapshot["x"], snapshot["v"]
        s.frame, s.time = int(snapshot["frame"]), float(snapshot["time"])
        s.inversion_recovery[:] = snapshot["inversion_recovery"]
        for i in range(len(s.displacements)):
            s.displacements[i][:] = snapshot[f"displacements_{i}"]
            s.strains_at_start[i][:] = snapshot[f"strains_at_start_{i}"]
        pins = [np.array(snapshot[f"pins_{i}"]) for i in range(len(self._poses.pins))]
        self._poses = _Poses(pins, np.array(snapshot["collider_vertices"]))
        if self.settings.integrator == "bdf2":
            s.x_before[:], s.v_before[:], s.history = snapshot["x_before"], snapshot["v_before"], bool(snapshot["history"])
        if self.contact is not None:
            self.contact.restore(snapshot)
        if s.rigid is not None:
            for key, array in s.rigid.memory.items():
                array[:] = snapshot[key]

    def _pin_motion(self, part: BodyPart) -> Motion | None:
        pins = part.body.pins
        if pins is None or not len(pins.indices):
            return None
        motion = Motion(pins.targets, f"{part.body.name} (pins)", part.body.vertices[pins.indices])
        if motion.poses.shape[1] != len(pins.indices):
            raise SceneError(
                f"{part.body.name}: {motion.poses.shape[1]} pin targets for {len(pins.indices)} pinned vertices. "
                "Give each one."
            )
        return motion

    def _poses_at(self, seconds: float, inputs: FrameInputs | None = None) -> _Poses:
        """Pins and colliders at a time; what the caller gives goes before the scene's own motion."""
        given = inputs or FrameInputs()
        pins, colliders = [], []
        for part, motion in zip(self.model.parts, self._pins, strict=True):
            if motion is None:
                pins.append(np.zeros((0, 3)))
            elif part.body.name in given.pins:
                pins.append(self._given(motion, given.pins[part.body.name]) - self.model.origin)
            else:
                pins.append(motion.at(seconds, self.settings.fps) - self.model.origin)
        for name, motion in self._colliders.items():
            if name in given.colliders:
                colliders.append(self._given(motion, given.colliders[name]) - self.model.origin)
            else:
                colliders.append(motion.at(seconds, self.settings.fps) - self.model.origin)
        return _Poses(pins, np.concatenate([np.zeros((0, 3)), *colliders]))

    @staticmethod
    def _given(motion: Motion, pose: Any) -> Array:
        pose = Motion(np.asarray(pose, float), motion.owner).poses[0]
        if pose.shape != motion.poses.shape[1:]:
            raise SceneError(
                f"{motion.owner}: {len(pose)} positions, {motion.poses.shape[1]} at the start; wanted the same number. "
                "A mesh that changes its vertex count cannot be followed."
            )
        return pose

    def _between(self, start: _Poses, last: _Poses, share: float, seconds: float, inputs: FrameInputs) -> _Poses:
        """Poses within a frame: functions of time are asked, all others move in straight lines."""
        pins = [a + share * (b - a) for a, b in zip(start.pins, last.pins, strict=True)]
        for k, (part, motion) in enumerate(zip(self.model.parts, self._pins, strict=True)):
            if motion is not None and motion.function is not None and part.body.name not in inputs.pins:
                pins[k] = motion.at(seconds, self.settings.fps) - self.model.origin
        colliders = start.collider_vertices + share * (last.collider_vertices - start.collider_vertices)
        first = 0
        for name, motion in self._colliders.items():
            count = motion.poses.shape[1]
            if motion.function is not None and name not in inputs.colliders:
                colliders[first : first + count] = motion.at(seconds, self.settings.fps) - self.model.origin
            first += count
        return _Poses(pins, colliders)

    def _check_names(self, inputs: FrameInputs) -> None:
        unknown = set(inputs.pins) - {p.body.name for p in self.model.parts} | set(inputs.colliders) - set(self._colliders)
        if unknown:
            raise SceneError(f"Inputs for '{sorted(unknown)[0]}', which is no body or collider of the scene.")

    def _report(self, done: Done, inputs: FrameInputs, began: float) -> Report:
        model, state = self.paces.now.model, self.state
        balance = diagnostics.balance(model, state, None if self.contact is None else self.contact.touched())
        largest, mean = diagnostics.stretch(state.x, model.edges, model.edge_lengths)
        kinetic_energy, momentum, angular_momentum = diagnostics.motion(model, state)
        return Report(
            residual=balance.residual,
            residual_of_start=balance.residual_of_start,
            converged=done.converged,
            max_stretch=largest,
            mean_stretch=mean,
            volume_change=diagnostics.volume_change(model, state),
            kinetic_energy=kinetic_energy,
            elastic_energy=balance.elastic_energy,
            gravity_energy=diagnostics.gravity_energy(model, state, self._gravity(inputs)),
            momentum=momentum,
            angular_momentum=angular_momentum,
            **({} if self.contact is None else contact_report(self.contact, self.model.origin)),
            substeps=model.settings.substeps,
            iterations=done.sweeps,
            seconds=time.perf_counter() - began,
        )

    def _frame(self, report: Report) -> Frame:
        positions, surfaces = {}, {}
        for part in self.model.parts:
            x = (self.state.x[part.start : part.stop, :3] + self.model.origin).astype(np.float32)
            positions[part.body.name] = surfaces[part.body.name] = x
            if part.surface_rows is not None:
                rows = slice(part.surface_rows.start, part.surface_rows.stop)
                surfaces[part.body.name] = (self.state.x[rows, :3] + self.model.origin).astype(np.float32)
            elif part.surface_corners is not None and part.surface_weights is not None:
                surfaces[part.body.name] = reconstruct(x, part.surface_corners, part.surface_weights)
        return Frame(self.state.frame, positions, surfaces, report)


@dataclass(frozen=True)
class _Poses:
    """Pins of each body and all collider vertices, relative to the model's origin [m]."""

    pins: list[Array]
    collider_vertices: Array


def _vector(name: str, values: Any) -> Array:
    v = np.array(values, float)
    if v.shape != (3,) or not np.isfinite(v).all():
        raise SceneError(f"Scene: {name} is {values}; wanted three finite numbers.")
    return v
