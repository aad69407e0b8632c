"""Poses over time, as a user gives them: of pins and of colliders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import SceneError

Array = np.ndarray
#: A pose that may move: None (stays at the start), (n, 3), (frames, n, 3) from the first frame on, or time [s] -> (n, 3).
Targets = Any


class Motion:
    """A pose over time, read from any form of `Targets`."""

    def __init__(self, targets: Targets, owner: str, start: Array | None = None):
        self.owner = owner
        self.function: Callable[[float], Any] | None = None
        self.moves = True
        if targets is None:
            if start is None:
                raise SceneError(f"{owner}: no positions. Give an array or a function of time.")
            self.poses = start[None]
            self.moves = False
        elif callable(targets):
            self.function = targets
            self.poses = self._checked(targets(0.0))[None]
        else:
            poses = np.asarray(targets, dtype=np.float64)
            self.poses = poses[None] if poses.ndim == 2 else poses
            self.moves = len(self.poses) > 1
            if self.poses.ndim != 3 or self.poses.shape[2] != 3 or len(self.poses) == 0:
                raise SceneError(f"{owner}: positions have shape {poses.shape}; wanted (n, 3) or (frames, n, 3).")
            for k, pose in enumerate(self.poses):
                self._checked(pose, k)

    def _checked(self, pose: Any, frame: int | None = None) -> Array:
        pose = np.asarray(pose, dtype=np.float64)
        if pose.ndim != 2 or pose.shape[1] != 3:
            raise SceneError(f"{self.owner}: positions have shape {pose.shape}; wanted (n, 3).")
        bad = np.flatnonzero(~np.isfinite(pose).all(1))
        if len(bad):
            where = "" if frame is None else f" in pose {frame}"
            raise SceneError(
                f"{self.owner}: vertex {bad[0]} is at {pose[bad[0]].tolist()}{where}; wanted finite coordinates. "
                "Repair the animation of this object."
            )
        return pose

    def at(self, time: float, fps: float) -> Array:
        """Pose [m], (n, 3), at a time [s] since the first frame; held before the first and after the last pose."""
        if self.function is not None:
            pose = self._checked(self.function(time))
            if pose.shape != self.poses.shape[1:]:
                raise SceneError(
                    f"{self.owner}: {len(pose)} positions at {time:g} s, {self.poses.shape[1]} at the start. Keep the count."
                )
            return pose
        s = min(max(time * fps, 0.0), len(self.poses) - 1.0)
        k = min(int(s), len(self.poses) - 2) if len(self.poses) > 1 else 0
        if len(self.poses) == 1 or s == k:
            return self.poses[k]
        return self.poses[k] + (s - k) * (self.poses[k + 1] - self.poses[k])
