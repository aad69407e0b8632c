"""Pins: vertices that follow a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import SceneError
from . import checks
from .goal import Goal
from .motion import Motion, Targets

Array = np.ndarray

#: Stiff enough to follow an actor, soft enough for visible compliance [Hz].
FREQUENCY = 5.0


@dataclass
class Pins:
    """Vertices that follow a target.

    indices: (k,). weight: 0 (free) .. 1 (fixed to the target), a number or (k,). In between, the pin is a spring that is
    softer the smaller the weight. targets: see `Targets`; shape (k, 3) per frame.
    frequency: at which a pin of weight 1/2 swings about its target [Hz], whatever mass it holds: stiffness grows with its
    square. damping: of soft pins, a time [s] as of energies: force of its speed over that of its distance.
    goal: springs to the same targets beside the pins', whose weight may be 0 then; None for none.
    strength: pull at which a hook, a connected patch of pinned vertices, lets go for good [N], None for never
    (`stepping/hooks.py`).
    """

    indices: Array
    weight: Array = checks.until_checked(1.0)
    targets: Targets = None
    frequency: float = FREQUENCY
    damping: float = 0.0
    goal: Goal | None = None
    strength: float | None = None

    def __post_init__(self) -> None:
        self.indices = checks.indices("Pins", "indices", self.indices, checks.MOST_WHOLE)
        count = len(self.indices)
        if isinstance(self.weight, Sequence | np.ndarray) and not isinstance(self.weight, str):
            self.weight = checks.array("Pins", "weight", self.weight, (count,), rows=("pin",))
        else:
            self.weight = np.full(count, checks.number("Pins", "weight", self.weight, "", checks.FINITE, "in the pins"))
        self.frequency = checks.number("Pins", "frequency", self.frequency, "Hz", where="in the pins")
        self.damping = checks.number("Pins", "damping", self.damping, "s", checks.NOT_NEGATIVE, "in the pins")
        if self.strength is not None:
            self.strength = checks.number("Pins", "strength", self.strength, "N", checks.POSITIVE, "in the pins")
        if self.goal is not None:
            self.goal = checks.instance("Pins", "goal", self.goal, Goal, "Use Goal(weight, frequency).").of(count)

    @property
    def holding(self) -> Array:
        """Return the pinned vertices without those that only the goal pulls, (j,)."""
        return self.indices if self.goal is None else self.indices[self.weight > 0]

    @property
    def act(self) -> bool:
        """Return whether any of them holds or pulls."""
        return bool((self.weight > 0).any() or self.pulled.any())

    @property
    def pulled(self) -> Array:
        """Return whether each pin has a spring of the goal, (k,) bool: exact ones have none."""
        if self.goal is None:
            return np.zeros(len(self.indices), bool)
        return (self.goal.weight > 0) & (self.weight < 1.0)

    def check(self, owner: str, start: Array) -> None:
        """start: of the body's vertices [m], (n, 3). Raises: SceneError if an index, a weight or a target does not fit."""
        checks.indices(owner, "pins", self.indices, len(start))
        if len(np.unique(self.indices)) != len(self.indices):
            raise SceneError(f"{owner}: a pin index is listed twice; wanted each once. Name each pinned vertex once.")
        self.check_weights(owner)
        self.motion(owner, start)

    def check_weights(self, owner: str) -> None:
        """Raises: SceneError if one is not from 0 to 1."""
        bad = np.flatnonzero((self.weight < 0) | (self.weight > 1))
        if len(bad):
            raise SceneError(
                f"{owner}: the pin of vertex {self.indices[bad[0]]} has weight {self.weight[bad[0]]:g}; wanted 0 to 1. "
                "Change it in the pins."
            )

    def changed(self, owner: str, field: str, value: float | Array | list[float] | None) -> Pins:
        """The same pins of another weight, frequency, damping or strength. Raises: SceneError."""
        if field == "strength" and self.strength is None:
            raise SceneError(f"{owner}: its pins never let go, so their strength cannot change; wanted one. Give them one.")
        numbers = {name: getattr(self, name) for name in ("weight", "frequency", "damping", "strength")}
        there = Pins(self.indices, **numbers | {field: value})
        there.targets, there.goal = self.targets, self.goal
        there.check_weights(owner)
        return there

    def pulled_by(self, owner: str, field: str, value: Any) -> Pins:
        """The same pins with another weight, frequency or damping_ratio of the goal. Raises: SceneError."""
        if self.goal is None:
            raise SceneError(f"{owner}: has no goal whose {field} could change; wanted one. Give its pins Goal(...).")
        return replace(self, goal=replace(self.goal, **{field: value}))

    def motion(self, owner: str, start: Array) -> Motion | None:
        """Their targets over time, (k, 3); None without a pin. start: of the body's vertices [m], (n, 3).

        Raises: SceneError if there is not one target a pin.
        """
        if not len(self.indices):
            return None
        motion = Motion(self.targets, f"{owner} (pins)", start[self.indices])
        if motion.poses.shape[1] != len(self.indices):
            raise SceneError(
                f"{owner}: {motion.poses.shape[1]} pin targets for {len(self.indices)} pinned vertices; wanted as many. "
                "Give each one."
            )
        return motion
