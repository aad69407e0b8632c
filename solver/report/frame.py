"""A frame's report, composed of its parts."""

from __future__ import annotations

import math
import time
from typing import TypedDict

import numpy as np

from ..contact.contact import Contact
from ..device.counters import counters
from ..errors import UnstableError
from ..model.hooks import released_points
from ..model.model import Model
from ..model.seams import broken_stitches
from ..model.state import State
from . import residual
from .error import ErrorEstimate
from .frame_report import Report
from .location import Location
from .measured import Measured
from .work import Work


def report_of(
    model: Model,
    state: State,
    contact: Contact | None,
    estimate: ErrorEstimate,
    numbers: Measured,
    crossing: tuple[Location, ...],
    converged: bool | None,
    iterations: int,
    began: float,
) -> Report:
    """Return the report of the frame that has ended.

    crossing: intersections at its end. began: `time.perf_counter` at its start [s].
    """
    errors = numbers.errors
    if numbers.left is not None:
        pushed = np.zeros(model.n_vertices, bool) if contact is None else contact.results.touched()
        errors = estimate.errors(state, numbers.left, pushed, numbers.errors)
    return Report(
        error=max(errors.values(), default=0.0),
        errors=errors,
        residual=numbers.residual,
        converged=converged,
        max_stretch=numbers.max_stretch,
        mean_stretch=numbers.mean_stretch,
        volume_change=numbers.volume_change,
        elastic_energy=numbers.elastic_energy,
        **numbers.motion,
        **numbers.contact,
        **of_intersections(crossing),
        asleep=0 if state.sleep is None else int(state.sleep.asleep.sum()),
        clamped_pins=int(state.clamped_pins.sum()),
        torn_edges=int(state.broken.sum()) + broken_stitches(model, state.strains_at_start),
        released_pins=released_points(model, state.let_go),
        substeps=model.settings.substeps,
        iterations=iterations,
        seconds=time.perf_counter() - began,
        work=Work(**counters.counts()),
    )


class IntersectionFields(TypedDict):
    """Fields of a report that are of intersections."""

    intersections: int
    intersection_locations: tuple[Location, ...]


def of_intersections(crossing: tuple[Location, ...]) -> IntersectionFields:
    """The fields of a report that are of intersections."""
    return {"intersections": sum(location.count for location in crossing), "intersection_locations": crossing}


def is_finite(report: Report) -> bool:
    """Return whether energies and the residual are numbers."""
    return math.isfinite(report.residual + report.error + report.elastic_energy + report.kinetic_energy)


def not_finite(model: Model, state: State, frame: int) -> UnstableError:
    """Return the error of a frame whose report is not finite, though the positions are.

    Elements without a finite local solve stay where they are. frame: its name in messages.
    """
    count = model.parts[-1].stop
    force, _ = residual.force_at(model, state, state.x, state.correction)
    bad = np.flatnonzero(~np.isfinite(np.concatenate([force[:count, :3], state.v[:count]], axis=1)).all(1))
    where = "somewhere"
    if len(bad):
        part = next(part for part in model.parts if part.start <= bad[0] < part.stop)
        where = f"at {len(bad)} vertices (first: vertex {bad[0] - part.start} of '{part.body.name}')"
    return UnstableError(
        f"Frame {frame}: forces or velocities are not finite {where}; wanted finite ones. Look there for odd "
        f"numbers of the mesh, UV map or material, or raise Substeps above {model.settings.substeps}. "
        "Frames before this one are good."
    )
