"""A body's rows in the model's arrays, and its pins there: exact ones are placed, others are springs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..energies import attachment
from ..scene import Body, Deformable, Pins, maps
from .bodies.kind import BodyKind, Contribution
from .element_group import ElementGroup
from .model import BodyPart

Array = np.ndarray


def make_part(body: Body, kind: BodyKind, brought: Contribution, start: int) -> BodyPart:
    """start: the body's first row."""
    stop = start + len(body.vertices)
    points = brought.points + start
    return BodyPart(
        body, kind, start, stop, **_held(body, start), points=points, embedded=brought.embedded, own_area=brought.own_area
    )


def changed_part(part: BodyPart, body: Body) -> BodyPart:
    """The part of the same body with other numbers."""
    return replace(part, body=body, **_held(body, part.start))


def _held(body: Body, start: int) -> dict[str, Any]:
    """Return the pin fields of a `BodyPart`."""
    pins = body.pins if body.pins is not None else Pins(np.zeros(0, int), np.zeros(0))
    exact = pins.weight >= 1.0
    soft = (pins.weight > 0.0) & ~exact
    return {
        "pinned": pins.indices[exact] + start,
        "pinned_rows": np.flatnonzero(exact),
        "attached": pins.indices[soft] + start,
        "attached_rows": np.flatnonzero(soft),
        "attached_weights": pins.weight[soft],
    }


def attachment_groups(parts: list[BodyPart], mass: Array, x: Array) -> list[ElementGroup]:
    """A group for the springs of each body's pins, in the order of the bodies, so that their targets are one array.

    mass: [kg], (n,). x: start positions [m], (n, 3).
    """
    groups = []
    for part in parts:
        if len(part.attached):
            assert part.body.pins is not None
            k = attachment.stiffness(mass[part.attached], part.attached_weights, part.body.pins.frequency)
            if isinstance(part.body, Deformable):
                painted = maps.factors(part.body.maps, "pin_stiffness", len(part.body.vertices))
                k = k * painted[part.attached - part.start]
            values = {"pin_damping": part.body.pins.damping}
            groups.append(ElementGroup(attachment.NAME, values, x, part.attached[:, None], 0, None, k))
    return groups
