"""Hooks: connected patches of pinned vertices, which let go as a whole, and the scene without those that have."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from ..scene import Pins, Scene
from ..topology.components import label_components
from .model import BodyPart, Model

Array = np.ndarray


@dataclass(frozen=True)
class Hooks:
    """Hooks of the pins that can let go. rows: of their vertices, (k,). number: of each one's hook, (k,). body: of each
    hook, (m,)."""

    rows: Array
    number: Array
    body: Array

    def __len__(self) -> int:
        return len(self.body)


def pins_that_let_go(part: BodyPart) -> Pins | None:
    """Return the pins of a body if they have a strength."""
    pins = part.body.pins
    return None if pins is None or pins.strength is None else pins


def hooks(model: Model) -> Hooks:
    """Return the hooks of a model at the start: vertices that edges of the mesh join, whatever tears later."""
    ours = [(part.start, pins) for part in model.parts if (pins := pins_that_let_go(part)) is not None]
    rows = np.concatenate([np.zeros(0, np.int64), *(start + pins.indices for start, pins in ours)])
    held = np.zeros(model.n_vertices, bool)
    held[model.rows(rows)] = True
    label = label_components(model.edges[held[model.edges].all(1)], model.n_vertices)[model.rows(rows)]
    first, number = np.unique(label, return_inverse=True)
    return Hooks(rows, number.reshape(-1), model.body_of_vertex[first])


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
