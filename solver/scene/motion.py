"""Poses over time, as a user gives them: of pins and of colliders."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray
#: A pose that may move: None (stays at the start), (n, 3), (frames, n, 3) from the first frame on, or time [s] -> (n, 3).
Targets: TypeAlias = "Array | Callable[[float], Array] | None"


class Motion:
    """A pose over time, read from any form of `Targets`."""

    def __init__(self, targets: Targets, owner: str, start: Array | None = None):
        self.owner = owner
        self.function: Callable[[float], Array] | None = None
        self.moves = True
        if targets is None:
            if start is None:
                raise checks.wrong(owner, "positions", "None", "an array or a function of time", "Give one.")
            self.poses = start[None]
            self.moves = False
        elif callable(targets) and not isinstance(targets, type):
            self.function = targets
            self.poses = self._pose_at(targets, 0.0)[None]
        else:
            poses = checks.vertices(owner, "positions", targets, poses=True)
            self.poses = poses[None] if poses.ndim == 2 else poses
            self.moves = len(self.poses) > 1

    def _pose_at(self, function: Callable[[float], Array], time: float) -> Array:
        return checks.vertices(f"{self.owner} at {time:g} s", "positions", function(time))

    def at(self, time: float, fps: float) -> Array:
        """Pose [m], (n, 3), at a time [s] since the first frame; held before the first and after the last pose."""
        if self.function is not None:
            pose = self._pose_at(self.function, time)
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
