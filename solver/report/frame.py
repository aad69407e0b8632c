"""A frame's report, put together from what each part of it measures."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ..contact.contact import Contact
from ..device import arrays
from ..errors import UnstableError
from ..model.model import Model
from ..model.state import State
from . import contact as of_contact
from . import report, residual
from .error import ErrorEstimate
from .frame_report import Report
from .location import Location


def report_of(
    model: Model,
    state: State,
    contact: Contact | None,
    estimate: ErrorEstimate,
    crossing: tuple[Location, ...],
    gravity: np.ndarray,
    converged: bool | None,
    iterations: int,
    began: float,
    forces: residual.Forces | None = None,
) -> Report:
    """The report of the frame that has ended.

    crossing: what passes through what at its end. gravity: [m/s^2], (3,). began: `time.perf_counter` at its start [s].
    forces: where they are known.
    """
    pushed = np.zeros(model.n_vertices, bool) if contact is None else contact.touched()
    found = residual.forces_of(model, state) if forces is None else forces
    errors = estimate.errors(state, found.left, pushed)
    largest, mean = report.stretch(state.x, model.edges, model.edge_lengths)
    return Report(
        error=max(errors.values(), default=0.0),
        errors=errors,
        residual=found.scale.relative(found.left, found.scale.at_prediction, pushed),
        converged=converged,
        max_stretch=largest,
        mean_stretch=mean,
        volume_change=report.volume_change(model, state),
        elastic_energy=found.elastic_energy,
        **_with_own_gravity(report.motion(model, state, gravity), model, state, gravity),
        **({} if contact is None else of_contact.report(contact, model.origin)),
        **of_intersections(crossing),
        asleep=0 if state.sleep is None else int(state.sleep.asleep.sum()),
        clamped_pins=int(state.clamped_pins.sum()),
        substeps=model.settings.substeps,
        iterations=iterations,
        seconds=time.perf_counter() - began,
    )


def _with_own_gravity(motion: dict[str, Any], model: Model, state: State, gravity: np.ndarray) -> dict[str, Any]:
    """The numbers of `report.motion`, where bodies may have more or less of gravity than the scene."""
    more = np.array([part.body.answer.gravity - 1.0 for part in model.parts])
    if more.any():
        free = np.where(model.fixed, 0.0, model.mass * more[model.body_of_vertex])
        moment = free @ (arrays.download(state.x[: model.n_vertices, :3]).astype(float) + model.origin)
        if state.rigid is not None:
            body = model.body_of_vertex[[shape.start for shape in model.rigid]]
            moment += (state.rigid.mass * more[body]) @ (state.rigid.centre + model.origin)
        motion["gravity_energy"] -= float(moment @ gravity)
    return motion


def of_intersections(crossing: tuple[Location, ...]) -> dict[str, Any]:
    """The fields of a report that are of intersections."""
    return {"intersections": sum(found.count for found in crossing), "intersection_locations": crossing}


def check_finite(told: Report, model: Model, state: State, frame: int) -> None:
    """Raises: UnstableError if an energy or what is left of the balance is no number, though the positions are.

    Such elements stay where they are, for no step of theirs is one. frame: what messages call it.
    """
    if math.isfinite(told.residual + told.error + told.elastic_energy + told.kinetic_energy):
        return
    count = model.parts[-1].stop
    force, _ = residual.force_at(model, state, state.x, state.correction)
    bad = np.flatnonzero(~np.isfinite(np.concatenate([force[:count, :3], state.v[:count]], axis=1)).all(1))
    where = "somewhere"
    if len(bad):
        part = next(part for part in model.parts if part.start <= bad[0] < part.stop)
        where = f"at {len(bad)} vertices (first: vertex {bad[0] - part.start} of '{part.body.name}')"
    raise UnstableError(
        f"Frame {frame}: forces or velocities are not finite {where}; wanted finite ones. Look there for odd "
        f"numbers of the mesh, UV map or material, or raise Substeps above {model.settings.substeps}. "
        "Frames before this one are good."
    )
