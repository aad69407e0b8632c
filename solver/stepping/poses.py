"""What drives a scene over time: targets of pins, vertices of colliders, wind and gravity, from the scene or the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import SceneError
from ..model.model import BodyPart, Model
from ..scene import Collider, Motion, ShapeInputs, checks

Array = np.ndarray
#: How messages call what a caller animates.
OWNER = "FrameInputs"


@dataclass(frozen=True)
class FrameInputs:
    """Poses at the end of a frame, for what a caller animates itself; the rest comes from the scene.

    pins: body name -> targets (k, 3) [m]. colliders: name -> vertices (n, 3) [m]. wind [m/s], gravity [m/s^2]: (3,).
    Poses move in straight lines over the frame's substeps. shapes: name of a cloth -> `ShapeInputs`, for all of the frame.
    number: what messages call the frame; None counts from 1.
    Raises: SceneError, naming the object, for what is not finite or has another shape.
    """

    pins: Mapping[str, Any] = field(default_factory=dict)
    colliders: Mapping[str, Any] = field(default_factory=dict)
    wind: Any = None
    gravity: Any = None
    number: int | None = None
    shapes: Mapping[str, ShapeInputs] = field(default_factory=dict)

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
        if self.number is not None:
            object.__setattr__(self, "number", checks.whole(OWNER, "number", self.number, -checks.MOST_WHOLE, "there"))

    def called(self, frame: int) -> int:
        """What messages call a frame, counted from 1."""
        return frame if self.number is None else self.number


@dataclass(frozen=True)
class Poses:
    """Pins of each body, (k, 3), and all collider vertices, (m, 3), relative to the model's origin [m]."""

    pins: list[Array]
    collider_vertices: Array


class Drivers:
    """The motions of a scene. now: the poses that the state is at. collider_rows: of each collider mesh among the
    vertices of all, and its thickness [m].

    Raises: SceneError if a motion does not fit what it moves.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._fps = model, model.settings.fps
        self._pins = [_pin_motion(part) for part in model.parts]
        self._colliders = {c.name: Motion(c.vertices, c.name) for c in model.scene.colliders if isinstance(c, Collider)}
        self.collider_rows = self._collider_rows()
        self.now = self.at(0.0)

    def _collider_rows(self) -> list[tuple[slice, float]]:
        found, start = [], 0
        for collider in self._model.scene.colliders:
            if isinstance(collider, Collider):
                stop = start + self._colliders[collider.name].poses.shape[1]
                found.append((slice(start, stop), collider.thickness))
                start = stop
        return found

    @property
    def collider_names(self) -> list[str]:
        """Of the collider meshes."""
        return list(self._colliders)

    @property
    def collider_counts(self) -> dict[str, int]:
        """Vertices of each collider mesh, in their order."""
        return {name: motion.poses.shape[1] for name, motion in self._colliders.items()}

    @property
    def body_names(self) -> list[str]:
        """Of the bodies, in the order of their pins."""
        return [part.body.name for part in self._model.parts]

    def check(self, inputs: FrameInputs) -> None:
        """Raises: SceneError if the caller animates what the scene does not have, or with another number of positions."""
        pins = {
            part.body.name: motion for part, motion in zip(self._model.parts, self._pins, strict=True) if motion is not None
        }
        both = ("body with pins", inputs.pins, pins), ("collider mesh", inputs.colliders, self._colliders)
        for kind, given, known in both:
            for name, pose in given.items():
                if name not in known:
                    raise SceneError(
                        f"{OWNER}: '{name}' is no {kind} of the scene; wanted one of {', '.join(known) or 'none'}. "
                        "Name one of these."
                    )
                motion = known[name]
                if pose.shape != motion.poses.shape[1:]:
                    raise SceneError(
                        f"{motion.owner}: {len(pose)} positions, {motion.poses.shape[1]} at the start; wanted the same "
                        "number. A mesh that changes its vertex count cannot be followed."
                    )

    def at(self, seconds: float, inputs: FrameInputs | None = None) -> Poses:
        """Poses at a time [s]; what the caller gives goes before the scene's own motion."""
        given, origin = inputs or FrameInputs(), self._model.origin
        pins, colliders = [], []
        for part, motion in zip(self._model.parts, self._pins, strict=True):
            if motion is None:
                pins.append(np.zeros((0, 3)))
            elif part.body.name in given.pins:
                pins.append(given.pins[part.body.name] - origin)
            else:
                pins.append(motion.at(seconds, self._fps) - origin)
        for name, motion in self._colliders.items():
            if name in given.colliders:
                colliders.append(given.colliders[name] - origin)
            else:
                colliders.append(motion.at(seconds, self._fps) - origin)
        return Poses(pins, np.concatenate([np.zeros((0, 3)), *colliders]))

    def between(self, start: Poses, last: Poses, share: float, seconds: float, inputs: FrameInputs) -> Poses:
        """Poses within a frame: functions of time are asked, all others move in straight lines. share: 0 at `start`, 1 at
        `last`. seconds: the time there [s]."""
        origin = self._model.origin
        pins = [a + share * (b - a) for a, b in zip(start.pins, last.pins, strict=True)]
        for k, (part, motion) in enumerate(zip(self._model.parts, self._pins, strict=True)):
            if motion is not None and motion.function is not None and part.body.name not in inputs.pins:
                pins[k] = motion.at(seconds, self._fps) - origin
        colliders = start.collider_vertices + share * (last.collider_vertices - start.collider_vertices)
        first = 0
        for name, motion in self._colliders.items():
            count = motion.poses.shape[1]
            if motion.function is not None and name not in inputs.colliders:
                colliders[first : first + count] = motion.at(seconds, self._fps) - origin
            first += count
        return Poses(pins, colliders)

    def wind(self, seconds: float, inputs: FrameInputs) -> Array:
        """[m/s], (3,)."""
        return self._model.scene.wind_at(seconds) if inputs.wind is None else inputs.wind

    def gravity(self, inputs: FrameInputs) -> Array:
        """[m/s^2], (3,)."""
        return self._model.scene.gravity if inputs.gravity is None else inputs.gravity


def _pin_motion(part: BodyPart) -> Motion | None:
    pins = part.body.pins
    return None if pins is None else pins.motion(part.body.name, part.body.vertices)
