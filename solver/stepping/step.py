"""One substep of a scene: the loop that everything else serves. Read this first.

`substep` is a list of stages. Arrays of the state stay on its device: what comes from the host, once a substep, is the
targets of pins, the vertices of colliders and a few numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..global_step.global_step import GlobalStep
from ..methods.batch import begin_strains
from ..model.model import Model
from ..model.state import State
from ..report import residual
from ..report.error import ErrorEstimate
from ..scene import ShapeInputs
from ..steering import PAIR_INTERVAL
from . import integrate
from .flat_starts import disturb_flat_sheets
from .pins import note_clamped_pins, place_pins, pull_rigid_bodies
from .stitches import set_stitches
from .surroundings import Loads, Surroundings

#: With a tolerance, a substep sweeps up to this many times the iterations of the setting.
MOST_ROUNDS = 50


@dataclass
class Inputs:
    """Inputs of one substep, relative to the model's origin for positions.

    pin_start, pin_end: for each body the targets (k, 3) [m]. collider_start, collider_end: (m, 3) [m].
    loads: wind, gravity and fields. substeps_left: of the frame, with this one. shapes: name of a cloth ->
    what shapes it.
    """

    pin_start: list[np.ndarray]
    pin_end: list[np.ndarray]
    collider_start: np.ndarray
    collider_end: np.ndarray
    loads: Loads
    substeps_left: int = 1
    shapes: Mapping[str, ShapeInputs] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """Outcome of a substep. sweeps: its iterations. converged: within the tolerances of the settings; None where there are
    none."""

    sweeps: int
    converged: bool | None


def substep(
    model: Model,
    state: State,
    method,
    contact,
    surroundings: Surroundings,
    pressure,
    inputs: Inputs,
    global_step: GlobalStep | None,
    estimate: ErrorEstimate,
) -> Done:
    """Advance the state by h. contact, pressure, global_step: None where there are none. estimate: of the error."""
    _set_strains(model, state, method, inputs.substeps_left)
    set_stitches(model, state, inputs.shapes)
    _predict(model, state, surroundings, pressure, inputs)
    near = _begin_contact(model, state, contact, inputs, global_step)
    solved = _begin_solve(state, method, contact, global_step)
    if pressure is not None:
        pressure.equilibrate(state, global_step, of_step=True)
    done = _iterate(model, state, method, contact, global_step, solved, estimate)
    if pressure is not None:
        pressure.equilibrate(state, global_step, of_step=False)
    pushed = _end_contact(model, state, contact, inputs.pin_end, global_step)
    integrate.end_substep(model, state, pushed)
    if contact is not None and not model.settings.quasi_static:
        n = model.n_vertices
        contact.stop_separation(state.x0[:n], state.x_pred[:n], state.v[:n], state.x.dtype.type(model.h))
    if near is not None and (pushed is not None or near.any()):
        integrate.restart(model, state, near if pushed is None else near | pushed)
    state.time += model.h
    return done


def _set_strains(model: Model, state: State, method, substeps_left: int) -> None:
    """Strains at the substep's start, which damping and limits compare with, and frames of ropes; plastic ones flow."""
    for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
        begin_strains(batch, strains, state.x)
    if state.rods is not None:
        state.rods.advance(model, state.x, substeps_left)
        state.rods.store(model.batches, state.x, state.strains_at_start)
    if hasattr(method, "begin_limits"):
        method.begin_limits(state)


def _predict(model: Model, state: State, surroundings: Surroundings, pressure, inputs: Inputs) -> None:
    """Move everything to where it would be without energies and contacts; keep the start in x0, the end in x_pred."""
    h = state.x.dtype.type(model.h)
    loads = inputs.loads

    def act() -> None:
        if model.settings.quasi_static:
            surroundings.load(state, loads)
        else:
            surroundings.push(state, loads, h)
        if pressure is not None:
            pressure.act(state, loads.gravity, model.h, inputs.shapes)

    integrate.begin_substep(model, state, loads.gravity, act)
    disturb_flat_sheets(model.flat_sheets, state)
    place_pins(model, state, inputs.pin_start, inputs.pin_end)
    if state.rigid is not None:
        surroundings.push_rigid(state, loads, model.h)
        state.rigid.begin(loads.gravity, np.exp(-model.settings.damping * model.h), model.h)
        pull_rigid_bodies(model, state, inputs.pin_start, inputs.pin_end)
        state.rigid.place(state.x)
    model.embedded.place(state.x)
    state.x_pred[...] = state.x


def _begin_contact(model: Model, state: State, contact, inputs: Inputs, global_step: GlobalStep | None) -> np.ndarray | None:
    """Find what may touch on the way to the prediction, which is of first order then. Contact knows nothing of the padding.

    Returns the vertices that contact may push, and all of a stiff sheet, (n,) bool, where the order of integration is
    theirs to lower; else None.
    """
    if contact is None:
        return None
    n, h = model.n_vertices, state.x.dtype.type(model.h)
    colliders = inputs.collider_start, inputs.collider_end
    share = integrate.gravity_share(model, state)
    contact.begin_substep(state.x0[:n], state.x[:n], *colliders, h, inputs.loads.gravity, inputs.substeps_left, share)
    if not contact.idle:
        state.take_up()
    if model.settings.integrator == "bdf1" or model.settings.quasi_static:
        return None
    near = contact.near()
    if near.any():
        if global_step is not None:
            near = global_step.moved_together(near)
        integrate.lower_order(model, state, near)
        contact.reweigh(state.x0[:n])
    return near


def _begin_solve(state: State, method, contact, global_step: GlobalStep | None) -> Mapping[int, np.ndarray]:
    """Set what methods keep of each element to its start; return what `GlobalStep.solve` does."""
    if global_step is None:
        method.begin(state)
        return {}
    global_step.begin(state)
    method.begin(state)
    return global_step.solve(state, contact)


def _iterate(
    model: Model,
    state: State,
    method,
    contact,
    global_step: GlobalStep | None,
    solved: Mapping[int, np.ndarray],
    estimate: ErrorEstimate,
) -> Done:
    """Sweep `iterations` times, and with a tolerance as many rounds more as the error or the residual requires.

    solved: what the global step has solved for, see `GlobalStep.solve`; the first round leaves it out.
    """
    settings = model.settings
    tolerance, error_tolerance, sweeps = settings.tolerance, settings.error_tolerance, 0
    if tolerance is None and error_tolerance is None:
        return Done(_round(model, state, method, contact, global_step, solved)[0], None)
    scale = None
    while True:
        count, unchanged = _round(model, state, method, contact, global_step, solved)
        sweeps += count
        n = model.n_vertices
        pushed = np.zeros(n, bool) if contact is None else contact.pushed(state.x[:n])
        force, _ = residual.force_at(model, state, state.x, state.correction)
        near = error_tolerance is None or max(estimate.errors(state, force, pushed).values(), default=0.0) <= error_tolerance
        if near and tolerance is None:
            return Done(sweeps, True)
        scale = residual.residual_scale(model, state) if scale is None else scale
        converged = near and (tolerance is None or scale.relative(force, scale.at_prediction, pushed) <= tolerance)
        unchanged = unchanged or scale.is_rounding(force, pushed)
        solved = {}
        if converged or sweeps >= MOST_ROUNDS * settings.iterations or unchanged:
            return Done(sweeps, converged)


def _round(
    model: Model, state: State, method, contact, global_step: GlobalStep | None, solved: Mapping[int, np.ndarray]
) -> tuple[int, bool]:
    """Sweep elements and contacts in turn; return how often, and whether another sweep would change nothing.

    Where the global step has solved for sheets, they respond elastically to contact forces before contacts are swept for
    the last time.
    """
    iterations, x = model.settings.iterations, state.x[: model.n_vertices]
    response_at = PAIR_INTERVAL if iterations > PAIR_INTERVAL else 0
    for iteration in range(iterations):
        to_come = iterations - 1 - iteration
        unchanged = method.sweep(state, iteration, solved) if solved else method.sweep(state, iteration)
        if contact is not None and not contact.idle:
            unchanged = False
            state.place()
            contact.sweep(x, to_come)
            state.take_up()
            if global_step is not None and solved and to_come == response_at:
                global_step.elastic_response(state, contact)
                if not to_come:
                    contact.sweep(x)
                    state.take_up()
        if unchanged:
            break
    state.place()
    return iteration + 1, unchanged


def _end_contact(
    model: Model, state: State, contact, pin_end: list[np.ndarray], global_step: GlobalStep | None
) -> np.ndarray | None:
    """Clamp what would go through something; the vertices that contact has moved, (n,) bool, None where there are none.

    pin_end: targets of pins, see `Inputs`."""
    if contact is None:
        model.embedded.place(state.x)
        return None
    n = model.n_vertices
    boards = () if global_step is None else (global_step.board_rows,)
    clamped = contact.end_substep(state.x[:n], *boards)
    state.take_up()
    if clamped > 0 or state.clamped_pins.any():
        note_clamped_pins(model, state, pin_end)
    pushes = not contact.idle and contact.statistics().contacts > 0
    return contact.moved() if pushes or clamped > 0 else None
