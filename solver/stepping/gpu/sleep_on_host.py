"""Sleep on a device: bodies wake and fall asleep between frames, on the host, which has the state then.

The CPU wakes bodies before each substep; here a disturbance at any time of a frame wakes them at its start.
"""

from __future__ import annotations

import numpy as np

from ...contact.contact import Contact
from ...model.model import Model
from ...model.state import State
from ...report.error import elastic_bodies
from ..adaptive_substeps import AdaptiveSubsteps
from ..poses import Drivers, FrameInputs
from ..sleep import AHEAD, wake_disturbed


def asleep(model: Model, state: State) -> frozenset[str]:
    """The elastic bodies that sleep, by name: no matrix has them."""
    if state.sleep is None:
        return frozenset()
    elastic = set(elastic_bodies(model))
    return frozenset(p.body.name for p in model.parts if p.body.name in elastic and state.sleep.held[p.start])


def wake_for_frame(
    substeps: AdaptiveSubsteps, state: State, contact: Contact | None, drivers: Drivers, inputs: FrameInputs
) -> bool:
    """Wake, before a frame, the bodies that something moves in it; return whether that changes the state."""
    if state.sleep is None:
        return False
    model, began, asleep = substeps.now.model, state.time + substeps.behind, state.sleep.asleep.copy()
    count = model.settings.substeps
    last = drivers.at(began + count * model.h / substeps.speed, inputs)
    response_numbers, changes = drivers.responses(inputs)[1], not last.fields.equals(drivers.now.fields)
    arguments = drivers.collider_rows, drivers.wind(began, inputs), drivers.gravity(inputs), response_numbers, changes
    wake_disturbed(model, state, contact, (drivers.now, last), *arguments, ahead=count - 1 + AHEAD)
    return not np.array_equal(asleep, state.sleep.asleep)
