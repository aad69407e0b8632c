"""A frame's report, put together from what each part of it measures."""

from __future__ import annotations

import time

import numpy as np

from ..contact.contact import Contact
from ..model.model import Model
from ..model.state import State
from . import contact as of_contact
from . import report


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
        substeps=model.settings.substeps,
        iterations=iterations,
        seconds=time.perf_counter() - began,
    )
