"""A frame of reference that a body takes along, as a caller gives it frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import SceneError
from . import checks

Array = np.ndarray

#: Its name in messages.
OWNER = "ReferenceFrame"
#: Largest entry of R^T R - 1 that rounding to single precision explains.
ROUNDED = 1e-4


@dataclass(frozen=True)
class ReferenceFrame:
    """Moving frame of a body: its poses two frames ago, one frame ago, and at the end of the coming frame.

    poses: world space in metres, rigid motions, (3, 4, 4); the first two are equal at the start of motion. share: of its
    velocity that the body takes over, 0 to 1: at 1 the body feels none of its acceleration.
    Raises: SceneError for poses that are scaled.
    """

    poses: Array
    share: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checks.number(OWNER, "share", self.share, "", checks.Range(0.0, 1.0)))
        poses = checks.array(OWNER, "poses", self.poses, (3, 4, 4))
        turns = poses[:, :3, :3]
        off = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max()
        if off > ROUNDED or (np.linalg.det(turns) < 0).any():
            problem = f"scaled by {off:.2g}" if off > ROUNDED else "mirrored"
            raise SceneError(f"{OWNER}: poses are {problem}; wanted turns and moves. Leave scales out.")
        object.__setattr__(self, "poses", poses)
