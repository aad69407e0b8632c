"""A frame's report, put together from what each part of it measures."""

from __future__ import annotations

import math
import time

import numpy as np

from ..contact.contact import Contact
from ..errors import UnstableError
from ..model.model import Model
from ..model.state import State
from . import contact as of_contact
from . import report
from .residual import force_at


def report_of(
    model: Model,
    state: State,
    contact: Contact | None,
    gravity: np.ndarray,
    converged: bool,
    iterations: int,
    began: float,
) -> report.Report:
    """The report of the frame that has ended. gravity: [m/s^2], (3,). began: `time.perf_counter` at its start [s]."""
    balance = report.balance(model, state, None if contact is None else contact.touched())
    largest, mean = report.stretch(state.x, model.edges, model.edge_lengths)
    kinetic_energy, momentum, angular_momentum = report.motion(model, state)
    return report.Report(
        residual=balance.residual,
        residual_of_start=balance.residual_of_start,
        converged=converged,
        max_stretch=largest,
        mean_stretch=mean,
        volume_change=report.volume_change(model, state),
        kinetic_energy=kinetic_energy,
        elastic_energy=balance.elastic_energy,
        gravity_energy=report.gravity_energy(model, state, gravity),
        momentum=momentum,
        angular_momentum=angular_momentum,
        **({} if contact is None else of_contact.report(contact, model.origin)),
        asleep=0 if state.sleep is None else int(state.sleep.asleep.sum()),
        clamped_pins=int(state.clamped_pins.sum()),
        substeps=model.settings.substeps,
        iterations=iterations,
        seconds=time.perf_counter() - began,
    )


def check_finite(told: report.Report, model: Model, state: State, frame: int) -> None:
    """Raises: UnstableError if an energy or what is left of the balance is no number, though the positions are.

    Such elements stay where they are, for no step of theirs is one. frame: what messages call it.
    """
    if math.isfinite(told.residual + told.elastic_energy + told.kinetic_energy):
        return
    count = model.parts[-1].stop
    force, _ = force_at(model, state, state.x, state.correction)
    bad = np.flatnonzero(~np.isfinite(np.concatenate([force[:count, :3], state.v[:count]], axis=1)).all(1))
    where = "somewhere"
    if len(bad):
        part = next(part for part in model.parts if part.start <= bad[0] < part.stop)
        where = f"at {len(bad)} vertices (first: vertex {bad[0] - part.start} of '{part.body.name}')"
    raise UnstableError(
        f"Frame {frame}: forces or velocities are not finite {where}; wanted finite ones. Look there for numbers of the "
        "rest shape, UV map or material that are far from all others, or raise substeps above "
        f"{model.settings.substeps}. Frames before this one are good."
    )
