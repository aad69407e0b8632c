"""Hooks: connected patches of pinned vertices, which let go as a whole, and the scene without those that have."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from ..scene import Deformable, Pins, Scene
from ..scene.maps import factors
from ..topology.components import label_components
from .model import BodyPart, Model

Array = np.ndarray


@dataclass(frozen=True)
class Hooks:
    """Hooks of the pins that can let go. rows: of their vertices, (k,). number: of each one's hook, (k,). strength: of each
    hook, that of its vertices in the mean [N], (m,)."""

    rows: Array
    number: Array
    strength: Array

    def __len__(self) -> int:
        return len(self.strength)


def pins_that_let_go(part: BodyPart) -> Pins | None:
    """Return the pins of a body if they have a strength."""
    pins = part.body.pins
    return None if pins is None or pins.strength is None else pins


def hooks(model: Model) -> Hooks:
    """Return the hooks of a model as it is torn: vertices that edges of the mesh join."""
    ours = [(part, pins) for part in model.parts if (pins := pins_that_let_go(part)) is not None]
    rows = np.concatenate([np.zeros(0, np.int64), *(part.start + pins.indices for part, pins in ours)])
    held = np.zeros(model.n_vertices, bool)
    held[model.rows(rows)] = True
    edges = np.concatenate([model.edges, *(model.surface[:, [k, (k + 1) % 3]] for k in range(3))])  # both sides of a tear
    label = label_components(edges[held[edges].all(1)], model.n_vertices)[model.rows(rows)]
    _, number = np.unique(label, return_inverse=True)
    number = number.reshape(-1)
    each = np.concatenate([np.zeros(0), *(_strengths(part, pins) for part, pins in ours)])
    return Hooks(rows, number, np.bincount(number, each) / np.bincount(number))


def _strengths(part: BodyPart, pins: Pins) -> Array:
    """Strength of a hook of each pin alone [N], (k,)."""
    assert pins.strength is not None
    painted = part.body.maps if isinstance(part.body, Deformable) else {}
    return pins.strength * factors(painted, "pin_strength", part.count)[pins.indices]


def without(scene: Scene, parts: list[BodyPart], let_go: Array) -> Scene:
    """Return the scene with no weight of the pins that have let go. parts: of its bodies. let_go: of `State`."""
    if not let_go.any():
        return scene
    there = copy.copy(scene)
    there.bodies = []
    for part, body in zip(parts, scene.bodies, strict=True):
        pins = pins_that_let_go(part)
        if pins is not None:
            body = copy.copy(body)
            body.pins = pins.changed(body.name, "weight", np.where(let_go[part.start + pins.indices], 0.0, pins.weight))
        there.bodies.append(body)
    return there


def released_points(model: Model, let_go: Array) -> int:
    """Return the number of pinned points that have let go. let_go: of `State`."""
    return len(np.unique(model.rows(np.flatnonzero(let_go)))) if len(let_go) else 0
