"""Where a body stands in the model's arrays, and its pins there: exact ones are placed, others are springs."""

from __future__ import annotations

import numpy as np

from ..energies import attachment
from ..scene import Body, Pins
from .bodies.kind import BodyKind, Contribution
from .element_group import ElementGroup
from .model import BodyPart

Array = np.ndarray


def make_part(body: Body, kind: BodyKind, brought: Contribution, start: int) -> BodyPart:
    """start: the body's first row."""
    pins = body.pins if body.pins is not None else Pins(np.zeros(0, int), np.zeros(0))
    exact = pins.weight >= 1.0
    soft = (pins.weight > 0.0) & ~exact
    return BodyPart(
        body,
        kind,
        start,
        start + len(body.vertices),
        pinned=pins.indices[exact] + start,
        pinned_rows=np.flatnonzero(exact),
        attached=pins.indices[soft] + start,
        attached_rows=np.flatnonzero(soft),
        attached_weights=pins.weight[soft],
        points=brought.points + start,
        embedded=brought.embedded,
    )


def attachment_groups(parts: list[BodyPart], mass: Array, x: Array) -> list[ElementGroup]:
    """One group for the springs of all bodies' pins, so that their targets are one array; none without such pins.

    mass: [kg], (n,). x: start positions [m], (n, 3).
    """
    attached = np.concatenate([part.attached for part in parts])
    if not len(attached):
        return []
    k = attachment.stiffness(mass[attached], np.concatenate([part.attached_weights for part in parts]))
    return [ElementGroup(attachment.NAME, {}, x, attached[:, None], 0, None, k)]
