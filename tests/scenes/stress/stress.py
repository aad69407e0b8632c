"""Class of stress scenes, and the seeded disturbance at the start of each run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray

#: Greatest disturbance of a start, over an edge, and of a parameter, over itself.
DISTURBANCE = 0.005


@dataclass(frozen=True)
class Stress:
    """A solver Scene under stress, and the requirements on it.

    frames: its number of frames. limits: names of bodies whose principal stretches are limited, and their limits [1].
    still_after: frames after which neither pins nor colliders move, so that energy may only fall; None if there are none.
    rest_from: the frame by which bodies have been still for two seconds, None if they need not be. is_slack: whether no
    loads but weight and contact act on the bodies.
    """

    scene: Any
    frames: int
    limits: dict[str, float] = field(default_factory=dict)
    still_after: int | None = None
    rest_from: int | None = None
    is_slack: bool = False


class Seeded:
    """Disturbances of a run; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def start(self, x: Array, edge: float, held: Any = ()) -> Array:
        """Positions [m], (n, 3), each coordinate disturbed, but for held vertices."""
        moved = x + DISTURBANCE * edge * self.random.uniform(-1, 1, x.shape)
        held = np.asarray(held, int)
        moved[held] = x[held]
        return moved

    def value(self, number: float) -> float:
        """A parameter, disturbed."""
        return number * (1 + DISTURBANCE * self.random.uniform(-1, 1))

    def values(self, numbers: dict[str, float]) -> dict[str, float]:
        """Parameters, each disturbed."""
        return {name: self.value(number) for name, number in numbers.items()}


def smooth(share: float) -> float:
    """0 to 1, with no speed at both ends; held outside."""
    t = min(max(share, 0.0), 1.0)
    return t * t * (3 - 2 * t)


def limited(fabric: Any, limit: float) -> Any:
    """The fabric, whose principal stretches no force takes beyond a limit."""
    return fabric.changed(energies={**fabric.energies, "strain_limit": {"limit": limit, "compliance": 0.0}})
