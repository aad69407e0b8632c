"""Bodies that take along a share of the velocity of a followed object, as if they were simulated in its frame of reference.

Before each substep velocities change by what the velocity of that frame does, those that the integrator remembers too, and
relative velocities turn with it: at a share of 1 a vertex at rest in the frame of reference stays there, and feels no
acceleration. Within a frame of the scene the followed object turns evenly, and its origin goes in a straight line, as pins
do. Source: Thornton and Marion 2003, "Classical dynamics of particles and systems", chapter 10 (rotating frames).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model.model import Model
from ..model.state import State
from ..scene import ReferenceFrame

Array = np.ndarray


def follow(
    model: Model, state: State, frames: Mapping[str, ReferenceFrame], time: float, lengths: tuple[float, float]
) -> None:
    """Follow before a substep. time: since the frame's start [s]. lengths: of the frame before, and of this one [s].
    Written: state."""
    if model.settings.quasi_static:
        return
    second_order = model.settings.integrator == "bdf2"
    before = float(state.step_before) if second_order else model.h
    for part in model.parts:
        frame = frames.get(part.body.name)
        if frame is None or frame.share == 0.0:
            continue
        rows = np.arange(part.start, part.stop)[~model.fixed[part.start : part.stop]]
        place = state.x[rows, :3].astype(float) + model.origin
        displacement = (state.motion[rows] if second_order else before * state.v[rows]).astype(float)
        turn, more = FollowedMotion(frame, *lengths).boost(place, place - displacement, time, before, model.h)
        if state.sleep is not None and (more.any() or not np.array_equal(turn, np.eye(3))):
            state.sleep.acting[:] = np.nan  # wakes all
        state.v[rows] = state.v[rows] @ turn.T + more
        if second_order:
            state.v_before[rows] = state.v_before[rows] @ turn.T + more
            state.motion[rows] = state.motion[rows] @ turn.T + before * more


class FollowedMotion:
    """Motion of the followed object, in the frame before, at negative times, and in this one. before, now: their lengths
    [s]."""

    def __init__(self, frame: ReferenceFrame, before: float, now: float) -> None:
        self._share, self._frame_lengths = frame.share, (before, now)
        self._poses = frame.poses
        self._turns = [rotation_vector(b[:3, :3] @ a[:3, :3].T) for a, b in zip(frame.poses, frame.poses[1:], strict=False)]

    def at(self, time: float) -> Array:
        """Return its pose, (4, 4). time: since the end of the frame before [s]."""
        k = int(time >= 0.0)
        share = time / self._frame_lengths[1] if k else 1.0 + time / self._frame_lengths[0]
        pose = np.eye(4)
        pose[:3, :3] = rotation(share * self._turns[k]) @ self._poses[k][:3, :3]
        pose[:3, 3] = (1.0 - share) * self._poses[k][:3, 3] + share * self._poses[k + 1][:3, 3]
        return pose

    def boost(self, place: Array, came_from: Array, time: float, before: float, h: float) -> tuple[Array, Array]:
        """Return the rotation of velocities, (3, 3), and their increment after it at each place [m/s], (n, 3).

        place: [m], (n, 3); came_from: the same before the last substep. time: of a substep's start [s]. before, h: lengths
        of the substep before and of this one [s].
        """
        here = self.at(time)
        came, ahead = here @ np.linalg.inv(self.at(time - before)), self.at(time + h) @ np.linalg.inv(here)
        was = self._share / before * (_moved(came, came_from) - came_from)
        will = self._share / h * (_moved(ahead, place) - place)
        turn = rotation(self._share * rotation_vector(ahead[:3, :3]))
        return turn, will - was @ turn.T


def _moved(pose: Array, place: Array) -> Array:
    return place @ pose[:3, :3].T + pose[:3, 3]


def rotation_vector(turn: Array) -> Array:
    """Axis times angle [rad], (3,), of a rotation matrix, of less than half a turn."""
    axis = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)), 0.5 * (float(np.trace(turn)) - 1.0)
    angle = np.arctan2(sine, cosine)
    return axis * (angle / sine if sine > 1e-12 else 1.0)


def rotation(vector: Array) -> Array:
    """The matrix of a rotation, (3, 3). vector: axis times angle [rad], (3,). Source: Rodrigues 1840."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
    return turned
