"""Measurements of a frame's report on the device that has computed it: `report/measured.py`.

Launches follow the last substep's; only sums are downloaded. For a sheet with energies outside every matrix the residual
force is downloaded too, because the CPU computes its error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...contact.gpu.device_contact import DeviceContact
from ...contact.gpu.pushed import PushedBy
from ...device.cuda.device import Array
from ...global_step.global_step import GlobalStep, sheet_systems
from ...global_step.gpu.convergence import SLIGHT
from ...global_step.gpu.device_global_step import DeviceGlobalStep
from ...global_step.gpu.rows import Rows
from ...global_step.gpu.system import System
from ...global_step.sheet_part import SheetPart
from ...global_step.solid_part import all_solid_parts
from ...methods.gpu.gpbd_sweeps import Elements
from ...model.gpu.state_arrays import StateArrays
from ...model.model import Model
from ...model.rigid_motion import RigidMotion
from .. import residual
from ..error import elastic_bodies
from ..intersections import IntersectionSearch
from ..measured import Measured
from ..report import momentum_and_energy, volume_change
from .body_errors import DeviceErrors
from .intersection_count import DeviceIntersections
from .residual_forces import DeviceForces
from .sums import VERTEX, DeviceSums

#: Iterations on a matrix, at most; of a body that is swept one for so many sweeps of a frame, but at least.
MOST, SWEEPS_AN_ITERATION, LEAST = 12, 3, 6


class DeviceReport:
    """Report of one model. is_whole: whether it measures the errors of all bodies."""

    def __init__(
        self, state: StateArrays, elements: list[Elements], asleep: frozenset[str], keep_length: DeviceGlobalStep | None,
        search: IntersectionSearch, swept: Sequence[SheetPart],
    ) -> None:  # fmt: skip
        """elements: of each batch. asleep: bodies, by name. search: for intersections, by the host. swept: see
        `swept_parts`."""
        device, self._model = state.device, state.model
        self._state, self._forces, self._sums = state, DeviceForces(state, elements), DeviceSums(state)
        n = self._model.n_vertices
        self._nobody = PushedBy(device.zeros(n, np.int32), device.zeros((n, 1), np.float32))
        solved = [] if keep_length is None else [keep_length.system]
        awake = [part for part in swept if part.part.body.name not in asleep]
        self._errors = [DeviceErrors(state, elements, system, MOST) for system in solved]
        if awake:
            rows = Rows(awake, np.arange(len(awake)), SLIGHT, state.rows)
            self._errors.append(DeviceErrors(state, elements, System(device, state, rows), _iterations(self._model)))
        self._asleep = dict.fromkeys(asleep, 0.0)
        known = asleep.union(*(errors.names.values() for errors in self._errors))
        self.is_whole = known.issuperset(elastic_bodies(self._model))
        self._crossing = None if search.world is None else DeviceIntersections(device, *search.world)

    def measure(self, contact: DeviceContact | None, poses: Array, rows: int) -> None:
        """After the last substep of a frame. poses, rows: of colliders, see `DeviceIntersections.launch`."""
        pushed = self._nobody if contact is None else contact.pushed(self._nobody)
        self._forces.measure()
        self._sums.measure(self._forces.parts, pushed)
        for errors in self._errors:
            errors.measure(self._forces.left, pushed)
        if self._crossing is not None:
            self._crossing.launch(self._state.x, poses, rows)

    def take(self, rigid: RigidMotion | None, gravity: np.ndarray, contact: DeviceContact | None) -> Measured:
        """Download the measurements. rigid: bodies at the frame's end; gravity: [m/s^2], (3,)."""
        model, sums = self._model, self._sums.vertices()
        sizes = np.sqrt(sums[VERTEX.begun : VERTEX.drift]).tolist()
        begun, remaining, rounding, of_contact, elastic = sizes
        least = residual.LEAST * elastic if model.settings.quasi_static else 0.0
        largest, mean = self._sums.stretch()
        errors = {name: error for of_system in self._errors for name, error in of_system.take().items()}
        return Measured(
            residual=residual.relative(remaining, begun, rounding=rounding, of_contact=of_contact, least=least),
            elastic_energy=self._forces.elastic_energy(),
            max_stretch=largest,
            mean_stretch=mean,
            volume_change=volume_change(model, self._sums.volumes()),
            motion=momentum_and_energy(sums[: VERTEX.begun], model, rigid, gravity),
            drift=sums[VERTEX.drift :] / max(model.n_vertices, 1),
            contact={} if contact is None else contact.numbers(),
            errors=self._asleep | errors,
            left=None if self.is_whole else self._state.device.download(self._forces.left),
            # Where contact acts on everything it keeps all apart, or the frame is the CPU's.
            crossing=0 if self._crossing is None else self._crossing.count(),
        )


def swept_parts(model: Model, step: GlobalStep | None) -> list[SheetPart]:
    """Return the bodies outside the step that have a matrix for their error. Without inertia it may be singular."""
    if model.settings.quasi_static:
        return []
    solved = [] if step is None else [sheet.part for sheet in step.sheets]
    parts = [system.parts[0] for system in sheet_systems(model)] if step is None else []
    if any(part.body.kind == "soft_body" and not any(part is solved_part for solved_part in solved) for part in model.parts):
        parts += all_solid_parts(model)
    return [part for part in parts if not any(part.part is solved_part for solved_part in solved)]


def _iterations(model: Model) -> int:
    """Return the iterations of a matrix for errors alone: as many as the frame has sweeps, so that it does not double their
    time."""
    return min(max(model.settings.substeps * model.settings.iterations // SWEEPS_AN_ITERATION, LEAST), MOST)
