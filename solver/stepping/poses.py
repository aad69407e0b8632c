"""Drivers of a scene over time: targets of pins, vertices of colliders, wind, gravity and force fields, from the scene or
the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from ..errors import SceneError
from ..model.model import BodyPart, Model
from ..scene import Collider, Deformable, Grab, Motion, ReferenceFrame, Response, ShapeInputs, checks
from ..scene.field import Field
from ..scene.grab import Springs
from ..scene.keyed import AIR, OWNER, Value, Values, plain
from ..scene.scene import checked_fields
from .field_poses import FieldPoses

Array = np.ndarray


class SceneNumbers(TypedDict, total=False):
    """Numbers of a frame that are not the scene's own, as JSON; of grabs the springs."""

    values: dict[str, dict[str, Value]]
    air: dict[str, float]
    speed: float
    grabs: dict[str, Springs]


#: Simulated time over that of a frame.
SPEEDS = checks.Range(0.01, 100.0)


@dataclass(frozen=True)
class FrameInputs:
    """Poses at the end of a frame, for objects that a caller animates; the rest comes from the scene.

    pins: body name -> targets (k, 3) [m]. colliders: name -> vertices (n, 3) [m]. wind [m/s], gravity [m/s^2]: (3,).
    fields: all force fields, a list of `Field`. responses: body name -> its `Response` in this frame. Poses and fields move
    in straight lines over the frame's substeps. number: of the frame in messages; None counts from 1.
    values: numbers of this frame in place of the scene's own, which act on the way to it (`scene/keyed.py`), object -> name
    -> number. air_density [kg/m^3], drag, lift: likewise. speed: simulated time over that of the frame.
    shapes: name of a cloth -> `ShapeInputs`, for all of the frame. references: name of a cloth or soft body -> the
    `ReferenceFrame` that it takes along. grabs: body name -> the `Grab` that pulls at it in this frame.
    Raises: SceneError, naming the object, for a value that is not finite or has another shape.
    """

    pins: Mapping[str, Array] = field(default_factory=dict)
    colliders: Mapping[str, Array] = field(default_factory=dict)
    wind: Array | None = None
    gravity: Array | None = None
    number: int | None = None
    fields: Sequence[Field] | None = None
    responses: Mapping[str, Response] = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    air_density: float | None = None
    drag: float | None = None
    lift: float | None = None
    speed: float = 1.0
    shapes: Mapping[str, ShapeInputs] = field(default_factory=dict)
    references: Mapping[str, ReferenceFrame] = field(default_factory=dict)
    grabs: Mapping[str, Grab] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pins, colliders = (checks.mapping(OWNER, name, getattr(self, name)) for name in ("pins", "colliders"))
        pins = {name: checks.vertices(f"{name} (pins)", "positions", pose) for name, pose in pins.items()}
        colliders = {name: checks.vertices(name, "positions", pose) for name, pose in colliders.items()}
        object.__setattr__(self, "pins", pins)
        object.__setattr__(self, "colliders", colliders)
        object.__setattr__(self, "shapes", checks.mapping(OWNER, "shapes", self.shapes))
        for name, unit in (("wind", "m/s"), ("gravity", "m/s^2")):
            if getattr(self, name) is not None:
                vector = checks.array(OWNER, name, getattr(self, name), (3,), unit, checks.FASTEST)
                object.__setattr__(self, name, vector)
        if self.fields is not None:
            object.__setattr__(self, "fields", checked_fields(OWNER, self.fields))
        responses = checks.mapping(OWNER, "responses", self.responses)
        for name, response in responses.items():
            checks.instance(OWNER, f"responses['{name}']", response, Response, "Use Response(...).")
        object.__setattr__(self, "responses", responses)
        references = checks.mapping(OWNER, "references", self.references)
        for name, reference in references.items():
            checks.instance(OWNER, f"references['{name}']", reference, ReferenceFrame, "Use ReferenceFrame(poses, share).")
        object.__setattr__(self, "references", references)
        grabs = checks.mapping(OWNER, "grabs", self.grabs)
        for name, grab in grabs.items():
            checks.instance(OWNER, f"grabs['{name}']", grab, Grab, "Use Grab(vertices, stiffness).")
        object.__setattr__(self, "grabs", {name: grab for name, grab in grabs.items() if len(grab.vertices)})
        if self.number is not None:
            object.__setattr__(self, "number", checks.whole(OWNER, "number", self.number, -checks.MOST_WHOLE, "there"))
        values = checks.mapping(OWNER, "values", self.values)
        values = {name: checks.mapping(OWNER, f"values of '{name}'", numbers) for name, numbers in values.items()}
        object.__setattr__(self, "values", values)
        for name, unit in (("air_density", "kg/m^3"), ("drag", ""), ("lift", "")):
            if getattr(self, name) is not None:
                number = checks.number(OWNER, name, getattr(self, name), unit, checks.NOT_NEGATIVE, "there")
                object.__setattr__(self, name, number)
        object.__setattr__(self, "speed", checks.number(OWNER, "speed", self.speed, "", SPEEDS, "there"))

    @property
    def numbers(self) -> SceneNumbers:
        """Return values that differ from the scene's own in this frame beside poses, wind and gravity, as JSON; of grabs the
        springs."""
        air = {name: getattr(self, name) for name in AIR if getattr(self, name) is not None}
        numbers: SceneNumbers = {}
        if values := plain(self.values):
            numbers["values"] = values
        if air:
            numbers["air"] = air
        if self.speed != 1:
            numbers["speed"] = self.speed
        if self.grabs:
            numbers["grabs"] = {name: grab.springs for name, grab in self.grabs.items()}
        return numbers

    def called(self, frame: int) -> int:
        """Return the number of a frame in messages, counted from 1."""
        return frame if self.number is None else self.number


@dataclass(frozen=True)
class Poses:
    """Targets of each body, those of pins and then those of what grabs it, (k, 3), and all collider vertices, (m, 3),
    relative to the model's origin [m]; force fields."""

    pins: list[Array]
    collider_vertices: Array
    fields: FieldPoses = field(default_factory=FieldPoses)


class Drivers:
    """The motions of a scene. now: the poses that the state is at. collider_rows: of each collider mesh among the
    vertices of all, and its thickness [m].

    Raises: SceneError if a motion does not fit its object.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._fps = model, model.settings.fps
        self._pins = [_pin_motion(part) for part in model.parts]
        self._colliders = {c.name: Motion(c.vertices, c.name) for c in model.scene.colliders if isinstance(c, Collider)}
        self._gaps: dict[int, Array] = {}
        self.now = self.at(0.0)

    @property
    def collider_rows(self) -> list[tuple[slice, float]]:
        """Rows of each collider mesh, and its thickness [m]."""
        rows, start = [], 0
        for collider in self._model.scene.colliders:
            if isinstance(collider, Collider):
                stop = start + self._colliders[collider.name].poses.shape[1]
                rows.append((slice(start, stop), collider.thickness))
                start = stop
        return rows

    def go_on(self, model: Model) -> None:
        """Take over a model with other numbers."""
        self._model = model

    def grab(self, before: list[BodyPart], after: list[BodyPart], x: Array) -> None:
        """Let targets of grabs continue from where they are; those of vertices that are grabbed anew, or are held from
        now on where springs drew them, begin at these. before, after: the same bodies, in the frame before and from now
        on. x: (n, 3 or more) [m]."""
        pins = list(self.now.pins)
        for k, (was, part) in enumerate(zip(before, after, strict=True)):
            if was.grab is None and part.grab is None:
                continue
            targets, of_grab = np.split(pins[k], [part.pins])
            there = np.zeros((0, 3)) if part.grab is None else x[part.start + part.grab.vertices, :3].astype(float)
            if was.grab is not None and part.grab is not None:
                _, old, new = np.intersect1d(was.grab.vertices, part.grab.vertices, return_indices=True)
                stays = np.isinf(was.grab.stiffness[old]) | np.isfinite(part.grab.stiffness[new])
                there[new[stays]] = of_grab[old[stays]]
            pins[k] = np.concatenate([targets, there])
        self.now = Poses(pins, self.now.collider_vertices, self.now.fields)

    def catch(self, parts: list[BodyPart], x: Array, was_free: Array) -> None:
        """Let pins that have held nothing so far begin where their vertices are, and come to their targets in the frame
        that follows. x: (n, 3 or more) [m]. was_free: (n,) bool."""
        pins, self._gaps = list(self.now.pins), {}
        for k, part in enumerate(parts):
            caught = was_free[part.pinned]
            if caught.any():
                rows, pins[k] = part.pinned_rows[caught], pins[k].copy()
                gap = np.zeros_like(pins[k])
                gap[rows] = x[part.pinned[caught], :3] - pins[k][rows]
                pins[k][rows] += gap[rows]
                self._gaps[k] = gap
        self.now = Poses(pins, self.now.collider_vertices, self.now.fields)

    @property
    def collider_names(self) -> list[str]:
        """Return the names of the collider meshes."""
        return list(self._colliders)

    @property
    def collider_counts(self) -> dict[str, int]:
        """Vertices of each collider mesh, in their order."""
        return {name: motion.poses.shape[1] for name, motion in self._colliders.items()}

    @property
    def body_names(self) -> list[str]:
        """Return the names of the bodies, in the order of their pins."""
        return [part.body.name for part in self._model.parts]

    def check(self, inputs: FrameInputs) -> None:
        """Raises: SceneError if the caller animates an object outside the scene, or with another number of positions."""
        pins = {
            part.body.name: motion for part, motion in zip(self._model.parts, self._pins, strict=True) if motion is not None
        }
        deformable = [part.body.name for part in self._model.parts if isinstance(part.body, Deformable)]
        named = (
            ("responses", inputs.responses, self.body_names),
            ("references", inputs.references, deformable),
            ("grabs", inputs.grabs, self.body_names),
        )
        for what, names, known in named:
            for name in names:
                if name not in known:
                    raise SceneError(
                        f"{OWNER}: {what} name '{name}', which is no such body of the scene; wanted one of "
                        f"{', '.join(known) or 'none'}. Name one of these."
                    )
        for part in self._model.parts:
            if part.body.name in inputs.grabs:
                checks.indices(part.body.name, "vertices of the grab", inputs.grabs[part.body.name].vertices, part.count)
        both = ("body with pins", inputs.pins, pins), ("collider mesh", inputs.colliders, self._colliders)
        for kind, poses, motions in both:
            for name, pose in poses.items():
                if name not in motions:
                    raise SceneError(
                        f"{OWNER}: '{name}' is no {kind} of the scene; wanted one of {', '.join(motions) or 'none'}. "
                        "Name one of these."
                    )
                motion = motions[name]
                if pose.shape != motion.poses.shape[1:]:
                    raise SceneError(
                        f"{motion.owner}: {len(pose)} positions, {motion.poses.shape[1]} at the start; wanted the same "
                        "number. A mesh that changes its vertex count cannot be followed."
                    )

    def at(self, seconds: float, inputs: FrameInputs | None = None) -> Poses:
        """Poses at a time [s]; poses of the caller take precedence over the scene's own motion."""
        inputs_now, origin = inputs or FrameInputs(), self._model.origin
        pins, colliders = [], []
        for k, (part, motion) in enumerate(zip(self._model.parts, self._pins, strict=True)):
            if motion is None:
                pins.append(np.zeros((0, 3)))
            elif part.body.name in inputs_now.pins:
                pins.append(inputs_now.pins[part.body.name] - origin)
            else:
                pins.append(motion.at(seconds, self._fps) - origin)
            if part.grab is not None:
                pins[-1] = np.concatenate([pins[-1], self.now.pins[k][part.pins :] + inputs_now.grabs[part.body.name].moved])
        for name, motion in self._colliders.items():
            if name in inputs_now.colliders:
                colliders.append(inputs_now.colliders[name] - origin)
            else:
                colliders.append(motion.at(seconds, self._fps) - origin)
        fields = self._model.scene.fields_at(seconds) if inputs_now.fields is None else inputs_now.fields
        return Poses(pins, np.concatenate([np.zeros((0, 3)), *colliders]), FieldPoses.of(fields))

    def between(self, start: Poses, last: Poses, share: float, seconds: float, inputs: FrameInputs) -> Poses:
        """Return the poses within a frame: functions of time are evaluated, all others move in straight lines. share: 0 at
        `start`, 1 at `last`. seconds: the time there [s]."""
        origin = self._model.origin
        pins = [a + share * (b - a) for a, b in zip(start.pins, last.pins, strict=True)]
        for k, (part, motion) in enumerate(zip(self._model.parts, self._pins, strict=True)):
            if motion is not None and motion.function is not None and part.body.name not in inputs.pins:
                pins[k][: part.pins] = motion.at(seconds, self._fps) - origin
                if k in self._gaps:
                    pins[k] += (1.0 - share) * self._gaps[k]
        colliders = start.collider_vertices + share * (last.collider_vertices - start.collider_vertices)
        first = 0
        for name, motion in self._colliders.items():
            count = motion.poses.shape[1]
            if motion.function is not None and name not in inputs.colliders:
                colliders[first : first + count] = motion.at(seconds, self._fps) - origin
            first += count
        return Poses(pins, colliders, self.fields_between(start, last, share, seconds, inputs))

    def fields_between(self, start: Poses, last: Poses, share: float, seconds: float, inputs: FrameInputs) -> FieldPoses:
        """Return the fields of the poses of `between`."""
        if self._model.scene.fields_move and inputs.fields is None:
            return FieldPoses.of(self._model.scene.fields_at(seconds))
        return last.fields.since(start.fields, share)

    def bend_within(self, inputs: FrameInputs) -> bool:
        """Return whether pins or colliders move otherwise than in straight lines within a frame: those that are functions of
        time."""
        pairs = zip(self._model.parts, self._pins, strict=True)
        prescribed = [part.body.name for part, motion in pairs if motion is not None and motion.function is not None]
        meshes = [name for name, motion in self._colliders.items() if motion.function is not None]
        return any(name not in inputs.pins for name in prescribed) or any(name not in inputs.colliders for name in meshes)

    def wind(self, seconds: float, inputs: FrameInputs) -> Array:
        """[m/s], (3,)."""
        return self._model.scene.wind_at(seconds) if inputs.wind is None else inputs.wind

    def responses(self, inputs: FrameInputs) -> tuple[list[Response], Array]:
        """Return the response of each body, and a number for each that changes with it, (bodies,)."""
        of_bodies = [inputs.responses.get(part.body.name, part.body.resolved_response) for part in self._model.parts]
        return of_bodies, np.array([response.number for response in of_bodies])

    def gravity(self, inputs: FrameInputs) -> Array:
        """[m/s^2], (3,)."""
        return self._model.scene.gravity if inputs.gravity is None else inputs.gravity


def _pin_motion(part: BodyPart) -> Motion | None:
    pins = part.body.pins
    return None if pins is None else pins.motion(part.body.name, part.body.vertices)
