"""Stages of a substep on the CPU. What comes from the host, once a substep, is the targets of pins, the vertices of
colliders and a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..contact.contact import Contact
from ..global_step.global_step import GlobalStep
from ..methods import HasLimits, Method
from ..methods.batch import begin_strains
from ..model.changing_elements import find_elements
from ..model.model import Model
from ..model.state import State
from ..report import residual
from ..report.error import ErrorEstimate
from ..scene import ShapeInputs
from ..steering import PAIR_INTERVAL
from . import integrate
from .flat_starts import disturb_flat_sheets
from .pins import note_clamped_pins, place_pins, pull_rigid_bodies
from .pressure import PressureLoads
from .step import Done
from .stitches import set_stitches
from .surroundings import Loads, Surroundings

#: With a tolerance, a substep sweeps up to this many times the iterations of the setting.
MOST_ROUNDS = 50


@dataclass
class Inputs:
    """Inputs of one substep, relative to the model's origin for positions.

    pin_start, pin_end: for each body the targets (k, 3) [m]. collider_start, collider_end: (m, 3) [m].
    loads: wind, gravity and fields. substeps_left: of the frame, with this one. shapes: name of a cloth ->
    its shape inputs.
    """

    pin_start: list[np.ndarray]
    pin_end: list[np.ndarray]
    collider_start: np.ndarray
    collider_end: np.ndarray
    loads: Loads
    substeps_left: int = 1
    shapes: Mapping[str, ShapeInputs] = field(default_factory=dict)


class CpuStages:
    """`step.Stages` of one substep. contact, pressure, global_step: None where there are none. estimate: of the error."""

    def __init__(
        self, model: Model, state: State, method: Method, contact: Contact | None, surroundings: Surroundings,
        pressure: PressureLoads | None, inputs: Inputs, global_step: GlobalStep | None, estimate: ErrorEstimate,
    ) -> None:  # fmt: skip
        self.model, self.state, self.iterations = model, state, model.settings.iterations
        self._method, self._contact, self._pressure, self._global_step = method, contact, pressure, global_step
        self._surroundings, self._inputs, self._estimate = surroundings, inputs, estimate
        self._near: np.ndarray | None = None  # vertices that contact may push, with BDF2
        self._solved: Mapping[int, np.ndarray] = {}  # what the global step has solved for, see `GlobalStep.solve`
        self._scale: residual.ResidualScale | None = None

    def begin_elements(self) -> None:
        """Find the elements that change, and the targets of shapes; take the strains that damping and limits compare with;
        plastic ones flow."""
        model, state = self.model, self.state
        find_elements(model, state)
        for batch, strains in zip(model.batches, state.strains_at_start, strict=True):
            begin_strains(batch, strains, state.x)
        if state.rods is not None:
            state.rods.advance(model, state.x, self._inputs.substeps_left)
            state.rods.store(model.batches, state.x, state.strains_at_start)
        if state.shapes is not None:
            state.shapes.begin(model, state.x)
        if state.exact_start is not None:
            np.add(state.x[:, :3], state.remainder, out=state.exact_start, dtype=float)
        if isinstance(self._method, HasLimits):
            self._method.begin_limits(state)
        set_stitches(model, state, self._inputs.shapes)

    def predict(self) -> None:
        """Move everything to its position without energies and contacts: x0 is the start, x_pred the end."""
        model, state, inputs = self.model, self.state, self._inputs
        loads, surroundings = inputs.loads, self._surroundings
        integrate.begin_substep(model, state, loads.gravity, self._act)
        disturb_flat_sheets(model.flat_sheets, state)
        place_pins(model, state, inputs.pin_start, inputs.pin_end)
        if state.rigid is not None:
            surroundings.push_rigid(state, loads, model.h)
            state.rigid.begin(loads.gravity, np.exp(-model.settings.damping * model.h), model.h)
            pull_rigid_bodies(model, state, inputs.pin_start, inputs.pin_end)
            state.rigid.place(state.x)
            state.rigid.tied_vertices[:] = model.rigid_ties.of_vertices(state.x0, state.remainder)
        model.embedded.place(state.x)
        state.x_pred[...] = state.x

    def _act(self) -> None:
        """Apply air, fields and the pressure of gas."""
        model, state, loads = self.model, self.state, self._inputs.loads
        if model.settings.quasi_static:
            self._surroundings.load(state, loads)
        else:
            self._surroundings.push(state, loads, state.x.dtype.type(model.h))
        if self._pressure is not None:
            self._pressure.act(state, loads.gravity, model.h, self._inputs.shapes)

    def find_contacts(self) -> None:
        """Find the contacts of the motion to the prediction, which is then of first order. Contact does not see the
        padding."""
        contact, model, state, inputs = self._contact, self.model, self.state, self._inputs
        if contact is None:
            return
        n, h = model.n_vertices, state.x.dtype.type(model.h)
        colliders = inputs.collider_start, inputs.collider_end
        share = integrate.gravity_share(model, state)
        contact.begin_substep(state.x0[:n], state.x[:n], *colliders, h, inputs.loads.gravity, inputs.substeps_left, share)
        if not contact.idle:
            state.take_up()
        if model.settings.integrator == "bdf1" or model.settings.quasi_static:
            return
        self._near = contact.forces.near()
        if self._near.any():
            if self._global_step is not None:  # a stiff sheet is of one order
                self._near = self._global_step.moved_together(self._near)
            integrate.lower_order(model, state, self._near)
            contact.reweigh(state.x0[:n])

    def solve_globally(self) -> None:
        """Start the displacements of elements, and take the global step."""
        if self._global_step is not None:
            self._global_step.begin(self.state)
        self._method.begin(self.state)
        if self._global_step is not None:
            self._solved = self._global_step.solve(self.state, self._contact)

    def equilibrate_pressure(self, of_step: bool) -> None:
        """Adjust the pressure of gas to the volume."""
        if self._pressure is not None:
            self._pressure.equilibrate(self.state, self._global_step, of_step=of_step)

    def sweep(self, iteration: int) -> bool:
        """Sweep all elements once but those that the global step has solved for."""
        self._fit_shapes()
        if self._solved:
            return self._method.sweep(self.state, iteration, self._solved)
        return self._method.sweep(self.state, iteration)

    def _fit_shapes(self) -> None:
        """Set the targets of shape-matched bodies to where their rest shapes fit the corrected positions."""
        state = self.state
        if state.shapes is not None:
            state.place()
            state.shapes.store(self.model, state.x, state.x0, state.strains_at_start)

    def project_contacts(self, iterations_left: int) -> bool:
        """Project the contacts; sheets that the global step has solved for respond elastically to their forces before
        contacts are swept for the last time, and ropes once more after it."""
        contact, global_step, state = self._contact, self._global_step, self.state
        if contact is None or contact.idle:
            return False
        x = state.x[: self.model.n_vertices]
        state.place()
        contact.sweep(x, iterations_left)
        state.take_up()
        if global_step is not None and self._solved:
            if iterations_left == (PAIR_INTERVAL if self.iterations > PAIR_INTERVAL else 0):
                global_step.elastic_response(state, contact)
                if not iterations_left:
                    contact.sweep(x)
                    state.take_up()
            if not iterations_left:
                global_step.last_response(state)
        return True

    def outcome(self, sweeps: int, unchanged: bool) -> Done | None:
        """Return the outcome after a round; None while the error or the residual exceeds its tolerance. Later rounds sweep
        all elements."""
        model, state, settings, contact = self.model, self.state, self.model.settings, self._contact
        state.place()
        self._fit_shapes()  # residuals are those of the targets at the end
        tolerance, error_tolerance = settings.tolerance, settings.error_tolerance
        if tolerance is None and error_tolerance is None:
            return Done(sweeps, None)
        n = model.n_vertices
        pushed = np.zeros(n, bool) if contact is None else contact.pushed(state.x[:n])
        force, _ = residual.force_at(model, state, state.x, state.correction)
        near = error_tolerance is None or (
            max(self._estimate.errors(state, force, pushed).values(), default=0.0) <= error_tolerance
        )
        if near and tolerance is None:
            return Done(sweeps, True)
        if self._scale is None:
            self._scale = residual.residual_scale(model, state)
        scale = self._scale
        converged = near and (tolerance is None or scale.relative(force, scale.at_prediction, pushed) <= tolerance)
        unchanged = unchanged or scale.is_rounding(force, pushed)
        self._solved = {}
        if converged or sweeps >= MOST_ROUNDS * settings.iterations or unchanged:
            return Done(sweeps, converged)
        return None

    def end(self) -> None:
        """Clamp the motion, and set the velocities."""
        model, state, contact, near = self.model, self.state, self._contact, self._near
        pushed = self._clamp()
        integrate.end_substep(model, state, pushed)
        if contact is not None and not model.settings.quasi_static:
            n = model.n_vertices
            contact.stop_separation(state.x0[:n], state.x_pred[:n], state.v[:n], state.x.dtype.type(model.h))
        if near is not None and (pushed is not None or near.any()):
            integrate.restart(model, state, near if pushed is None else near | pushed)
        state.time += model.h

    def _clamp(self) -> np.ndarray | None:
        """Clamp motions that would pass through something; return the vertices that contact has moved, (n,) bool, None where
        there are none."""
        model, state, contact = self.model, self.state, self._contact
        if contact is None:
            model.embedded.place(state.x)
            return None
        boards = () if self._global_step is None else (self._global_step.board_rows,)
        clamped = contact.end_substep(state.x[: model.n_vertices], *boards)
        state.take_up()
        if clamped > 0 or state.clamped_pins.any():
            note_clamped_pins(model, state, self._inputs.pin_end)
        pushes = not contact.idle and contact.results.statistics().contacts > 0
        return contact.results.moved() if pushes or clamped > 0 else None
