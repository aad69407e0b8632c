"""A body's rows in the model's arrays, and its pins there: exact ones are placed, others are springs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..energies import attachment
from ..scene import Body, Deformable, Goal, Grab, Pins, maps
from .bodies.kind import BodyKind, Contribution
from .element_group import ElementGroup
from .model import BodyPart

Array = np.ndarray


def make_part(body: Body, kind: BodyKind, brought: Contribution, start: int) -> BodyPart:
    """start: the body's first row."""
    stop = start + len(body.vertices)
    points = brought.points + start
    return BodyPart(
        body,
        kind,
        start,
        stop,
        **_held(body, start, None),
        points=points,
        embedded=brought.embedded,
        own_area=brought.own_area,
    )


def changed_part(part: BodyPart, body: Body, grab: Grab | None) -> BodyPart:
    """The part of the same body with other numbers, and what grabs it."""
    return replace(part, body=body, **_held(body, part.start, grab))


def _held(body: Body, start: int, grab: Grab | None) -> dict[str, Any]:
    """Return the fields of a `BodyPart` for pins, and for a grab after them."""
    pins = body.pins if body.pins is not None else Pins(np.zeros(0, int), np.zeros(0))
    exact = pins.weight >= 1.0
    soft, pulled = (np.flatnonzero(which) for which in ((pins.weight > 0.0) & ~exact, pins.pulled))
    springs = np.concatenate([soft, pulled])
    goal = Goal() if pins.goal is None else pins.goal
    held = {
        "pinned": pins.indices[exact] + start,
        "pinned_rows": np.flatnonzero(exact),
        "attached": pins.indices[springs] + start,
        "attached_rows": springs,
        "attached_weights": pins.weight[soft],
        "goal_weights": goal.weight[pulled] if len(pulled) else np.zeros(0),
        "attached_damping": np.repeat([pins.damping, goal.damping], [len(soft), len(pulled)]),
        "grab": grab,
    }
    if grab is None or not isinstance(body, Deformable):  # no force moves the vertices of others
        return held
    free = ~np.isin(grab.vertices, pins.indices[exact])
    holds, springs = (np.flatnonzero(free & which) for which in (np.isinf(grab.stiffness), np.isfinite(grab.stiffness)))
    more = {
        "pinned": grab.vertices[holds] + start,
        "pinned_rows": len(pins.indices) + holds,
        "attached": grab.vertices[springs] + start,
        "attached_rows": len(pins.indices) + springs,
        "attached_damping": np.full(len(springs), grab.damping),
    }
    return held | {name: np.concatenate([held[name], rows]) for name, rows in more.items()}


def attachment_groups(parts: list[BodyPart], mass: Array, x: Array) -> list[ElementGroup]:
    """A group for the springs of each body's pins, one for those of their goal and one for those of what grabs it, in the
    order of the bodies, so that their targets are one array.

    mass: [kg], (n,). x: start positions [m], (n, 3).
    """
    groups = []
    for part in parts:
        first = len(part.attached_weights)
        second = first + len(part.goal_weights)
        pinned, pulled, grabbed = np.split(part.attached, [first, second])
        if len(pinned):
            assert part.body.pins is not None
            k = attachment.stiffness(mass[pinned], part.attached_weights, part.body.pins.frequency)
            if isinstance(part.body, Deformable):
                painted = maps.factors(part.body.maps, "pin_stiffness", len(part.body.vertices))
                k = k * painted[pinned - part.start]
            groups.append(_springs(pinned, k, part.body.pins.damping, x))
        if len(pulled):
            assert part.body.pins is not None and part.body.pins.goal is not None
            goal = part.body.pins.goal
            k = attachment.goal_stiffness(mass[pulled], part.goal_weights, goal.frequency)
            groups.append(_springs(pulled, k, goal.damping, x))
        if len(grabbed):
            assert part.grab is not None
            k = part.grab.stiffness[part.attached_rows[second:] - part.pins]
            groups.append(_springs(grabbed, k, part.grab.damping, x))
    return groups


def _springs(rows: Array, k: Array, damping: float, x: Array) -> ElementGroup:
    """k: [N/m], (j,). damping: [s]."""
    return ElementGroup(attachment.NAME, {"pin_damping": damping}, x, rows[:, None], 0, None, k)
