"""Measurements at a frame's end, by the device that has computed the frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..contact.contact import Contact
from ..model.model import Model
from ..model.state import State
from . import contact as of_contact
from . import report, residual

Array = np.ndarray


@dataclass(frozen=True)
class Measured:
    """Measurements. residual, elastic_energy, max_stretch, mean_stretch, volume_change: see `Report`. motion: of
    `report.momentum_and_energy`. drift: mean velocity of all vertices [m/s], (3,). contact: the contact fields of a report.
    errors: those already known [m], by name. left: residual force at x, (n + 4, 4) [N]; None if the errors of all bodies are
    known. crossing: number of edges that pass through triangles; None without a count.
    """

    residual: float
    elastic_energy: float
    max_stretch: float
    mean_stretch: float
    volume_change: float
    motion: report.MotionFields
    drift: Array
    contact: Mapping[str, Any]
    errors: Mapping[str, float] = field(default_factory=dict)
    left: Array | None = None
    crossing: int | None = None


def measured(model: Model, state: State, contact: Contact | None, gravity: Array) -> Measured:
    """Measure on the CPU. gravity: [m/s^2], (3,)."""
    pushed = np.zeros(model.n_vertices, bool) if contact is None else contact.results.touched()
    forces = residual.forces_of(model, state)
    volumes = report.volumes(state.x, model.tetrahedra, model.tetrahedron_body, len(model.body_volumes))
    largest, mean = report.stretch(state.x, model.edges, model.edge_lengths)
    return Measured(
        residual=forces.scale.relative(forces.left, forces.scale.at_prediction, pushed),
        elastic_energy=forces.elastic_energy,
        max_stretch=largest,
        mean_stretch=mean,
        volume_change=report.volume_change(model, volumes),
        motion=report.motion(model, state, gravity),
        drift=mean_velocity(model, state),
        contact={} if contact is None else of_contact.report(contact, model.origin),
        left=forces.left,
    )


def mean_velocity(model: Model, state: State) -> Array:
    """Return the mean velocity of all vertices [m/s], (3,)."""
    return state.v[: model.n_vertices].mean(0, dtype=float)
